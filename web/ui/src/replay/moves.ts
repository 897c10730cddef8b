// A stretch of the replay: the state of every thread at its start, and every change of state in it, in order of time.
//
// Times are nanoseconds since the trace's start, as doubles: exact up to 104 days of trace.

import { MIGRATION_PATH, THREAD_PHASE, type ThreadPhase } from '../../../../schemas/ts/schema';
import { pathOf } from '../logic/paths';
import type { HolderStretch } from './holders';

/** What a thread does; the codes are those of the trace's `thread_phase`. */
export const PHASES = THREAD_PHASE;
export type Phase = ThreadPhase;

export const RUNNING = 0;
export const RUNNABLE = 1;
export const PREEMPTED = 2;
export const DEAD = 6;
export const THROTTLED = 7;
export const UNKNOWN = 8;

/** Runnable, not running: it is queued on a CPU. So are throttled threads. */
export const waits = (phase: number): boolean => phase === RUNNABLE || phase === PREEMPTED || phase === THROTTLED;
/** It has a place on a CPU: its core or its queue. */
export const placed = (phase: number): boolean => phase <= PREEMPTED || phase === THROTTLED;

/** How a thread came to another CPU: not at all, or by a path of the schema. */
export const PATHS = ['none', ...MIGRATION_PATH] as const;
export type Path = (typeof PATHS)[number];

/** Index into PATHS of the path that the server names. */
export const pathCode = (text: string | null): number =>
  text === null || text === '' ? 0 : PATHS.indexOf(pathOf(text));

/** Columns of threads and what they did, an entry each. */
export interface Keyframe {
  utid: Int32Array;
  phase: Uint8Array;
  /** -1 where no CPU is known. */
  cpu: Int16Array;
  /** When this state started. */
  since: Float64Array;
}

/** Columns of changes, in order of time. */
export interface Changes {
  ts: Float64Array;
  utid: Int32Array;
  phase: Uint8Array;
  /** That it runs or waits on; while it does neither: the one before. -1 unknown. */
  cpu: Int16Array;
  /** Index into PATHS; 0 where the thread stays on its CPU. */
  path: Uint8Array;
}

/** Intervals of constant waste, in order; none between them. */
export interface WasteIntervals {
  start: Float64Array;
  end: Float64Array;
  wasted: Int32Array;
  certain: Int32Array;
}

/** Intervals of CPUs: those in which a CPU was wasted, or was not observed (lost events, offline); in order of their starts. */
export interface CpuSpans {
  cpu: Int16Array;
  start: Float64Array;
  end: Float64Array;
}

export const NO_WASTE: WasteIntervals = {
  start: new Float64Array(0),
  end: new Float64Array(0),
  wasted: new Int32Array(0),
  certain: new Int32Array(0),
};
export const NO_CPU_SPANS: CpuSpans = { cpu: new Int16Array(0), start: new Float64Array(0), end: new Float64Array(0) };

/** Index of the interval of waste that holds an instant; -1 none. */
export function wasteAt(w: WasteIntervals, at: number): number {
  let low = 0;
  let high = w.start.length;
  while (low < high) {
    const mid = (low + high) >>> 1;
    if (w.start[mid]! <= at) low = mid + 1;
    else high = mid;
  }
  return low > 0 && w.end[low - 1]! > at ? low - 1 : -1;
}

/** A keyframe with the changes up to `end`, each with what it replaces, so that it plays both ways. */
export interface Stretch extends Changes {
  start: number;
  end: number;
  keyframe: Keyframe;
  wasPhase: Uint8Array;
  wasCpu: Int16Array;
  wasSince: Float64Array;
  waste: WasteIntervals;
  unobserved: CpuSpans;
  /** At every instant as many as `waste` counts. */
  wastedCpus: CpuSpans;
  /** Holders of declared bubbles and their threads; null where nothing was declared or asked for. */
  holders: HolderStretch | null;
  /** Highest utid named. */
  maxUtid: number;
}

/** Joins a keyframe and the changes after it. Changes outside [start, end) or at the keyframe's own instant are left out. */
export function stretch(
  start: number,
  end: number,
  keyframe: Keyframe,
  all: Changes,
  waste: WasteIntervals = NO_WASTE,
  unobserved: CpuSpans = NO_CPU_SPANS,
  holders: HolderStretch | null = null,
  wastedCpus: CpuSpans = NO_CPU_SPANS,
): Stretch {
  let first = 0;
  let last = all.ts.length;
  while (first < last && all.ts[first]! <= start) first++;
  while (last > first && all.ts[last - 1]! >= end) last--;
  const changes: Changes = {
    ts: all.ts.subarray(first, last),
    utid: all.utid.subarray(first, last),
    phase: all.phase.subarray(first, last),
    cpu: all.cpu.slice(first, last),
    path: all.path.subarray(first, last),
  };
  const n = last - first;
  let maxUtid = 0;
  for (const u of keyframe.utid) if (u > maxUtid) maxUtid = u;
  for (const u of changes.utid) if (u > maxUtid) maxUtid = u;
  const phase = new Uint8Array(maxUtid + 1).fill(UNKNOWN);
  const cpu = new Int16Array(maxUtid + 1).fill(-1);
  const since = new Float64Array(maxUtid + 1).fill(start);
  keyframe.utid.forEach((u, i) => {
    phase[u] = keyframe.phase[i]!;
    cpu[u] = keyframe.cpu[i]!;
    since[u] = keyframe.since[i]!;
  });
  const wasPhase = new Uint8Array(n);
  const wasCpu = new Int16Array(n);
  const wasSince = new Float64Array(n);
  for (let i = 0; i < n; i++) {
    const u = changes.utid[i]!;
    wasPhase[i] = phase[u]!;
    wasCpu[i] = cpu[u]!;
    wasSince[i] = since[u]!;
    if (changes.cpu[i]! < 0 && changes.phase[i] !== DEAD) changes.cpu[i] = cpu[u]!;
    phase[u] = changes.phase[i]!;
    cpu[u] = changes.cpu[i]!;
    since[u] = changes.ts[i]!;
  }
  return {
    start,
    end,
    keyframe,
    ...changes,
    wasPhase,
    wasCpu,
    wasSince,
    waste,
    unobserved,
    wastedCpus,
    holders,
    maxUtid,
  };
}

/** Number of changes at or before `at`, which is the cursor's position at that instant. */
export function cursorAt(s: Changes, at: number): number {
  let low = 0;
  let high = s.ts.length;
  while (low < high) {
    const mid = (low + high) >>> 1;
    if (s.ts[mid]! <= at) low = mid + 1;
    else high = mid;
  }
  return low;
}
