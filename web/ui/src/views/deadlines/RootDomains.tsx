// The CPUs that tasks share: what they need, what is admitted, what is guaranteed.

import type { Deadlines } from '../../api/types';
import { count, threeDigits } from '../../logic/units';
import styles from './Deadlines.module.css';
import { WideTable } from './WideTable';

export function RootDomains({ data }: { data: Deadlines }) {
  return (
    <section className={`card ${styles.panel}`}>
      <h2>Root domains</h2>
      <p className="muted">
        The set of tasks with the highest utilisation. The tests are sufficient: “no” does not mean that deadlines will
        be missed.
      </p>
      {data.not_covered.length > 0 && <p className="muted">Not tested: {data.not_covered.join('; ')}.</p>}
      <WideTable label="Root domains">
        <thead>
          <tr>
            <th scope="col">CPUs</th>
            <th scope="col" className={styles.number}>
              Tasks
            </th>
            <th scope="col" className={styles.number}>
              Utilisation
            </th>
            <th scope="col">Admission bound</th>
            <th scope="col">Global EDF guarantees it</th>
            <th scope="col">Fits partitioned</th>
          </tr>
        </thead>
        <tbody>
          {data.root_domains.map(({ words, tests, is_deadline_class }) => (
            <tr key={`${words.cpus} ${is_deadline_class}`}>
              <th scope="row">{words.cpus}</th>
              <td className={styles.number}>
                {count(tests.tasks)}
                {!is_deadline_class && ' declared'}
              </td>
              <td className={styles.number}>{threeDigits(tests.utilisation)}</td>
              <td>{words.bound}</td>
              <td>{words.guaranteed}</td>
              <td>{words.partitioned}</td>
            </tr>
          ))}
        </tbody>
      </WideTable>
    </section>
  );
}
