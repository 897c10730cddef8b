// Waits of tasks for locks, the longest, and who held them.

import type { Deadlines, TraceSummary } from '../../api/types';
import { duration, moment } from '../../logic/units';
import { hrefTo, usePlace } from '../../navigation';
import styles from './Deadlines.module.css';
import { NamedThreadText } from './NamedThreadText';
import { placeOfLockWait } from './places';
import { WideTable } from './WideTable';

/** Rows at most. */
const SHOWN = 10;

export function LockWaitList({ trace, data }: { trace: TraceSummary; data: Deadlines }) {
  const place = usePlace();
  const { locks } = data;
  return (
    <section className={`card ${styles.panel}`}>
      <h2>Waits for locks</h2>
      <p>{locks.words.charAt(0).toUpperCase() + locks.words.slice(1)}.</p>
      <WideTable label="Longest waits for locks">
        <thead>
          <tr>
            <th scope="col">At</th>
            <th scope="col">Thread</th>
            <th scope="col" className={styles.number}>
              For
            </th>
            <th scope="col">Lock</th>
            <th scope="col">Held by</th>
          </tr>
        </thead>
        <tbody>
          {locks.longest.slice(0, SHOWN).map((row) => (
            <tr key={`${row.thread.utid}@${row.start_ns}`} data-violation={row.is_inversion}>
              <th scope="row">
                <a href={hrefTo(placeOfLockWait(row, trace, place))} title="Show it on the timeline">
                  {moment(row.start_ns - trace.start_ns, 1000)}
                </a>
              </th>
              <td>
                <NamedThreadText thread={row.thread} />
              </td>
              <td className={styles.number}>{duration(row.end_ns - row.start_ns)}</td>
              <td>{row.lock_words}</td>
              <td className={styles.prose}>{row.holder_words}</td>
            </tr>
          ))}
        </tbody>
      </WideTable>
    </section>
  );
}
