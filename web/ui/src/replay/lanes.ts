// Stretches as lanes: for each CPU which thread ran when, and how many waited.

import type { Span } from '../logic/place';
import type { Stretch } from './moves';
import { MachineState } from './state';

export interface CpuLane {
  cpu: number;
  /** Runs, in order: [start, end, utid] each. */
  runs: [number, number, number][];
  /** Intervals with a thread on the queue: [start, end, threads] each. */
  queue: [number, number, number][];
}

/** Lanes of some CPUs over `span`, from the stretches that cover it, in order. */
export function lanesOf(stretches: readonly Stretch[], cpus: readonly number[], span: Span): CpuLane[] {
  const most = cpus.reduce((m, c) => Math.max(m, c), 0);
  const state = new MachineState(most + 1);
  const lanes = cpus.map((cpu): CpuLane => ({ cpu, runs: [], queue: [] }));
  const since = new Float64Array(lanes.length).fill(span.start);
  const runner = new Int32Array(lanes.length).fill(-1);
  const waitSince = new Float64Array(lanes.length).fill(span.start);
  const waiting = new Int32Array(lanes.length);
  const note = (at: number): void => {
    for (let i = 0; i < lanes.length; i++) {
      const lane = lanes[i]!;
      const now = state.running[lane.cpu]!;
      if (now !== runner[i]) {
        if (runner[i]! >= 0 && at > since[i]!) lane.runs.push([since[i]!, at, runner[i]!]);
        runner[i] = now;
        since[i] = at;
      }
      const n = state.queued[lane.cpu]!;
      if (n !== waiting[i]) {
        if (waiting[i]! > 0 && at > waitSince[i]!) lane.queue.push([waitSince[i]!, at, waiting[i]!]);
        waiting[i] = n;
        waitSince[i] = at;
      }
    }
  };
  for (const s of stretches) {
    if (s.end <= span.start || s.start >= span.end) continue;
    state.load(s);
    state.moveTo(Math.max(s.start, span.start));
    note(Math.max(s.start, span.start));
    for (let i = state.cursor; i < s.ts.length && s.ts[i]! < span.end; i++) {
      if (i + 1 < s.ts.length && s.ts[i + 1] === s.ts[i]) continue;
      state.moveTo(s.ts[i]!);
      note(s.ts[i]!);
    }
  }
  for (let i = 0; i < lanes.length; i++) {
    const lane = lanes[i]!;
    if (runner[i]! >= 0 && span.end > since[i]!) lane.runs.push([since[i]!, span.end, runner[i]!]);
    if (waiting[i]! > 0 && span.end > waitSince[i]!) lane.queue.push([waitSince[i]!, span.end, waiting[i]!]);
  }
  return lanes;
}
