// Where evidence of a view was not recorded: a line that says which, why, and what the view does not show for that.

import type { ReactNode } from 'react';
import type { EvidenceKind } from '../../../../schemas/ts/schema';
import { useIdentity } from '../api/hooks';
import type { TraceSummary, Verdict } from '../api/types';
import { gapWords, verdictGaps } from '../logic/gaps';
import styles from './EvidenceGaps.module.css';
import { Icon } from './Icon';

interface EvidenceGapsProps {
  trace: TraceSummary;
  /** Kinds of evidence that the view rests on, each with what it does not show without it. */
  needs: Readonly<Partial<Record<EvidenceKind, string>>>;
  /** What it is said of, where a page says it of several. */
  of?: string;
  /** The view rests on wakeups: without sched_wakeup, without sched_waking. */
  wakeups?: string;
  wakings?: string;
  /** It rests on CPUs that load-balance attempts scanned, and on the interrupt work of all CPUs. */
  attemptScans?: string;
  interrupts?: string;
  /** It rests on idle states, on frequencies of CPUs. */
  idleStates?: string;
  frequencies?: string;
}

/** Nothing where all of it was recorded, and while that is asked for; where the answer is refused, that it is not known. */
export function EvidenceGaps({ trace, of, ...needs }: EvidenceGapsProps) {
  const { data, error } = useIdentity(trace.id);
  const unknown = error === null ? [] : [`What was not recorded is not known: ${error.message}`];
  const gaps = data ? gapWords(data, needs) : unknown;
  return <GapList lines={gaps} of={of} />;
}

/** What the verdict of a trace lacks. */
export function VerdictGaps({ verdict, of }: { verdict: Verdict; of?: string }) {
  return <GapList lines={verdictGaps(verdict)} of={of} />;
}

export function GapList({ lines, of }: { lines: readonly ReactNode[]; of?: string | undefined }) {
  if (lines.length === 0) return null;
  return (
    <aside className={styles.gaps} aria-label={of ? `What was not recorded: ${of}` : 'What was not recorded'}>
      <Icon name="warn" />
      <ul>
        {lines.map((line, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: lines of one fixed list
          <li key={index}>{line}</li>
        ))}
      </ul>
    </aside>
  );
}
