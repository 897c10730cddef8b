// Which CPUs are wasted at an instant, and which threads wait beside them.
//
// Both how many and which are those of the trace's tables (`wasted`, `wasted_cpu`), for every instant. Which thread waited for which
// of them is known within the listed episodes: the checker's pairs whose thread waits right now, the longest wait first.

import type { MatchedPair } from './frame';
import { placed, RUNNING, wasteAt } from './moves';
import type { MachineState } from './state';

export interface EpisodeSpan {
  id: number;
  grade: string;
  start: number;
  end: number;
}

/** The pairs of each episode, longest first. */
export type MatchedPairs = ReadonlyMap<number, readonly MatchedPair[]>;

export class WasteMatch {
  /** By CPU: 1 idle while a thread waited that could have run there. */
  readonly wasted: Uint8Array;
  readonly unobserved: Uint8Array;
  /** Pairs that hold at this instant. */
  readonly pairs: MatchedPair[] = [];
  /** Cores wasted, exactly; and those of them that are certain. */
  count = 0;
  certain = 0;
  private readonly served = new Set<number>();
  private readonly taken = new Set<number>();
  private readonly waiting: MatchedPair[] = [];

  constructor(
    cpus: number,
    private readonly episodes: readonly EpisodeSpan[],
    private readonly of: MatchedPairs,
  ) {
    this.wasted = new Uint8Array(cpus);
    this.unobserved = new Uint8Array(cpus);
  }

  update(state: MachineState): void {
    const { at, stretch: s } = state;
    this.wasted.fill(0);
    this.unobserved.fill(0);
    this.pairs.length = 0;
    this.count = 0;
    this.certain = 0;
    if (s === null) return;
    for (let i = 0; i < s.unobserved.cpu.length; i++) {
      if (s.unobserved.start[i]! <= at && s.unobserved.end[i]! > at) this.unobserved[s.unobserved.cpu[i]!] = 1;
    }
    const interval = wasteAt(s.waste, at);
    if (interval < 0) return;
    this.count = s.waste.wasted[interval]!;
    this.certain = s.waste.certain[interval]!;
    const { cpu, start, end } = s.wastedCpus;
    for (let i = 0; i < cpu.length; i++) {
      if (start[i]! > at) break;
      if (end[i]! > at) this.wasted[cpu[i]!] = 1;
    }
    if (this.count > 0) this.match(state);
  }

  private match(state: MachineState): void {
    const { waiting, served, taken } = this;
    waiting.length = 0;
    served.clear();
    for (const e of this.episodes) {
      if (e.start > state.at || e.end <= state.at) continue;
      for (const p of this.of.get(e.id) ?? []) {
        const phase = state.phase[p.utid];
        if (phase === undefined || phase === RUNNING || !placed(phase) || state.cpu[p.utid] !== p.waited_on) continue;
        if (this.wasted[p.idle_cpu] === 1) waiting.push(p);
      }
    }
    waiting.sort((a, b) => state.since[a.utid]! - state.since[b.utid]! || a.utid - b.utid);
    taken.clear();
    for (const p of waiting) {
      if (this.pairs.length >= this.count) break;
      if (served.has(p.utid) || taken.has(p.idle_cpu)) continue;
      served.add(p.utid);
      taken.add(p.idle_cpu);
      this.pairs.push(p);
    }
  }
}

/** How many of some CPUs run a thread, are idle and not wasted, or are not observed: with the wasted ones they are all. */
export function partsOf(
  state: MachineState,
  wasteMatch: Pick<WasteMatch, 'wasted' | 'unobserved'>,
  cpus: readonly number[],
): { busy: number; idle: number; unobserved: number } {
  const parts = { busy: 0, idle: 0, unobserved: 0 };
  for (const cpu of cpus) {
    if (wasteMatch.wasted[cpu]) continue;
    if (wasteMatch.unobserved[cpu]) parts.unobserved++;
    else if (state.running[cpu]! >= 0) parts.busy++;
    else parts.idle++;
  }
  return parts;
}
