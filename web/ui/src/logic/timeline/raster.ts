// A lane as a row of pixels, which the canvas stretches to the lane's height. No allocation per call.

import type { Scheme, Span } from '../place';
import { above, type CpuIntervals, type Tile } from './chunks';
import { distinguishesThreads, loadColour, mix, type Palette, type Pixel } from './colour';
import { nsPerPixel, type PixelSpan } from './timescale';

/** The colour of time of which nothing is said. */
export const blank = ({ scheme, palette, highlight }: Paint): Pixel =>
  distinguishesThreads(scheme) || highlight
    ? palette.idle
    : loadColour(scheme, { busy: 0, unobserved: 0, waiting: 0, wasted: 0 }, palette);

/** What is painted with. */
export interface Paint {
  scheme: Scheme;
  palette: Palette;
  /** Colour of each utid. */
  threads: Uint32Array;
  /** A thread or name is set off: colours of the others are faded, and figures of all threads are not shown. */
  highlight: boolean;
}

/** Figures by pixel, or by bin of a tile. */
type Figures = Readonly<Record<'busy' | 'unobserved' | 'waiting' | 'wasted', Float32Array>>;

/** Pixels of a row, from one to before another. */
export interface CoveredPixels {
  from: number;
  to: number;
}

const mixed = { busy: 0, unobserved: 0, waiting: 0, wasted: 0 };

/**
 * The colours of the figures [low, high) into `out` from `offset` on, where threads are not distinguished. Neighbours are mostly alike: a
 * colour is mixed only where the figures change.
 */
export function mixLoads(
  figures: Figures,
  low: number,
  high: number,
  out: Uint32Array,
  offset: number,
  { scheme, palette }: Paint,
): void {
  mixed.busy = mixed.unobserved = mixed.waiting = mixed.wasted = Number.NaN;
  let colour = 0;
  for (let x = low; x < high; x++) {
    const busy = figures.busy[x] as number;
    const unobserved = figures.unobserved[x] as number;
    const waiting = figures.waiting[x] as number;
    const wasted = figures.wasted[x] as number;
    if (
      busy !== mixed.busy ||
      waiting !== mixed.waiting ||
      wasted !== mixed.wasted ||
      unobserved !== mixed.unobserved
    ) {
      mixed.busy = busy;
      mixed.unobserved = unobserved;
      mixed.waiting = waiting;
      mixed.wasted = wasted;
      colour = loadColour(scheme, mixed, palette);
    }
    out[offset + x] = colour;
  }
}

/** Figures of a lane per pixel, gathered before they become colours. */
export class PixelRow {
  readonly busy: Float32Array;
  readonly unobserved: Float32Array;
  readonly waiting: Float32Array;
  readonly wasted: Float32Array;
  /** Colour of the threads, blended by time; premixed as sums of share × channel. */
  private readonly red: Float32Array;
  private readonly green: Float32Array;
  private readonly blue: Float32Array;
  /** Pixels to which anything was added since they were cleared: from `low` to before `high`. Most CPUs of a large machine are idle. */
  private low: number;
  private high = 0;
  private readonly whole: CoveredPixels;

  constructor(readonly width: number) {
    this.whole = { from: 0, to: width };
    this.busy = new Float32Array(width);
    this.unobserved = new Float32Array(width);
    this.waiting = new Float32Array(width);
    this.wasted = new Float32Array(width);
    this.red = new Float32Array(width);
    this.green = new Float32Array(width);
    this.blue = new Float32Array(width);
    this.low = width;
  }

  /** Clears all figures. Time for which nothing is added afterwards is unobserved. */
  clear(): void {
    if (this.high > this.low)
      for (const values of [this.busy, this.unobserved, this.waiting, this.wasted, this.red, this.green, this.blue])
        values.fill(0, this.low, this.high);
    this.low = this.width;
    this.high = 0;
  }

  /** The figures of waiting threads, to be written anywhere. */
  writableWaiting(): Float32Array {
    this.touch(0, this.width);
    return this.waiting;
  }

  /** Nothing was added to any pixel. */
  get isEmpty(): boolean {
    return this.high <= this.low;
  }

  /** Something is added from one pixel to before another. */
  private touch(from: number, to: number): void {
    if (from < this.low) this.low = Math.max(from, 0);
    if (to > this.high) this.high = Math.min(to, this.width);
  }

  /** Adds a colour with a share (0..1) to a pixel. */
  private tint(x: number, colour: Pixel, share: number): void {
    this.red[x] = (this.red[x] as number) + (colour & 0xff) * share;
    this.green[x] = (this.green[x] as number) + ((colour >> 8) & 0xff) * share;
    this.blue[x] = (this.blue[x] as number) + ((colour >> 16) & 0xff) * share;
  }

