// Data quality: what was lost, not observed, not recorded or repaired.

import type { Verdict } from '../../api/types';
import { Icon } from '../../components/Icon';
import { count, percent } from '../../logic/units';
import styles from './Verdict.module.css';

/** The checks of the data that the verdict rests on, and whether each holds. */
export function checksOf({ data_quality }: Verdict): [boolean, string][] {
  const total = (kinds: Record<string, number>) => Object.values(kinds).reduce((sum, n) => sum + n, 0);
  const suspect = data_quality.suspect.length;
  // Events set aside, and events that were kept although they contradict what was known.
  const kinds = { ...data_quality.rejected, ...data_quality.contradictions };
  const against = total(data_quality.rejected) + total(data_quality.contradictions ?? {});
  const reasons = Object.keys(kinds).sort((a, b) => (kinds[b] ?? 0) - (kinds[a] ?? 0));
  return [
    [suspect === 0, suspect === 0 ? 'Self-checks passed' : `Suspect: ${suspect} of the self-checks failed`],
    [
      data_quality.lost_events === 0,
      data_quality.lost_events === 0 ? 'No event lost' : `${count(data_quality.lost_events)} events lost`,
    ],
    [data_quality.unobserved_share < 0.01, `${percent(1 - data_quality.unobserved_share)} of the CPU time observed`],
    [
      data_quality.unknown_mask_threads === 0,
      data_quality.unknown_mask_threads === 0
        ? 'All masks known'
        : `${count(data_quality.unknown_mask_threads)} threads with unknown masks`,
    ],
    [
      against === 0,
      against === 0
        ? 'No event contradicts another'
        : `${count(against)} contradicting events: ${reasons.map((r) => r.replaceAll('_', ' ')).join(', ')}`,
    ],
  ];
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
