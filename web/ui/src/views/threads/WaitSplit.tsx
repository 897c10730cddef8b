// Why the threads of a cgroup waited: the wait ledger as a bar, a part per reason.

import {
  EXCUSE_WORDS,
  WAIT_REASON,
  WAIT_REASON_SENTENCES,
  WAIT_REASON_WORDS,
  type WaitReason,
} from '../../../../../schemas/ts/schema';
import { duration, percent } from '../../logic/units';
import type { TopRow } from './row';
import styles from './WaitSplit.module.css';

/** A reason and its time, ns. */
export interface WaitPart {
  reason: WaitReason;
  ns: number;
}

/** The parts of a cgroup's waiting, throttled time included, in the order in which reasons are asked for. */
export function partsOf(row: TopRow): WaitPart[] {
  const ns: Record<WaitReason, number | undefined> = {
    own_quota: row.throttled_ns,
    avoidable: row.avoidable_wait_ns,
    confined: row.confined_ns,
    wakeup_latency: row.wakeup_latency_ns,
    interrupts: row.interrupts_ns,
    rt_dl: row.rt_dl_ns,
    kernel_threads: row.kernel_threads_ns,
    own_threads: row.own_threads_ns,
    neighbour: row.neighbour_ns,
    unknown_cgroup: row.unknown_cgroup_ns,
    unknown: row.unknown_ns,
  };
  return WAIT_REASON.map((reason) => ({ reason, ns: ns[reason] ?? 0 })).filter((part) => part.ns > 0);
}

export const waitedNs = (row: TopRow): number => partsOf(row).reduce((sum, part) => sum + part.ns, 0);

/** Which neighbours, which excuses: what a part consists of. */
function detailOf(row: TopRow, reason: WaitReason): string {
  if (reason === 'neighbour')
    return (row.neighbours ?? []).map((n) => `${n.cgroup ?? 'others'} ${duration(n.wait_ns)}`).join(', ');
  if (reason === 'confined')
    return (row.confined_by ?? []).map((part) => `${EXCUSE_WORDS[part.excuse]} ${duration(part.wait_ns)}`).join(', ');
  return '';
}

function sentenceOf(row: TopRow, { reason, ns }: WaitPart, all: number): string {
  const detail = detailOf(row, reason);
  const of = `${WAIT_REASON_WORDS[reason]} ${duration(ns)} (${percent(ns / all)})`;
  return `${of}: ${WAIT_REASON_SENTENCES[reason]}${detail ? `; ${detail}` : ''}`;
}

/** The parts on one scale for all rows. */
export function WaitSplit({ row, most }: { row: TopRow; most: number }) {
  const parts = partsOf(row);
  const all = waitedNs(row);
  const words = parts.map((part) => `${WAIT_REASON_WORDS[part.reason]} ${duration(part.ns)}`).join(', ');
  return (
    <span className={styles.bar} role="img" aria-label={words ? `waited: ${words}` : 'did not wait'}>
      {parts.map((part) => (
        <i
          key={part.reason}
          className={styles[part.reason]}
          style={{ width: `${(part.ns / most) * 100}%` }}
          title={sentenceOf(row, part, all)}
        />
      ))}
    </span>
  );
}

/** The reasons that any of the rows has. */
export function WaitLegend({ rows }: { rows: readonly TopRow[] }) {
  const reasons = new Set(rows.flatMap((row) => partsOf(row).map((part) => part.reason)));
  return (
    <ul className={styles.legend} aria-label="Colours of the reasons">
      {WAIT_REASON.filter((reason) => reasons.has(reason)).map((reason) => (
        <li key={reason} title={WAIT_REASON_SENTENCES[reason]}>
          <i className={styles[reason]} /> {WAIT_REASON_WORDS[reason]}
        </li>
      ))}
    </ul>
  );
}