  /**
   * A lane of a tile that covers `span`, as far as it lies in `part` (a coarse tile may replace a part only).
   * `weight` is 1 for a lane of one CPU, 1/n for each of n folded ones.
   */
  addTile(tile: Tile, lane: number, span: Span, part: Span, frame: PixelSpan, paint: Paint, weight: number): void {
    const width = (span.end - span.start) / tile.columns;
    const scale = 1 / nsPerPixel(frame);
    const apart = distinguishesThreads(paint.scheme) || paint.highlight;
    const begin = Math.max(frame.start, part.start);
    const end = Math.min(frame.end, part.end);
    const least = Math.max(Math.round((begin - frame.start) * scale), 0);
    const most = Math.min(Math.round((end - frame.start) * scale), this.width);
    const first = Math.max(Math.floor((begin - span.start) / width), 0);
    const last = Math.min(Math.ceil((end - span.start) / width), tile.columns);
    for (let bin = first; bin < last; bin++) {
      const at = lane * tile.columns + bin;
      const left = Math.max(Math.round((span.start + bin * width - frame.start) * scale), least);
      const right = Math.min(Math.round((span.start + (bin + 1) * width - frame.start) * scale), most);
      const busy = (tile.busy[at] as number) * weight;
      const unobserved = (tile.unobserved[at] as number) * weight;
      const waiting = (tile.waiting[at] as number) * weight;
      const wasted = (tile.wasted[at] as number) * weight;
      if (left >= right || (busy === 0 && unobserved === 0 && waiting === 0 && wasted === 0)) continue;
      this.touch(left, right);
      for (let x = left; x < right; x++) {
        this.busy[x] = (this.busy[x] as number) + busy;
        this.unobserved[x] = (this.unobserved[x] as number) + unobserved;
        this.waiting[x] = (this.waiting[x] as number) + waiting;
        this.wasted[x] = (this.wasted[x] as number) + wasted;
        if (apart && busy > 0) this.tintTile(x, tile, at, paint, weight);
      }
    }
  }

  private tintTile(x: number, tile: Tile, at: number, paint: Paint, weight: number): void {
    let rest = tile.busy[at] as number;
    for (let rank = at * 4; rank < at * 4 + 4; rank++) {
      const utid = tile.utids[rank] as number;
      if (utid === 0) break;
      const share = tile.shares[rank] as number;
      this.tint(x, paint.threads[utid] ?? paint.palette.busy, share * weight);
      rest -= share;
    }
    if (rest > 0)
      this.tint(x, mix(paint.palette.busy, paint.palette.idle, paint.highlight ? 0.82 : 0.3), rest * weight);
  }

  /** Adds `amount` to a figure over a time, by the part of each pixel that it covers. */
  add(
    what: 'busy' | 'unobserved' | 'waiting' | 'wasted',
    from: number,
    to: number,
    frame: PixelSpan,
    amount = 1,
  ): void {
    const scale = 1 / nsPerPixel(frame);
    const left = (Math.max(from, frame.start) - frame.start) * scale;
    const right = (Math.min(to, frame.end) - frame.start) * scale;
    if (right > left) this.spread(this[what], left, right, amount);
  }

  /** A thread's run, in its colour where the scheme distinguishes threads. */
  addRun(from: number, to: number, utid: number, frame: PixelSpan, paint: Paint): void {
    this.add('busy', from, to, frame);
    if (!distinguishesThreads(paint.scheme)) return;
    const scale = 1 / nsPerPixel(frame);
    const left = (Math.max(from, frame.start) - frame.start) * scale;
    const right = (Math.min(to, frame.end) - frame.start) * scale;
    if (right > left) this.spreadTint(left, right, paint.threads[utid] ?? paint.palette.busy, 1);
  }

  /** A CPU's slices within `part` of the frame (what the stretch answers for). */
  addSlices(stretch: CpuIntervals, cpu: number, part: Span, frame: PixelSpan, paint: Paint, weight: number): void {
    const low = stretch.first[cpu] ?? 0;
    const high = stretch.first[cpu + 1] ?? low;
    const begin = Math.max(part.start, frame.start);
    const end = Math.min(part.end, frame.end);
    const scale = 1 / nsPerPixel(frame);
    const apart = distinguishesThreads(paint.scheme) || paint.highlight;
    for (let row = Math.max(above(stretch.start, begin, low, high) - 1, low); row < high; row++) {
      const from = Math.max(stretch.start[row] as number, begin);
      if (from >= end) break;
      const to = Math.min(stretch.end[row] as number, end);
      const utid = stretch.utid[row] as number;
      if (to <= from || utid === 0) continue;
      const left = (from - frame.start) * scale;
      const right = (to - frame.start) * scale;
      if (utid < 0) this.spread(this.unobserved, left, right, weight);
      else {
        this.spread(this.busy, left, right, weight);
        if (apart) this.spreadTint(left, right, paint.threads[utid] ?? paint.palette.busy, weight);
      }
    }
  }

  /** Threads that waited on a CPU; intervals may overlap, and start before those after them. */
  addWaits(stretch: CpuIntervals, cpu: number, part: Span, frame: PixelSpan, weight: number): void {
    const low = stretch.first[cpu] ?? 0;
    const high = stretch.first[cpu + 1] ?? low;
    const begin = Math.max(part.start, frame.start);
    const end = Math.min(part.end, frame.end);
    const scale = 1 / nsPerPixel(frame);
    for (let row = low; row < high; row++) {
      const from = Math.max(stretch.start[row] as number, begin);
      if (from >= end) break;
      const to = Math.min(stretch.end[row] as number, end);
      if (to > from) this.spread(this.waiting, (from - frame.start) * scale, (to - frame.start) * scale, weight);
    }
  }

