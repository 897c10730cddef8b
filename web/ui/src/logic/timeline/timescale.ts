// Time against pixels: zooming and panning as functions from span to span. Times in ns, x in CSS pixels.

import type { Span } from '../place';

/** A span shown on so many pixels. */
export interface PixelSpan extends Span {
  width: number;
}

export const toX = (frame: PixelSpan, t: number): number =>
  ((t - frame.start) / (frame.end - frame.start)) * frame.width;
export const toTime = (frame: PixelSpan, x: number): number =>
  frame.start + (x / frame.width) * (frame.end - frame.start);
export const nsPerPixel = (frame: PixelSpan): number => (frame.end - frame.start) / frame.width;

/** The shortest span that can be looked at: single events of a clock of ns. */
export const SHORTEST = 200;

/** The nearest span of at least SHORTEST within `bounds`, of the same length where possible. */
export function clamp(span: Span, bounds: Span): Span {
  const whole = bounds.end - bounds.start;
  const length = Math.min(Math.max(span.end - span.start, Math.min(SHORTEST, whole)), whole);
  const middle = (span.start + span.end) / 2;
  const start = Math.min(
    Math.max(length === span.end - span.start ? span.start : middle - length / 2, bounds.start),
    bounds.end - length,
  );
  return { start, end: start + length };
}

/** `span` shorter by `factor` (longer below 1); what is at `share` (0..1) of it stays where it is. */
export function zoom(span: Span, factor: number, share: number, bounds: Span): Span {
  const length = span.end - span.start;
  const wanted = Math.min(Math.max(length / factor, SHORTEST), bounds.end - bounds.start);
  const start = span.start + (length - wanted) * share;
  return clamp({ start, end: start + wanted }, bounds);
}

/** `span` moved by a share of its length. */
export function pan(span: Span, share: number, bounds: Span): Span {
  const by = (span.end - span.start) * share;
  return clamp({ start: span.start + by, end: span.end + by }, bounds);
}

/** Two fingers: where between them is (a share of the width), and how far apart they are, px. */
export interface Pinch {
  share: number;
  distance: number;
}

/** `span` after two fingers moved: what was between them stays between them, and shrinks or grows with their distance. */
export function pinched(span: Span, from: Pinch, to: Pinch, bounds: Span): Span {
  const length = span.end - span.start;
  const wanted = Math.min(Math.max((length * from.distance) / to.distance, SHORTEST), bounds.end - bounds.start);
  const start = span.start + length * from.share - wanted * to.share;
  return clamp({ start, end: start + wanted }, bounds);
}

export interface Tick {
  t: number;
  label: string;
}

/** Ticks about `spacing` pixels apart at round times after `origin`, with enough digits that neighbouring labels differ. */
export function ticks(frame: PixelSpan, origin: number, spacing = 110): Tick[] {
  const rough = nsPerPixel(frame) * spacing;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = Math.max(([1, 2, 5, 10].find((n) => n * power >= rough) ?? 10) * power, 1);
  const found: Tick[] = [];
  const label = labelFor(Math.max(Math.abs(frame.end - origin), Math.abs(frame.start - origin)), step);
  for (let i = Math.ceil((frame.start - origin) / step); i * step + origin <= frame.end; i++) {
    found.push({ t: origin + i * step, label: i === 0 ? '0' : label(i * step) });
  }
  return found;
}

/** Times since the origin in one unit, with the digits at which steps differ. */
function labelFor(most: number, step: number): (t: number) => string {
  const [unit, name] = UNITS.find(([size]) => most >= size) ?? [1, 'ns'];
  const digits = Math.min(Math.max(Math.ceil(Math.log10(unit / step) - 1e-9), 0), 9);
  return (t) => `${(t / unit).toFixed(digits)} ${name}`;
}

const UNITS: readonly [number, string][] = [
  [1e9, 's'],
  [1e6, 'ms'],
  [1e3, 'µs'],
];
