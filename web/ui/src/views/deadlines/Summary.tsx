// The headline, the figures, and the faults that occurred with what to change.

import type { Deadlines } from '../../api/types';
import { count } from '../../logic/units';
import styles from './Deadlines.module.css';
import { WideTable } from './WideTable';

export function Summary({ data }: { data: Deadlines }) {
  return (
    <section className={`card ${styles.panel}`}>
      <h2 className={styles.sentence}>{data.headline}</h2>
      {data.figures.length > 0 && (
        <dl className={styles.figures}>
          {data.figures.map(({ name, value }) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ))}
        </dl>
      )}
      {data.faults_found.length > 0 && (
        <WideTable label="Faults">
          <thead>
            <tr>
              <th scope="col">Fault</th>
              <th scope="col" className={styles.number}>
                Misses
              </th>
              <th scope="col">What it says</th>
              <th scope="col">To check or change</th>
            </tr>
          </thead>
          <tbody>
            {data.faults_found.map((fault) => (
              <tr key={fault.fault}>
                <th scope="row">{fault.words}</th>
                <td className={styles.number}>{count(fault.count)}</td>
                <td className={styles.prose}>{fault.sentence}</td>
                <td className={styles.prose}>{fault.repair}</td>
              </tr>
            ))}
          </tbody>
        </WideTable>
      )}
    </section>
  );
}
