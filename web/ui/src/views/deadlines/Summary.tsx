// The headline, the figures, and the faults that occurred with what to change.

import type { Deadlines } from '../../api/types';
import { count } from '../../logic/units';
import styles from './Deadlines.module.css';
import { WideTable } from './WideTable';

/** The first sentence of a text, and what follows. */
function sentences(text: string): [string, string] {
  const end = text.indexOf('. ') + 1;
  return end === 0 ? [text, ''] : [text.slice(0, end), text.slice(end + 1)];
}

export function Summary({ data }: { data: Deadlines }) {
  const [first, rest] = sentences(data.headline);
  return (
    <section className={`card ${styles.panel}`}>
      <h2 className={styles.sentence}>{first}</h2>
      {rest && <p className="muted">{rest}</p>}
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
