// The window of the strip by keys: moved, made wider and narrower.

import type { Span } from '../../logic/place';

interface Bounds {
  start_ns: number;
  end_ns: number;
}

/** Shortest window that keys make, ns. */
const LEAST = 1000;
const GROWTH = 1.25;

/** Windows that a key moves by: of its length. */
const STEPS: Readonly<Record<string, number>> = {
  ArrowLeft: -0.25,
  ArrowDown: -0.25,
  ArrowRight: 0.25,
  ArrowUp: 0.25,
  PageDown: -1,
  PageUp: 1,
  Home: Number.NEGATIVE_INFINITY,
  End: Number.POSITIVE_INFINITY,
};

/** The window after a key (null: the whole trace); null for a key that does nothing. With Shift, arrows change its length. */
export function windowByKey(window: Span | null, key: string, shift: boolean, trace: Bounds): Span | null {
  const step = STEPS[key];
  if (step === undefined || (shift && !key.startsWith('Arrow'))) return null;
  const whole = trace.end_ns - trace.start_ns;
  if (shift) {
    const { start, end } = window ?? { start: trace.start_ns, end: trace.end_ns };
    const long = Math.max((end - start) * (step > 0 ? GROWTH : 1 / GROWTH), LEAST);
    return placed((start + end - long) / 2, long, trace);
  }
  // The whole trace cannot be moved: the first key takes a tenth of it, at the end that the key comes from.
  if (!window) return placed(step > 0 === Number.isFinite(step) ? trace.start_ns : trace.end_ns, whole / 10, trace);
  const long = window.end - window.start;
  return placed(Number.isFinite(step) ? window.start + step * long : step * whole, long, trace);
}

/** A window of that length, whole ns, within the trace. */
function placed(start: number, long: number, trace: Bounds): Span {
  const length = Math.min(Math.max(Math.round(long), 1), trace.end_ns - trace.start_ns);
  const first = Math.min(Math.max(Math.round(start), trace.start_ns), trace.end_ns - length);
  return { start: first, end: first + length };
}
