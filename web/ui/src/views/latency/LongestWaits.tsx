// The longest waits, each with the way to its place on the timeline and the thread that ran meanwhile.

import type { LongWait, TraceSummary } from '../../api/types';
import { duration, moment, percent } from '../../logic/units';
import { windowAround } from '../../logic/windowAround';
import { hrefTo } from '../../navigation';
import styles from './Latency.module.css';

interface LongestWaitsProps {
  trace: TraceSummary;
  waits: readonly LongWait[];
  /** The group whose waits they are; else those of all. */
  of?: string;
  /** There is a timeline to lead to: not in a report. */
  linked?: boolean;
}

export function LongestWaits({ trace, waits, of, linked = true }: LongestWaitsProps) {
  return (
    <table className={styles.table} aria-label={of ? `Longest waits of ${of}` : 'Longest waits'}>
      <thead>
        <tr>
          <th scope="col">At</th>
          <th scope="col">Thread</th>
          <th scope="col">Wait</th>
          <th scope="col">After a</th>
          <th scope="col">Waited on</th>
          <th scope="col">Ran on</th>
          <th scope="col" title="The thread that ran longest on the CPU where the wait started, while it lasted">
            Ran there meanwhile
          </th>
        </tr>
      </thead>
      <tbody>
        {waits.map((wait) => (
          <tr key={`${wait.utid}/${wait.start_ns}`}>
            <td>
              {linked ? (
                <a
                  href={hrefTo({
                    view: 'timeline',
                    window: windowAround(wait.start_ns, wait.dur_ns, trace),
                    utid: wait.utid,
                    scheme: 'thread',
                  })}
                  title="Show it on the timeline"
                >
                  {moment(wait.at_ns, 1e3)}
                </a>
              ) : (
                moment(wait.at_ns, 1e3)
              )}
            </td>
            <td>
              {wait.name ?? 'unknown'} <span className="muted">{wait.tid}</span>
            </td>
            <td className={styles.number}>
              {duration(wait.dur_ns)}
              {wait.is_cut && <span className="muted"> or more</span>}
            </td>
            <td>{wait.waited_after}</td>
            <td className={styles.number}>{wait.cpu === null ? '' : `CPU ${wait.cpu}`}</td>
            <td className={styles.number}>{wait.ran_on === null ? '' : `CPU ${wait.ran_on}`}</td>
            <td>{meanwhile(wait)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function meanwhile(wait: LongWait): string {
  if (wait.antagonist_ns === null) return '';
  return `${wait.antagonist ?? `tid ${wait.antagonist_tid}`}, ${percent(wait.antagonist_ns / wait.dur_ns)} of it`;
}
