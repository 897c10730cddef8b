// The player's clock: wall time into trace time.

import type { Span } from '../logic/place';

/** Trace seconds per wall second, from 1 µs per s to real time. */
export const SPEEDS = [
  1e-6, 2e-6, 5e-6, 1e-5, 2e-5, 5e-5, 1e-4, 2e-4, 5e-4, 1e-3, 2e-3, 5e-3, 1e-2, 2e-2, 5e-2, 0.1, 0.2, 0.5, 1,
];

export interface Clock {
  /** Nanoseconds since the trace's start. */
  at: number;
  speed: number;
  /** 1 forwards, -1 backwards. */
  direction: 1 | -1;
  playing: boolean;
}

/** The clock `wall_ms` later; it stops at the ends of `span`. */
export function tick(c: Clock, wall_ms: number, span: Span): Clock {
  if (!c.playing) return c;
  const at = c.at + wall_ms * 1e6 * c.speed * c.direction;
  if (at >= span.end && c.direction > 0) return { ...c, at: span.end, playing: false };
  if (at <= span.start && c.direction < 0) return { ...c, at: span.start, playing: false };
  return { ...c, at };
}

/** The next faster or slower speed of the list. */
export function nextSpeed(speed: number, by: 1 | -1): number {
  const near = SPEEDS.reduce(
    (best, s, i) => (Math.abs(Math.log(s / speed)) < Math.abs(Math.log(SPEEDS[best]! / speed)) ? i : best),
    0,
  );
  return SPEEDS[Math.min(SPEEDS.length - 1, Math.max(0, near + by))]!;
}

/** `1 : 1 000`, and the time a second of watching shows: `1 ms/s`. */
export function speedName(speed: number): string {
  const per = Math.round(1 / speed);
  return `1 : ${per.toString().replace(/\B(?=(\d{3})+$)/g, ' ')}`;
}
export function speedPerSecond(speed: number): string {
  const ns = speed * 1e9;
  if (ns < 1e6) return `${Math.round(ns / 1e3)} µs per second`;
  if (ns < 1e9) return `${Math.round(ns / 1e6)} ms per second`;
  return 'as fast as it was';
}

/** A speed at which `span_ns` takes about `wall_s` to watch. */
export function speedFor(span_ns: number, wall_s: number): number {
  const wanted = span_ns / 1e9 / wall_s;
  return SPEEDS.reduce(
    (best, s) => (Math.abs(Math.log(s / wanted)) < Math.abs(Math.log(best / wanted)) ? s : best),
    SPEEDS[0]!,
  );
}