  /** Adds `weight` over [left, right) pixels, by the part of each pixel that is covered. */
  private spread(values: Float32Array, left: number, right: number, weight: number): void {
    const first = Math.floor(left);
    const last = Math.min(Math.floor(right), this.width - 1);
    this.touch(first, last + 1);
    if (first === last) {
      values[first] = (values[first] as number) + (right - left) * weight;
      return;
    }
    values[first] = (values[first] as number) + (first + 1 - left) * weight;
    for (let x = first + 1; x < last; x++) values[x] = (values[x] as number) + weight;
    values[last] = (values[last] as number) + (Math.min(right, this.width) - last) * weight;
  }

  private spreadTint(left: number, right: number, colour: Pixel, weight: number): void {
    const first = Math.floor(left);
    const last = Math.min(Math.floor(right), this.width - 1);
    this.touch(first, last + 1);
    if (first === last) return this.tint(first, colour, (right - left) * weight);
    this.tint(first, colour, (first + 1 - left) * weight);
    for (let x = first + 1; x < last; x++) this.tint(x, colour, weight);
    this.tint(last, colour, (Math.min(right, this.width) - last) * weight);
  }

  /** When a CPU was wasted, within `part` of the frame: to the ns, as the table has it. */
  addWasted(stretch: CpuIntervals, cpu: number, part: Span, frame: PixelSpan, weight: number): void {
    const low = stretch.first[cpu] ?? 0;
    const high = stretch.first[cpu + 1] ?? low;
    const begin = Math.max(part.start, frame.start);
    const end = Math.min(part.end, frame.end);
    const scale = 1 / nsPerPixel(frame);
    for (let row = Math.max(above(stretch.start, begin, low, high) - 1, low); row < high; row++) {
      const from = Math.max(stretch.start[row] as number, begin);
      if (from >= end) break;
      const to = Math.min(stretch.end[row] as number, end);
      if (to > from) this.spread(this.wasted, (from - frame.start) * scale, (to - frame.start) * scale, weight);
    }
  }

  /**
   * Idle time of an episode's idle CPUs, for traces whose tiles lack waste per CPU: `share` of it was wasted. Where
   * episodes overlap the larger share holds.
   */
  addWastedIdle(span: Span, share: number, frame: PixelSpan): void {
    const scale = 1 / nsPerPixel(frame);
    const left = Math.max(Math.round((span.start - frame.start) * scale), 0);
    const right = Math.min(Math.round((span.end - frame.start) * scale), this.width);
    if (left < right) this.touch(left, right);
    for (let x = left; x < right; x++) {
      const idle = Math.max(1 - (this.busy[x] as number) - (this.unobserved[x] as number), 0);
      this.wasted[x] = Math.max(this.wasted[x] as number, idle * share);
    }
  }

  /** The row's colours into `out`, where the row starts at `offset`; of the pixels `from` to before `to` alone. */
  colours(out: Uint32Array, offset: number, paint: Paint, { from, to }: CoveredPixels = this.whole): void {
    const [low, high] = [Math.max(this.low, from), Math.min(this.high, to)];
    if (low > from || high < to) out.fill(blank(paint), offset + from, offset + to);
    if (distinguishesThreads(paint.scheme) || paint.highlight) this.threadColours(low, high, out, offset, paint);
    else mixLoads(this, low, high, out, offset, paint);
  }

  private threadColours(low: number, high: number, out: Uint32Array, offset: number, { palette }: Paint): void {
    for (let x = low; x < high; x++) {
      const rest = Math.max(1 - (this.busy[x] as number), 0);
      const idle = rest > 0 ? mix(palette.idle, palette.wasted, (this.wasted[x] as number) / rest) : palette.idle;
      const red = (this.red[x] as number) + (idle & 0xff) * rest;
      const green = (this.green[x] as number) + ((idle >> 8) & 0xff) * rest;
      const blue = (this.blue[x] as number) + ((idle >> 16) & 0xff) * rest;
      const colour =
        (0xff000000 | (Math.min(blue, 255) << 16) | (Math.min(green, 255) << 8) | Math.min(red, 255)) >>> 0;
      out[offset + x] = mix(colour, palette.unobserved, this.unobserved[x] as number);
    }
  }

  /** Row `depth` of the stack of waiting threads: opaque where more than `depth` wait; clear where none does. */
  stack(out: Uint32Array, offset: number, depth: number, colour: Pixel): void {
    const bare = colour & 0x00ffffff;
    for (let x = 0; x < this.width; x++) {
      const share = Math.min(Math.max((this.waiting[x] as number) - depth, 0), 1);
      out[offset + x] = share === 0 ? 0 : (bare | (Math.round(share * 255) << 24)) >>> 0;
    }
  }
}
