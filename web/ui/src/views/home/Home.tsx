// The list of traces, and the way to add one.

import { useEffect, useState } from 'react';
import { useTraces } from '../../api/hooks';
import { readable, type TraceRow, type TraceSummary } from '../../api/types';
import { Empty, Ready } from '../../components/States';
import { wallClock } from '../../logic/identity';
import { bytes, duration, percent, plural } from '../../logic/units';
import { alarmOf } from '../../logic/words';
import { adjust, hrefTo } from '../../navigation';
import styles from './Home.module.css';
import { ImportPanel } from './ImportPanel';

export function Home() {
  const traces = useTraces();
  useOnly(traces.data);
  return (
    <div className={styles.home}>
      <h1>Traces</h1>
      <Ready of={traces} what="Reading the list of traces" height={240}>
        {(list) =>
          list.length === 0 ? (
            <Empty title="No trace yet">
              Record one with <code>wastenot record -o T.duckdb --for 10s</code>, or drop one below.
            </Empty>
          ) : (
            <ul className={styles.list}>
              {list.map((trace) => (
                <li key={trace.id}>
                  {readable(trace) ? <ReadableTrace trace={trace} /> : <UnreadableTrace trace={trace} />}
                </li>
              ))}
            </ul>
          )
        }
      </Ready>
      <ImportPanel onDone={() => traces.refetch()} />
    </div>
  );
}

/** With a single trace the page opens on its verdict; a click on the name leads to the list. */
function useOnly(list: readonly TraceRow[] | undefined) {
  const [plain] = useState(() => location.hash === '');
  const only = list?.length === 1 ? list[0] : undefined;
  useEffect(() => {
    if (plain && only && readable(only)) adjust({ trace: only.id });
  }, [plain, only]);
}

/** What it was recorded from. */
function origin({ source, kernel }: TraceSummary): string {
  // A bubble scheduler in user space is not a kernel: its traces have the version 0.0.
  const linux = kernel && kernel !== '0.0' ? ` · Linux ${kernel}` : '';
  return source === 'simulation' ? `${linux} · simulated` : linux;
}

const certainShare = ({ wasted_share, wasted_core_s, certain_core_s }: TraceSummary): number =>
  wasted_core_s > 0 ? (wasted_share * (certain_core_s ?? 0)) / wasted_core_s : 0;

function ReadableTrace({ trace }: { trace: TraceSummary }) {
  const span = trace.end_ns - trace.start_ns;
  const recorded = trace.source === 'simulation' ? null : wallClock(trace.epoch_ns, trace.start_ns);
  return (
    <a className={`card ${styles.row}`} href={hrefTo({ trace: trace.id })}>
      <span className={styles.name}>{trace.name}</span>
      <span className={styles.facts}>
        {plural(trace.cpus, 'CPU')} · {duration(span)} · {plural(trace.events, 'event')} · {bytes(trace.size_bytes)}
        {origin(trace)}
        {recorded && ` · ${recorded}`}
      </span>
      <span className={styles.wasted} data-alarm={alarmOf(trace.wasted_share, certainShare(trace))}>
        <b>{percent(trace.wasted_share)}</b> wasted
        {trace.doubt && <small>{trace.doubt}</small>}
      </span>
    </a>
  );
}

function UnreadableTrace({ trace }: { trace: TraceRow }) {
  return (
    <div className={`card ${styles.row}`}>
      <span className={styles.name}>{trace.name}</span>
      <span className={styles.error}>{trace.error ?? 'not checked yet; run `wastenot check` on it'}</span>
    </div>
  );
}
