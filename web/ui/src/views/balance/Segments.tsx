// Stretches of iterations of one period, and what lies before, between and after them.

import type { ParallelApplication, TraceSummary } from '../../api/types';
import { count, duration, moment, percent, plural } from '../../logic/units';
import { windowAround } from '../../logic/windowAround';
import { hrefTo } from '../../navigation';
import styles from './Balance.module.css';
import { signedPercent } from './signed';

export function Segments({ trace, app }: { trace: TraceSummary; app: ParallelApplication }) {
  const shown = app.segments.filter(({ is_shown }) => is_shown);
  const short = app.segments.length - shown.length;
  const resolution = (app.end_ns - app.start_ns) / 1000;
  return (
    <section className={`card ${styles.panel}`}>
      <h2>Segments</h2>
      <div className={styles.wide}>
        <table className={styles.table} aria-label="Segments">
          <thead>
            <tr>
              <th scope="col">Segment</th>
              <th scope="col">At</th>
              <th scope="col" className={styles.number}>
                For
              </th>
              <th scope="col" className={styles.number}>
                Count
              </th>
              <th scope="col" className={styles.number}>
                Each
              </th>
              <th scope="col" className={styles.number}>
                Load balance
              </th>
              <th scope="col" className={styles.number}>
                Lost
              </th>
              <th scope="col" className={styles.number}>
                Extrinsic
              </th>
            </tr>
          </thead>
          <tbody>
            {shown.map((segment) => (
              <tr key={segment.segment}>
                <th scope="row">{segment.kind}</th>
                <td>
                  <a
                    href={hrefTo({
                      view: 'timeline',
                      window: windowAround(segment.start_ns, segment.end_ns - segment.start_ns, trace),
                    })}
                    title="Show it on the timeline"
                  >
                    {moment(segment.start_ns - trace.start_ns, resolution)}
                  </a>
                </td>
                <td className={styles.number}>{duration(segment.end_ns - segment.start_ns)}</td>
                <td className={styles.number}>{count(segment.windows)}</td>
                <td className={styles.number}>{duration(segment.median_ns)}</td>
                <td className={styles.number}>{segment.load_balance === null ? '–' : percent(segment.load_balance)}</td>
                <td className={styles.number}>{shareOf(segment.lost_ns, segment.length_ns)}</td>
                <td className={styles.number}>{shareOf(segment.extrinsic_ns, segment.length_ns)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {short > 0 && <p className="muted">Left out: {plural(short, 'very short segment')}.</p>}
    </section>
  );
}

const shareOf = (ns: number | null, length: number): string =>
  ns === null || length === 0 ? '–' : signedPercent(ns / length);
