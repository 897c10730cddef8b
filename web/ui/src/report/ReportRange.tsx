// In a report about a range: what CPUs and threads did in it, how they waited, the longest waits. First on the page.

import { useMemo } from 'react';
import { ofTrace } from '../api/client';
import { useJson, useThreads } from '../api/hooks';
import type { Latency, SelectionFigures, TraceSummary } from '../api/types';
import { Ready } from '../components/States';
import type { Span } from '../logic/place';
import { Threads } from '../logic/timeline/names';
import { duration, moment } from '../logic/units';
import { hrefTo } from '../navigation';
import { LongestWaits } from '../views/latency/LongestWaits';
import { RangeFacts } from '../views/timeline/RangeFacts';
import { useReasons } from '../views/timeline/RangeReasons';
import styles from './Report.module.css';

export function ReportRange({ trace, range }: { trace: TraceSummary; range: Span }) {
  const figures = useJson<SelectionFigures>(ofTrace(trace.id, 'selection'));
  const reasons = useReasons(trace);
  const waits = useJson<Latency>(ofTrace(trace.id, 'latency'));
  const table = useThreads(trace.id).data;
  const threads = useMemo(() => table && new Threads(table), [table]);
  const long = range.end - range.start;
  const at = (t: number) => moment(t - trace.start_ns, long / 100);
  return (
    <section className={styles.range} aria-labelledby="range-title">
      <h2 id="range-title">
        Range of {duration(long)}, from {at(range.start)} to {at(range.end)}
      </h2>
      <p className="muted">
        The figures of this section are of this time, on all CPUs. The verdict below it, its curve and lists are of the
        whole trace; episodes in full are those that touch the range, each whole.{' '}
        <a className="no-print" href={replayFrom(range)}>
          Replay from its start
        </a>
      </p>
      {threads && (
        <Ready of={figures} what="The range" height={200}>
          {(found) => (
            <RangeFacts
              trace={trace}
              figures={found}
              reasons={reasons}
              threads={threads}
              ofThreads={false}
              linked={false}
            />
          )}
        </Ready>
      )}
      <Ready of={waits} what="Its longest waits" height={200}>
        {(found) => (
          <>
            <h3>Longest waits of the range, each whole</h3>
            <p>{found.sentence}</p>
            {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to have the focus */}
            {/* biome-ignore lint/a11y/useSemanticElements: a fieldset groups inputs */}
            <div className={styles.waits} tabIndex={0} role="group" aria-label="Longest waits, table">
              <LongestWaits trace={trace} waits={found.longest} linked={false} />
            </div>
          </>
        )}
      </Ready>
    </section>
  );
}

/** The replay at the start of a range; without one where the worst episode is. */
export const replayFrom = (range: Span | null): string =>
  hrefTo({ view: 'replay', episode: null, params: range ? { t: String(range.start) } : {} });
