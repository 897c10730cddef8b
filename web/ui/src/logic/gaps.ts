// What a view does not show since it was not recorded.

import {
  EVIDENCE_KIND,
  EVIDENCE_KIND_OF_EXCUSE,
  EVIDENCE_KIND_WORDS,
  EVIDENCE_STATE_WORDS,
  type EvidenceKind,
} from '../../../../schemas/ts/schema';
import type { Identity, Verdict } from '../api/types';

/** What a view rests on, each with what it does not show without it. */
export interface ViewNeeds {
  needs: Readonly<Partial<Record<EvidenceKind, string>>>;
  /** sched_wakeup. */
  wakeups?: string | undefined;
  /** sched_waking. */
  wakings?: string | undefined;
  /** CPUs that load-balance attempts scanned. */
  attemptScans?: string | undefined;
  /** Interrupt work of CPUs that run a thread, too. */
  interrupts?: string | undefined;
  /** Idle states of CPUs, and their frequencies. */
  idleStates?: string | undefined;
  frequencies?: string | undefined;
}

const IDLE_ONLY = 'an import has that of idle CPUs alone';
const EXCUSES = [...new Set(Object.values(EVIDENCE_KIND_OF_EXCUSE))];

/** How many excuses rest on evidence that a trace lacks, all or in part. */
export function excusesNotRecorded(evidence: Verdict['trace']['evidence']): number {
  const lacking = new Set<string>(evidence.filter(({ state }) => state !== 'recorded').map(({ kind }) => kind));
  return Object.values(EVIDENCE_KIND_OF_EXCUSE).filter((kind) => lacking.has(kind)).length;
}

/** What all excuses rest on, with one consequence. */
export const excuseNeeds = (so: string): ViewNeeds['needs'] => Object.fromEntries(EXCUSES.map((kind) => [kind, so]));

/** What a trace can show of causes, with one consequence. */
export const causeNeeds = (so: string): ViewNeeds['needs'] =>
  Object.fromEntries(EVIDENCE_KIND.filter((kind) => !EXCUSES.includes(kind)).map((kind) => [kind, so]));

/** What a verdict says was not recorded, and what follows from that for its waste and causes; nothing where it lacks nothing. */
export function verdictGaps({ text, trace }: Pick<Verdict, 'text' | 'trace'>): string[] {
  if (!text.not_recorded) return [];
  const absent = trace.evidence.filter(({ state }) => state === 'absent');
  const isExcuse = (kind: string) => (EXCUSES as readonly string[]).includes(kind);
  return [
    text.not_recorded,
    ...(absent.some(({ kind }) => isExcuse(kind))
      ? ['Waste counts where an excuse that was not recorded may have applied.']
      : []),
    ...(absent.some(({ kind }) => !isExcuse(kind)) ? ['Causes that rest on what was not recorded are not known.'] : []),
  ];
}

/** A line for each state and consequence: `Not recorded: load-balance attempts (why), kicks of idle CPUs: none is drawn`. */
export function gapWords(
  identity: Identity,
  { needs, wakeups, wakings, attemptScans, interrupts, idleStates, frequencies }: ViewNeeds,
): string[] {
  const lines = new Map<string, { state: string; so: string; byReason: Map<string, string[]> }>();
  const add = (name: string, state: string, why: string | null, so: string) => {
    const line = lines.get(`${state}/${so}`) ?? { state, so, byReason: new Map() };
    line.byReason.set(why ?? '', [...(line.byReason.get(why ?? '') ?? []), name]);
    lines.set(`${state}/${so}`, line);
  };
  for (const { kind, state, why } of identity.evidence) {
    const so = needs[kind];
    if (so === undefined || state === 'recorded') continue;
    // Of what was recorded in part the view shows that part.
    add(EVIDENCE_KIND_WORDS[kind], EVIDENCE_STATE_WORDS[state], why, state === 'absent' ? so : '');
  }
  if (wakeups && !identity.shows_wakeups) add('sched_wakeup', EVIDENCE_STATE_WORDS.absent, null, wakeups);
  if (wakings && !identity.has_wakings) add('sched_waking', EVIDENCE_STATE_WORDS.absent, null, wakings);
  if (attemptScans && !identity.has_attempt_scans)
    add('CPUs scanned by load-balance attempts', EVIDENCE_STATE_WORDS.absent, null, attemptScans);
  if (idleStates && identity.deepest_idle_state === null)
    add('idle states of CPUs', EVIDENCE_STATE_WORDS.absent, null, idleStates);
  if (frequencies && identity.highest_khz === null)
    add('frequencies of CPUs', EVIDENCE_STATE_WORDS.absent, null, frequencies);
  const isImported = !identity.live && identity.source !== 'simulation';
  if (
    interrupts &&
    isImported &&
    identity.evidence.some(({ kind, state }) => kind === 'irq_busy' && state !== 'absent')
  )
    add('interrupt work of CPUs that run a thread', EVIDENCE_STATE_WORDS.absent, IDLE_ONLY, interrupts);
  return [...lines.values()].map(({ state, so, byReason }) => {
    const names = [...byReason].map(([why, kinds]) => `${kinds.join(', ')}${why ? ` (${why})` : ''}`).join('; ');
    return `${state.charAt(0).toUpperCase()}${state.slice(1)}: ${names}${so ? `: ${so}` : ''}`;
  });
}
