// Whether the scheduler kept to global EDF: how often threads were passed over, and the longest times of it.

import type { Deadlines, TraceSummary } from '../../api/types';
import { duration, moment } from '../../logic/units';
import { hrefTo, usePlace } from '../../navigation';
import styles from './Deadlines.module.css';
import { NamedThreadText } from './NamedThreadText';
import { placeOfPassedOver } from './places';
import { WideTable } from './WideTable';

/** Rows at most. */
const SHOWN = 10;

export function PassedOverList({ trace, data }: { trace: TraceSummary; data: Deadlines }) {
  const place = usePlace();
  const { edf } = data;
  const rows = edf.longest.slice(0, SHOWN);
  return (
    <section className={`card ${styles.panel}`}>
      <h2>Global EDF</h2>
      <p>
        {edf.words.charAt(0).toUpperCase() + edf.words.slice(1)}. For longer than {duration(edf.bound_ns)} it is a
        violation.
      </p>
      {rows.length > 0 && (
        <WideTable label="Longest times passed over">
          <thead>
            <tr>
              <th scope="col">At</th>
              <th scope="col">Thread</th>
              <th scope="col" className={styles.number}>
                For
              </th>
              <th scope="col">Queued on</th>
              <th scope="col">Instead</th>
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <tr key={`${row.thread.utid}@${row.start_ns}`} data-violation={row.end_ns - row.start_ns > edf.bound_ns}>
                <th scope="row">
                  <a href={hrefTo(placeOfPassedOver(row, trace, place))} title="Show it on the timeline">
                    {moment(row.start_ns - trace.start_ns, 1000)}
                  </a>
                </th>
                <td>
                  <NamedThreadText thread={row.thread} />
                </td>
                <td className={styles.number}>{duration(row.end_ns - row.start_ns)}</td>
                <td>CPU {row.queue_cpu}</td>
                <td className={styles.prose}>{row.words}</td>
              </tr>
            ))}
          </tbody>
        </WideTable>
      )}
    </section>
  );
}
