// The window of the timeline that shows a wait, or another span, with some time before and after it.

import type { Span } from './place';

/** A quarter of its length on each side, at least 10 µs, within the trace. */
export function windowAround(start: number, length: number, trace: { start_ns: number; end_ns: number }): Span {
  const margin = Math.max(length / 4, 10_000);
  return {
    start: Math.max(Math.round(start - margin), trace.start_ns),
    end: Math.min(Math.round(start + length + margin), trace.end_ns),
  };
}
