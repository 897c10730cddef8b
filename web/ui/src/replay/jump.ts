// Jumps to the next event, migration, burst or episode.

import { type BubbleLayout, BurstCounts } from './bubbles';
import { BURST } from './holders';
import { cursorAt, placed, type Stretch, waits } from './moves';
import type { StretchStore } from './store';

/** Whether a change is one of those that are searched for. */
export type ChangeFilter = (s: Stretch, index: number) => boolean;

export const isChange: ChangeFilter = () => true;
export const isMigration: ChangeFilter = (s, i) => s.path[i] !== 0;
/** A change of one thread. */
export const changeOf =
  (utid: number): ChangeFilter =>
  (s, i) =>
    s.utid[i] === utid;
/** A thread starts to wait. */
export const isWaitStart: ChangeFilter = (s, i) => waits(s.phase[i]!) && !waits(s.wasPhase[i]!);

/** Instant of the next wanted change strictly after (before) `at` in a stretch; null none. */
export function nextIn(s: Stretch, at: number, direction: 1 | -1, wanted: ChangeFilter): number | null {
  if (direction > 0) {
    for (let i = cursorAt(s, at); i < s.ts.length; i++) if (wanted(s, i)) return s.ts[i]!;
    return null;
  }
  for (let i = cursorAt(s, at) - 1; i >= 0; i--) if (s.ts[i]! < at && wanted(s, i)) return s.ts[i]!;
  return null;
}

/** Finds an instant strictly after (before) `at` in a stretch; null none. */
export type Finder = (s: Stretch, at: number, direction: 1 | -1) => number | null;

/** The next wanted change over all stretches; looks into `most` of them. */
export const nextMark = (store: StretchStore, at: number, direction: 1 | -1, wanted: ChangeFilter, most = 64) =>
  nextOf(store, at, direction, (s, from, d) => nextIn(s, from, d, wanted), most);

/** The next instant that `find` returns, over at most `most` stretches. */
export async function nextOf(
  store: StretchStore,
  at: number,
  direction: 1 | -1,
  find: Finder,
  most = 64,
): Promise<number | null> {
  let s = await store.get(at);
  // The first instant of a stretch belongs to its keyframe; going back, what is wanted may lie before it.
  for (let i = 0; i < most && s !== null; i++) {
    const found = find(s, at, direction);
    if (found !== null) return found;
    const next: Stretch | null = await store.get(direction > 0 ? s.end : s.start - 1);
    if (next === null || next.start === s.start) return null;
    s = next;
  }
  return null;
}

/** A declared bubble bursts or is put together again. */
export const declaredBurst: Finder = (s, at, direction) => {
  const m = s.holders?.moves;
  if (m === undefined) return null;
  const bursts = (i: number): boolean => m.bubble[i]! >= 0 && (m.state[i] === BURST) !== (m.wasState[i] === BURST);
  const n = m.ts.length;
  for (let k = 0; k < n; k++) {
    const i = direction > 0 ? k : n - 1 - k;
    if (bursts(i) && (direction > 0 ? m.ts[i]! > at : m.ts[i]! < at)) return m.ts[i]!;
  }
  return null;
};

/** The next start of an episode after (before) `at`. */
export function nextStart(starts: readonly number[], at: number, direction: 1 | -1): number | null {
  let best: number | null = null;
  for (const b of starts) {
    if (direction > 0 ? b > at : b < at) if (best === null || (direction > 0 ? b < best : b > best)) best = b;
  }
  return best;
}

/** A bubble bursts or closes. */
export function burstOf(bubbleLayout: BubbleLayout): ChangeFilter {
  const known = new WeakMap<Stretch, Uint8Array>();
  return (s, i) => {
    let found = known.get(s);
    if (found === undefined) {
      found = burstsIn(s, bubbleLayout);
      known.set(s, found);
    }
    return found[i] === 1;
  };
}

function burstsIn(s: Stretch, bubbleLayout: BubbleLayout): Uint8Array {
  const outside = new BurstCounts(bubbleLayout);
  s.keyframe.utid.forEach((u, i) => {
    if (placed(s.keyframe.phase[i]!)) outside.change(u, 1);
  });
  const found = new Uint8Array(s.ts.length);
  for (let i = 0; i < found.length; i++) {
    const was = placed(s.wasPhase[i]!);
    const is = placed(s.phase[i]!);
    if (was !== is && outside.change(s.utid[i]!, is ? 1 : -1) >= 0) found[i] = 1;
  }
  return found;
}
