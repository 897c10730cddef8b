// Why the threads of a range waited: the wait ledger of the range, a row per reason.

import { WAIT_REASON_SENTENCES, WAIT_REASON_WORDS } from '../../../../../schemas/ts/schema';
import { ofTrace } from '../../api/client';
import { useJsonKept } from '../../api/hooks';
import type { SelectedReasons, SelectionFigures, TraceSummary } from '../../api/types';
import { duration, percent } from '../../logic/units';
import styles from './RangeWaits.module.css';

type Reason = NonNullable<SelectedReasons['reasons']>[number];

/** Why threads waited, as far as it is known. */
export interface Reasons {
  /** Undefined: not yet. */
  found: SelectedReasons | undefined;
  /** Why it cannot be had. */
  failed?: string | undefined;
  /** It is that of the range before, until this one's is there. */
  isFormer: boolean;
}

/** Why the threads of a range waited. */
export function useReasons(trace: TraceSummary, parameters = ''): Reasons {
  const { data, error, isPlaceholderData } = useJsonKept<SelectedReasons>(
    ofTrace(trace.id, `selection/reasons${parameters}`),
  );
  return { found: data, failed: error?.message, isFormer: isPlaceholderData };
}

interface RangeReasonsProps {
  figures: SelectionFigures;
  reasons: Reasons;
}

export function RangeReasons({ figures, reasons: { found, failed, isFormer } }: RangeReasonsProps) {
  if (failed) return <InShort figures={figures} why={`: ${failed}`} />;
  if (!found) return <InShort figures={figures} why="" />;
  if (!found.reasons)
    return <InShort figures={figures} why=": too many events lie around this range; choose a shorter one" />;
  const all = found.reasons.reduce((sum, row) => sum + row.wait_ns, 0);
  if (all === 0) return null;
  return (
    <>
      <ReasonsTable reasons={found.reasons} all={all} isFormer={isFormer} />
      {found.refuted_ns > 0 && (
        <p className={styles.note}>Of it {duration(found.refuted_ns)} were no wait, by later events.</p>
      )}
    </>
  );
}

interface ReasonsTableProps {
  reasons: readonly Reason[];
  all: number;
  isFormer: boolean;
}

function ReasonsTable({ reasons, all, isFormer }: ReasonsTableProps) {
  return (
    <table className={styles.reasons} aria-label="Why threads waited" aria-busy={isFormer}>
      <thead>
        <tr>
          <th>why</th>
          <th title="All of their time within the range">total</th>
          <th title="Of all waiting within the range">share</th>
        </tr>
      </thead>
      <tbody>
        {reasons.map((row) => (
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
function InShort({ figures, why }: { figures: SelectionFigures; why: string }) {
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
      .{why && others > 0 && ` Which others is not known${why}.`}
    </p>
  );
}
