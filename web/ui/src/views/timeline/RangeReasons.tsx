// Why the threads of a range waited: the wait ledger of the range, a row per reason.

import { WAIT_REASON_SENTENCES, WAIT_REASON_WORDS } from '../../../../../schemas/ts/schema';
import type { SelectedReasons, SelectionFigures } from '../../api/types';
import { duration, percent } from '../../logic/units';
import styles from './RangeWaits.module.css';

type Reason = NonNullable<SelectedReasons['reasons']>[number];

interface RangeReasonsProps {
  figures: SelectionFigures;
  /** Undefined: not known yet. */
  found: SelectedReasons | undefined;
}

export function RangeReasons({ figures, found }: RangeReasonsProps) {
  if (!found?.reasons) return <InShort figures={figures} tooMany={found !== undefined} />;
  const all = found.reasons.reduce((sum, row) => sum + row.wait_ns, 0);
  if (all === 0) return null;
  return (
    <table className={styles.reasons} aria-label="Why threads waited">
      <thead>
        <tr>
          <th>why</th>
          <th title="All of their time within the range">total</th>
          <th title="Of all waiting within the range">share</th>
        </tr>
      </thead>
      <tbody>
        {found.reasons.map((row) => (
          <tr key={row.reason}>
            <td>
              <span title={WAIT_REASON_SENTENCES[row.reason]}>{WAIT_REASON_WORDS[row.reason]}</span>
              {row.of.length > 0 && <small>{partsOf(row)}</small>}
            </td>
            <td>{duration(row.wait_ns)}</td>
            <td>{percent(row.wait_ns / all)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** Which excuses, or cgroups that ran meanwhile, the longest first. */
function partsOf({ of, others }: Reason): string {
  const named = of.map((part) => `${part.name} ${duration(part.wait_ns)}`).join(', ');
  return others > 0 ? `${named}, ${others} more` : named;
}

/** What the statistics of a range have of it without a walk over its events. */
function InShort({ figures, tooMany }: { figures: SelectionFigures; tooMany: boolean }) {
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
      .{tooMany && others > 0 && ' Which others: too many events lie around this range; choose a shorter one.'}
    </p>
  );
}
