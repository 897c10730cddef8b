// How the threads of a range waited: after wakeups, after preemptions, without quota; and what is known of why, within the range.

import { WAIT_REASON_WORDS } from '../../../../../schemas/ts/schema';
import { useIdentity } from '../../api/hooks';
import type { SelectionFigures, TraceSummary } from '../../api/types';
import { gapWords } from '../../logic/gaps';
import { count, duration, percent } from '../../logic/units';
import { hrefTo } from '../../navigation';
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
  /** There are other views to lead to: not in a report. */
  linked?: boolean;
}

export function RangeWaits({ trace, figures, linked = true }: RangeWaitsProps) {
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
      <Reasons figures={figures} linked={linked} />
      {gaps.map((text) => (
        <p key={text} className={styles.note}>
          {text}
        </p>
      ))}
    </>
  );
}

/** The reasons of the wait ledger that the tables have with their times; of the others the ledger has sums of the whole trace. */
function Reasons({ figures, linked }: { figures: SelectionFigures; linked: boolean }) {
  const quota = figures.waits.find((row) => row.after === 'throttling')?.wait_ns ?? 0;
  const avoidable = figures.threads.reduce((sum, thread) => sum + thread.avoidable_ns, 0);
  const others = Math.max(figures.wait_ns - avoidable, 0);
  const all = Math.max(quota + avoidable + others, 1);
  const parts: [string, number][] = [
    [WAIT_REASON_WORDS.own_quota, quota],
    [WAIT_REASON_WORDS.avoidable, avoidable],
    ['for other reasons', others],
  ];
  return (
    <p className={styles.note}>
      Why:{' '}
      {parts
        .filter(([, ns]) => ns > 0)
        .map(([name, ns]) => `${name} ${percent(ns / all)} (${duration(ns)})`)
        .join(', ')}
      .
      {others > 0 && (
        <>
          {' '}
          Which other reasons is known for the whole trace alone,{' '}
          {linked ? <a href={ledger()}>by cgroup</a> : 'by cgroup'}.
        </>
      )}
    </p>
  );
}

const ledger = () => hrefTo({ view: 'threads', params: { by: 'cgroup' } });
