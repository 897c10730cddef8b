// The headline as the terminal has it, what it rests on and cannot see, and the efficiencies.

import type { ParallelApplication } from '../../api/types';
import { CommandText } from '../../components/CommandText';
import { meaningOf } from '../../logic/glossary';
import { percent } from '../../logic/units';
import styles from './Balance.module.css';

export function Summary({ app }: { app: ParallelApplication }) {
  const { text } = app;
  return (
    <section className={`card ${styles.panel}`} data-state={app.state}>
      <h2 className={styles.sentence}>{text.sentence}</h2>
      <p>
        {text.ranks}. {text.time}
      </p>
      {text.observed && <p className={styles.doubt}>{text.observed}</p>}
      {text.not_visible ? (
        <p className={styles.doubt}>
          <CommandText text={text.not_visible} />
        </p>
      ) : (
        <Metrics app={app} />
      )}
      {text.helpers && <p>{text.helpers}</p>}
      <p className="muted">
        <CommandText text={text.evidence} />
      </p>
    </section>
  );
}

/** The figures of POP, lambda and U: each with what it means. */
function Metrics({ app }: { app: ParallelApplication }) {
  const figures: [name: string, share: number | null, isPart: boolean][] = [
    ['load balance', app.load_balance, true],
    ['communication efficiency', app.communication_efficiency, true],
    ['parallel efficiency', app.parallel_efficiency, true],
    ['lambda', app.lambda, false],
    ['U', app.utilization, true],
  ];
  return (
    <dl className={styles.metrics}>
      {figures.map(([name, share, isPart]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>
            <b>{share === null ? '–' : percent(share)}</b>
            {isPart && share !== null && (
              <span className={styles.gauge} aria-hidden="true">
                <i style={{ width: `${Math.min(share, 1) * 100}%` }} />
              </span>
            )}
            <span className={styles.meaning}>{meaningOf(name)}</span>
          </dd>
        </div>
      ))}
    </dl>
  );
}
