// The landing page of a trace: whether cores were wasted, when, why, and how good the data is.

import { useAllEpisodes, useEpisodes, useVerdict } from '../../api/hooks';
import { Ready } from '../../components/States';
import type { ViewProps } from '../registry';
import { Curve } from './Curve';
import { DataQuality } from './DataQuality';
import { Figures } from './Figures';
import { Grades, Ledger } from './Ledger';
import { Sentence } from './Sentence';
import styles from './Verdict.module.css';
import { WorstEpisodes } from './WorstEpisodes';

/** Sources of traces that hold parallel programs alone: idle CPUs and waits are not visible in them. */
const PROGRAM_TRACES = new Set(['paraver', 'otf2']);

export default function VerdictView({ trace }: ViewProps) {
  const verdict = useVerdict(trace.id);
  const episodes = useEpisodes(trace.id);
  const all = useAllEpisodes(trace.id);
  return (
    <Ready of={verdict} what="Adding up the waste" height="80vh">
      {(data) => (
        <div className={styles.page}>
          {PROGRAM_TRACES.has(data.trace.source) ? (
            <>
              <Sentence verdict={data} />
              <section className={`card ${styles.panel}`}>
                <DataQuality verdict={data} />
              </section>
            </>
          ) : (
            <>
              <div className={styles.top}>
                <Sentence verdict={data} />
                <Figures verdict={data} />
              </div>
              <Curve trace={trace} worst={data.worst} />
              <div className={styles.columns}>
                <section className={`card ${styles.panel}`} data-guide="worst">
                  <Ready of={episodes} what="Ranking the episodes" height={320}>
                    {(list) => (
                      <Ready of={all} what="Ranking the episodes" height={320}>
                        {(every) => <WorstEpisodes episodes={list} all={every} verdict={data} start={trace.start_ns} />}
                      </Ready>
                    )}
                  </Ready>
                </section>
                <div className={styles.side}>
                  <section className={`card ${styles.panel}`}>
                    <Ledger verdict={data} />
                  </section>
                  <section className={`card ${styles.panel}`}>
                    <Grades verdict={data} />
                  </section>
                  <section className={`card ${styles.panel}`}>
                    <DataQuality verdict={data} />
                  </section>
                </div>
              </div>
            </>
          )}
        </div>
      )}
    </Ready>
  );
}
