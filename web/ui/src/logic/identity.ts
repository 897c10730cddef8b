// What distinguishes a recording from others, as text.

import {
  EVIDENCE_KIND_OF_EXCUSE,
  EVIDENCE_KIND_WORDS,
  EVIDENCE_LEVEL_WORDS,
  EVIDENCE_STATE,
  type EvidenceKind,
  type EvidenceState,
} from '../../../../schemas/ts/schema';
import type { Identity } from '../api/types';
import { duration, plural } from './units';

/** Value of `trace.source` where no machine was recorded: it has no wall-clock time, host or mode of preemption. */
const SIMULATION = 'simulation';

/** `2026-11-21 17:20:31 UTC`. Null where the wall-clock time of the trace's clock is not known. */
export function wallClock(epoch_ns: number | null, ts_ns: number): string | null {
  if (epoch_ns === null) return null;
  const time = new Date((epoch_ns + ts_ns) / 1e6);
  return Number.isNaN(time.getTime()) ? null : `${time.toISOString().slice(0, 19).replace('T', ' ')} UTC`;
}

/** Start and end of the recording: the end without its date where that is the same. */
export function wallClockSpan({ epoch_ns, start_ns, end_ns }: Identity): string | null {
  const [start, end] = [wallClock(epoch_ns, start_ns), wallClock(epoch_ns, end_ns)];
  if (start === null || end === null) return null;
  return `${start} to ${start.slice(0, 10) === end.slice(0, 10) ? end.slice(11) : end}`;
}

/** `8 CPUs, 2 nodes, 2 LLCs`: what is not known is left out. */
export function shortTopology({ cpus, nodes, caches }: Identity): string {
  const parts = [plural(cpus, 'CPU')];
  if (nodes !== null) parts.push(plural(nodes, 'node'));
  if (caches !== null) parts.push(plural(caches, 'LLC'));
  return parts.join(', ');
}

/** What of the topology the trace does not hold. */
export function unknownTopology({ cores, caches, nodes }: Identity): string[] {
  const counts: [string, number | null][] = [
    ['cores', cores],
    ['last-level caches', caches],
    ['NUMA nodes', nodes],
  ];
  return counts.flatMap(([name, n]) => (n === null ? [name] : []));
}

/** The recording in one line: what the trace holds, and what it does not. */
export function identityLine(identity: Identity): { parts: string[]; missing: string[] } {
  const { epoch_ns, start_ns, end_ns, host, live, command, kernel, preemption, evidence_level } = identity;
  const facts: [string, string | null][] = [
    ['time', wallClock(epoch_ns, start_ns)],
    ['length', duration(end_ns - start_ns)],
    ['host', host],
    // Of other recordings this can be the command line of the import: see the panel.
    ...(live ? [['command', command] as [string, string | null]] : []),
    ['kernel', kernel && `Linux ${kernel}`],
    ['preemption', preemption && `preemption ${preemption}`],
    ['topology', shortTopology(identity)],
    ['evidence', `evidence ${evidence_level}`],
  ];
  const parts = facts.flatMap(([, text]) => (text === null ? [] : [text]));
  if (identity.source === SIMULATION) return { parts: ['simulated', ...parts], missing: [] };
  const missing = facts.flatMap(([name, text]) => (text === null ? [name] : []));
  return { parts, missing: [...missing, ...unknownTopology(identity)] };
}

/** The evidence level in words; itself where this page does not know it. */
export const levelWords = (level: string): string =>
  (EVIDENCE_LEVEL_WORDS as Readonly<Record<string, string>>)[level] ?? level;

const OF_EXCUSES: ReadonlySet<EvidenceKind> = new Set(Object.values(EVIDENCE_KIND_OF_EXCUSE));

interface EvidenceGroup {
  state: EvidenceState;
  /** Why it was not recorded throughout; null where the trace does not say it. */
  why: string | null;
  /** In words. */
  kinds: string[];
}

/** Kinds of evidence by state and reason; `excuses`: those that excuses rest on, else the others. */
export function evidenceGroups({ evidence }: Identity, excuses: boolean): EvidenceGroup[] {
  const groups = new Map<string, EvidenceGroup>();
  for (const { kind, state, why } of evidence) {
    if (OF_EXCUSES.has(kind) !== excuses) continue;
    const key = `${state}/${why}`;
    const group = groups.get(key) ?? { state, why, kinds: [] };
    group.kinds.push(EVIDENCE_KIND_WORDS[kind]);
    groups.set(key, group);
  }
  return [...groups.values()].sort((a, b) => EVIDENCE_STATE.indexOf(a.state) - EVIDENCE_STATE.indexOf(b.state));
}

const END_WORDS: Readonly<Record<string, string>> = {
  command: 'when the command ended',
  duration: 'after the time that was asked for',
  interrupt: 'by an interrupt',
  crash: 'by a crash; recovered',
  disk_full: 'because the disk was full',
  source: 'at the end of its source',
};

/** Why the recording ended, in words. */
export const endWords = (reason: string): string => END_WORDS[reason] ?? reason;
