// Which idle CPUs count as wasted at an instant, as far as the trace's episodes name them.
//
// How many are wasted is known exactly for every instant. Which ones: those that the checker matched with the threads
// that wait right now, the longest wait first; all idle ones where as many are wasted. A short gap that is in no listed
// episode is counted but not marked.

import { placed, RUNNING, wasteAt } from './moves';
import type { Pair } from './paint';
import type { MachineState } from './state';

export interface EpisodeSpan {
  id: number;
  grade: string;
  start: number;
  end: number;
}

/** The pairs of each episode, longest first. */
export type Pairs = ReadonlyMap<number, readonly Pair[]>;

export class Matched {
  /** By CPU: 1 idle while a thread waited that could have run there. */
  readonly wasted: Uint8Array;
  readonly blind: Uint8Array;
  /** Pairs that stand at this instant. */
  readonly pairs: Pair[] = [];
  /** Cores wasted, exactly; and those of them that are certain. */
  count = 0;
  certain = 0;
  private readonly served = new Set<number>();
  private readonly taken = new Set<number>();
  private readonly waiting: Pair[] = [];

  constructor(
    cpus: number,
    private readonly episodes: readonly EpisodeSpan[],
    private readonly of: Pairs,
  ) {
    this.wasted = new Uint8Array(cpus);
    this.blind = new Uint8Array(cpus);
  }

  update(state: MachineState): void {
    const { at, stretch: s } = state;
    this.wasted.fill(0);
    this.blind.fill(0);
    this.pairs.length = 0;
    this.count = 0;
    this.certain = 0;
    if (s === null) return;
    for (let i = 0; i < s.blind.cpu.length; i++) {
      if (s.blind.start[i]! <= at && s.blind.end[i]! > at) this.blind[s.blind.cpu[i]!] = 1;
    }
    const spell = wasteAt(s.waste, at);
    if (spell < 0) return;
    this.count = s.waste.wasted[spell]!;
    this.certain = s.waste.certain[spell]!;
    if (this.count === 0) return;
    let idle = 0;
    for (let c = 0; c < this.wasted.length; c++) if (this.idle(state, c)) idle++;
    if (idle <= this.count) {
      for (let c = 0; c < this.wasted.length; c++) if (this.idle(state, c)) this.wasted[c] = 1;
    }
    this.match(state, idle <= this.count);
  }

  private idle(state: MachineState, c: number): boolean {
    return this.known(c) && this.blind[c] === 0 && state.isIdle(c);
  }

  /** CPU numbers may have holes; those are never idle. */
  known: (cpu: number) => boolean = () => true;

  private match(state: MachineState, all: boolean): void {
    const { waiting, served, taken } = this;
    waiting.length = 0;
    served.clear();
    for (const e of this.episodes) {
      if (e.start > state.at || e.end <= state.at) continue;
      for (const p of this.of.get(e.id) ?? []) {
        const phase = state.phase[p.utid];
        if (phase === undefined || phase === RUNNING || !placed(phase) || state.cpu[p.utid] !== p.waited_on) continue;
        if (this.idle(state, p.idle_cpu)) waiting.push(p);
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
      if (!all) this.wasted[p.idle_cpu] = 1;
    }
  }
}
