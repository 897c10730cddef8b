// Data quality: what was lost, not observed, not recorded or repaired.

import type { Verdict } from '../../api/types';
import { Icon } from '../../components/Icon';
import { percent, plural } from '../../logic/units';
import styles from './Verdict.module.css';

/** The checks of the data that the verdict rests on, and whether each holds. */
export function checksOf({ data_quality }: Verdict): [boolean, string][] {
  const suspect = data_quality.suspect.length;
  return [
    [suspect === 0, suspect === 0 ? 'Self-checks passed' : `Suspect: ${suspect} of the self-checks failed`],
    [
      data_quality.lost_events === 0,
      data_quality.lost_events === 0 ? 'No event lost' : `${plural(data_quality.lost_events, 'event')} lost`,
    ],
    [data_quality.unobserved_share < 0.01, `${observed(data_quality.unobserved_share)} of the CPU time observed`],
    [
      data_quality.unknown_mask_threads === 0,
      data_quality.unknown_mask_threads === 0
        ? 'Affinity of all threads known'
        : `${plural(data_quality.unknown_mask_threads, 'thread')} with unknown affinity`,
    ],
    eventsCheck('rejected', data_quality.rejected),
    // Kept, although they contradict what was known.
    eventsCheck('contradicting what was known', data_quality.contradictions),
  ];
}

/** What is left of the CPU time without a share of it; all only where nothing is missing. */
function observed(missing: number): string {
  if (missing === 0) return '100 %';
  const left = 1 - missing;
  return left < 0.9995 ? percent(left) : `${(Math.min(Math.floor(left * 10_000), 9_999) / 100).toFixed(2)} %`;
}

/** Whether there are no such events, or how many; the notes below give their reasons. */
function eventsCheck(what: string, byReason: Record<string, number>): [boolean, string] {
  const total = Object.values(byReason).reduce((sum, n) => sum + n, 0);
  return total === 0 ? [true, `No event ${what}`] : [false, `${plural(total, 'event')} ${what}`];
}

export function DataQuality({ verdict }: { verdict: Verdict }) {
  const { notes } = verdict;
  return (
    <div id="data-quality">
      <h2>Data quality</h2>
      <ul className={styles.checks}>
        {checksOf(verdict).map(([good, text]) => (
          <li key={text} className={good ? styles.ok : styles.doubt}>
            <Icon name={good ? 'check' : 'warn'} /> {text}
          </li>
        ))}
      </ul>
      {notes.length > 0 && (
        <ul className={styles.notes}>
          {notes.map((note) => (
            <li key={note}>{note}</li>
          ))}
        </ul>
      )}
    </div>
  );
}
