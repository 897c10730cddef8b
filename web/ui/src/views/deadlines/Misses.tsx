// The worst misses: when, by how much, whose fault; each leads to its place on the timeline.

import type { Deadlines, MissedDeadline, TraceSummary } from '../../api/types';
import { count, duration, moment } from '../../logic/units';
import { hrefTo, usePlace } from '../../navigation';
import styles from './Deadlines.module.css';
import { NamedThreadText } from './NamedThreadText';
import { placeOfMiss } from './places';
import { WideTable } from './WideTable';

/** Rows before the rest is asked for. */
const SHOWN = 25;

interface MissesProps {
  trace: TraceSummary;
  data: Deadlines;
  /** There is a timeline to go to: a report has none. */
  linked: boolean;
}

export function Misses({ trace, data, linked }: MissesProps) {
  const { params } = usePlace();
  const all = params.misses === 'all' || !linked;
  const rows = all ? data.misses : data.misses.slice(0, SHOWN);
  return (
    <section className={`card ${styles.panel}`}>
      <h2>Worst misses</h2>
      {linked && (
        <p className="muted no-print">
          A row leads to the job on the timeline, with the lane of its thread: ↑ is its release, ↓ its deadline, ● its
          end.
        </p>
      )}
      <WideTable label="Worst misses">
        <thead>
          <tr>
            <th scope="col">Deadline at</th>
            <th scope="col">Task</th>
            <th scope="col" className={styles.number}>
              Late by
            </th>
            <th scope="col">Fault</th>
            <th scope="col">Most of it</th>
          </tr>
        </thead>
        <tbody>
          {rows.map((miss) => (
            <MissRow key={`${miss.thread.utid}@${miss.activation_ns}`} miss={miss} trace={trace} linked={linked} />
          ))}
        </tbody>
      </WideTable>
      {(data.missed > rows.length || rows.length < data.misses.length) && (
        <p className="muted">
          The {count(rows.length)} with most tardiness of {count(data.missed)}.{' '}
          {rows.length < data.misses.length && (
            <a href={hrefTo({ params: { ...params, misses: 'all' } })}>Show {count(data.misses.length)}</a>
          )}{' '}
          {data.missed > data.misses.length && (
            <>
              <code>wastenot deadlines --jobs FILE</code> writes all.
            </>
          )}
        </p>
      )}
    </section>
  );
}

function MissRow({ miss, trace, linked }: { miss: MissedDeadline; trace: TraceSummary; linked: boolean }) {
  const place = usePlace();
  const at = moment(miss.deadline_ns - trace.start_ns, 1000);
  return (
    <tr>
      <th scope="row">
        {linked ? (
          <a href={hrefTo(placeOfMiss(miss, trace, place))} title="Show the job on the timeline">
            {at}
          </a>
        ) : (
          at
        )}
      </th>
      <td>
        <NamedThreadText thread={miss.thread} />
      </td>
      <td className={styles.number}>
        {miss.end_ns === null && '≥ '}
        {duration(miss.tardiness_ns)}
      </td>
      <td>{miss.fault_words}</td>
      <td className={styles.prose} title={miss.kept_by.map(({ words }) => words).join('\n')}>
        {miss.loss_words}
      </td>
    </tr>
  );
}
