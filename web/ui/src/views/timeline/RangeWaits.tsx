// How the threads of a range waited: after wakeups, after preemptions, without quota; and why.

import { useIdentity } from '../../api/hooks';
import type { SelectionFigures, TraceSummary } from '../../api/types';
import { gapWords } from '../../logic/gaps';
import { count, duration } from '../../logic/units';
import { RangeReasons, type Reasons } from './RangeReasons';
import styles from './RangeWaits.module.css';

const AFTER_WORDS = { wakeup: 'after a wakeup', preemption: 'after a preemption', throttling: 'without quota' };

/** What the waits of a range rest on. */
const NEEDS = {
  needs: { throttled: 'which part of a wait was time without quota is not known' },
  wakeups: 'waits after a wakeup are missing',
};

interface RangeWaitsProps {
  trace: TraceSummary;
  figures: SelectionFigures;
  reasons: Reasons;
}

export function RangeWaits({ trace, figures, reasons }: RangeWaitsProps) {
  const identity = useIdentity(trace.id).data;
  const gaps = identity ? gapWords(identity, NEEDS) : [];
  if (figures.waits.length === 0) return <p className={styles.note}>No thread waited here. {gaps.join('. ')}</p>;
  return (
    <>
      <table className={styles.waits} aria-label="Waits of the range">
        <thead>
          <tr>
            <th>waited</th>
            <th title="Waits of which a part is within the range; one that is moved from queue to queue is one">
              waits
            </th>
            <th title="All of their time within the range">total</th>
            <th title="The longest part within the range">longest</th>
          </tr>
        </thead>
        <tbody>
          {figures.waits.map((row) => (
            <tr key={row.after}>
              <td>{AFTER_WORDS[row.after]}</td>
              <td>{count(row.waits)}</td>
              <td>{duration(row.wait_ns)}</td>
              <td>{duration(row.longest_ns)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <RangeReasons figures={figures} reasons={reasons} />
      {gaps.map((text) => (
        <p key={text} className={styles.note}>
          {text}
        </p>
      ))}
    </>
  );
}
