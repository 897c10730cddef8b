// Each task: its parameters, its jobs, what their time went to.

import type { Deadlines, DeadlineTask, TraceSummary } from '../../api/types';
import { count, duration, percent } from '../../logic/units';
import { hrefTo, usePlace } from '../../navigation';
import styles from './Deadlines.module.css';
import { LaxityOverTime } from './LaxityOverTime';
import { NamedThreadText } from './NamedThreadText';
import { placeOfTask } from './places';
import { WideTable } from './WideTable';

/** Ways in which a job spends its time, as the command calls them. */
const USES = {
  run: 'running',
  passed_over: 'passed over',
  late_wake: 'CPU slow to wake',
  earlier_deadlines: 'earlier deadlines',
  confined: 'confined',
  interference: 'interference',
  contention: 'contention',
  blocked: 'blocked',
  throttled: 'throttled',
  unknown: 'not visible',
} as const satisfies Record<keyof DeadlineTask['spent_ns'], string>;

type Use = keyof typeof USES;
const ALL_USES = Object.keys(USES) as Use[];

interface TasksProps {
  trace: TraceSummary;
  data: Deadlines;
  /** There is a timeline to go to: a report has none. */
  linked: boolean;
}

export function Tasks({ trace, data, linked }: TasksProps) {
  const place = usePlace();
  const used = ALL_USES.filter((use) => data.tasks.some(({ spent_ns }) => spent_ns[use] > 0));
  const isDeclared = data.tasks.some(({ parameters }) => parameters === 'declared');
  return (
    <section className={`card ${styles.panel}`}>
      <h2>Tasks</h2>
      <ul className={styles.legend} aria-label="Colours of the time of jobs">
        {used.map((use) => (
          <li key={use}>
            <i data-use={use} /> {USES[use]}
          </li>
        ))}
      </ul>
      <WideTable label="Tasks">
        <thead>
          <tr>
            <th scope="col">Task</th>
            <th scope="col">Runtime/deadline/period</th>
            <th scope="col" className={styles.number}>
              Jobs
            </th>
            <th scope="col" className={styles.number}>
              Missed
            </th>
            <th scope="col" className={styles.number}>
              Late by
            </th>
            <th scope="col" className={styles.number}>
              Least laxity
            </th>
            <th scope="col">Laxity over time</th>
            <th scope="col" className={styles.number}>
              Longest job
            </th>
            <th scope="col" className={styles.number}>
              Throttled
            </th>
            <th scope="col">Time of its jobs</th>
          </tr>
        </thead>
        <tbody>
          {data.tasks.map((task) => (
            <tr key={task.utid}>
              <th scope="row">
                {linked ? (
                  <a
                    href={hrefTo({ ...placeOfTask(task.utid, place), window: null })}
                    title={`Show its jobs on the timeline of ${trace.name}`}
                  >
                    <NamedThreadText thread={task} />
                  </a>
                ) : (
                  <NamedThreadText thread={task} />
                )}
              </th>
              <td>
                {task.words}
                {task.parameters === 'declared' && ' *'}
              </td>
              <td className={styles.number}>{count(task.jobs)}</td>
              <td className={styles.number} data-missed={task.missed > 0}>
                {count(task.missed)}
              </td>
              <td className={styles.number}>{task.missed > 0 ? duration(task.tardiness_max_ns) : ''}</td>
              <td className={styles.number}>
                {task.laxity_min_ns === null ? '–' : duration(task.laxity_min_ns).replace('-', '−')}
              </td>
              <td>
                <LaxityOverTime task={task} start={data.start_ns} end={data.end_ns} />
              </td>
              <td className={styles.number}>{task.jobs > 0 ? duration(task.run_max_ns) : '–'}</td>
              <td className={styles.number}>{count(task.throttles)}</td>
              <td>
                <TimeBar task={task} />
              </td>
            </tr>
          ))}
        </tbody>
      </WideTable>
      {isDeclared && <p className="muted">* declared, not recorded</p>}
    </section>
  );
}

function TimeBar({ task }: { task: DeadlineTask }) {
  const total = ALL_USES.reduce((sum, use) => sum + task.spent_ns[use], 0);
  const some = ALL_USES.filter((use) => task.spent_ns[use] > 0);
  if (some.length === 0) return null;
  const words = some.map((use) => `${USES[use]} ${percent(task.spent_ns[use] / total)}`).join(', ');
  return (
    <span className={styles.uses} role="img" aria-label={words} title={words}>
      {some.map((use) => (
        <i key={use} data-use={use} style={{ width: `${(task.spent_ns[use] / total) * 100}%` }} />
      ))}
    </span>
  );
}
