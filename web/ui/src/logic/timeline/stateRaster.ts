// A lane of threads as a row of pixels: the states of one thread, or how many threads of a group ran. No allocation per call.

import type { Span } from '../place';
import { above, type LaneStates, type LaneTile } from './chunks';
import { mix, type Palette, type Pixel, ramp } from './colour';
import { nsPerPixel, type PixelSpan } from './timescale';

/** States that are distinguished, in the order in which they are drawn. */
export const LANE_STATES = ['running', 'waiting', 'blocked', 'stopped', 'throttled', 'sleeping'] as const;
export type LaneState = (typeof LANE_STATES)[number];

/** The state of each code of `thread_phase`; what is dead or not known has none. */
export const STATE_OF_PHASE: readonly (LaneState | null)[] = [
  'running',
  'waiting',
  'waiting',
  'sleeping',
  'blocked',
  'stopped',
  null,
  'throttled',
  null,
];

/** A run or wait is drawn with at least this share of a pixel: else a thread that runs briefly would look asleep. */
const LEAST = 0.35;

export class StateRow {
  private readonly shares: Record<LaneState, Float32Array>;

  constructor(readonly width: number) {
    const row = () => new Float32Array(width);
    this.shares = { running: row(), waiting: row(), blocked: row(), stopped: row(), throttled: row(), sleeping: row() };
  }

  clear(): void {
    for (const state of LANE_STATES) this.shares[state].fill(0);
  }

  /** Threads in a state at a pixel, on average. */
  at(state: LaneState, x: number): number {
    return this.shares[state][x] as number;
  }

  /** A lane of a tile that covers `span`, as far as it lies in `part` (a coarse tile may replace a part only). */
  addTile(tile: LaneTile, lane: number, span: Span, part: Span, frame: PixelSpan): void {
    const width = (span.end - span.start) / tile.columns;
    const scale = 1 / nsPerPixel(frame);
    const begin = Math.max(frame.start, part.start);
    const end = Math.min(frame.end, part.end);
    const least = Math.max(Math.round((begin - frame.start) * scale), 0);
    const most = Math.min(Math.round((end - frame.start) * scale), this.width);
    const first = Math.max(Math.floor((begin - span.start) / width), 0);
    const last = Math.min(Math.ceil((end - span.start) / width), tile.columns);
    for (const state of LANE_STATES) {
      const [from, to] = [tile[state], this.shares[state]];
      for (let bin = first; bin < last; bin++) {
        const value = from[lane * tile.columns + bin] as number;
        if (value === 0) continue;
        const left = Math.max(Math.round((span.start + bin * width - frame.start) * scale), least);
        const right = Math.min(Math.round((span.start + (bin + 1) * width - frame.start) * scale), most);
        for (let x = left; x < right; x++) to[x] = value;
      }
    }
  }

  /** A lane's states within `part` of the frame, by the part of each pixel that they cover. Those of a group overlap. */
  addStates(states: LaneStates, lane: number, part: Span, frame: PixelSpan, overlap = true): void {
    const low = states.first[lane] ?? 0;
    const high = states.first[lane + 1] ?? low;
    const begin = Math.max(part.start, frame.start);
    const end = Math.min(part.end, frame.end);
    const scale = 1 / nsPerPixel(frame);
    const last = above(states.start, end, low, high);
    const first = overlap ? low : Math.max(above(states.start, begin, low, high) - 1, low);
    for (let row = first; row < last; row++) {
      const from = Math.max(states.start[row] as number, begin);
      const to = Math.min(states.end[row] as number, end);
      const state = STATE_OF_PHASE[states.phase[row] as number];
      if (to > from && state) this.spread(this.shares[state], (from - frame.start) * scale, (to - frame.start) * scale);
    }
  }

  private spread(values: Float32Array, left: number, right: number): void {
    const first = Math.floor(left);
    const last = Math.min(Math.floor(right), this.width - 1);
    if (first === last) {
      values[first] = (values[first] as number) + right - left;
      return;
    }
    values[first] = (values[first] as number) + first + 1 - left;
    for (let x = first + 1; x < last; x++) values[x] = (values[x] as number) + 1;
    if (last >= 0 && last > first) values[last] = (values[last] as number) + Math.min(right, this.width) - last;
  }

  /** The states of one thread as colours into `out` from `offset` on; time in which none is known has the ground's. */
  colours(out: Uint32Array, offset: number, colours: Record<LaneState, Pixel>, ground: Pixel): void {
    const { running, waiting, blocked, stopped, throttled, sleeping } = this.shares;
    for (let x = 0; x < this.width; x++) {
      const [run, wait] = [running[x] as number, waiting[x] as number];
      const rest = (blocked[x] as number) + (stopped[x] as number) + (throttled[x] as number) + (sleeping[x] as number);
      const known = run + wait + rest;
      let colour = ground;
      if (known > 0) {
        colour = this.blend(x, colours);
        if (run > 0 && run < LEAST) colour = mix(colour, colours.running, LEAST - run);
        if (wait > 0 && wait < LEAST) colour = mix(colour, colours.waiting, LEAST - wait);
        if (known < 0.999) colour = mix(ground, colour, Math.max(known, LEAST));
      }
      out[offset + x] = colour;
    }
  }

  /** The states of a pixel by their shares of what is known. */
  private blend(x: number, colours: Record<LaneState, Pixel>): Pixel {
    let colour = 0;
    let sum = 0;
    for (const state of LANE_STATES) {
      const share = this.shares[state][x] as number;
      if (share <= 0) continue;
      sum += share;
      colour = sum === share ? colours[state] : mix(colour, colours[state], share / sum);
    }
    return colour;
  }

  /** How many threads of a group ran, in the heat map's colours; and their waiting as a row of its own, clear where none does. */
  loads(out: Uint32Array, offset: number, waitOffset: number, palette: Palette): void {
    const { running, waiting } = this.shares;
    const bare = palette.waiting & 0x00ffffff;
    for (let x = 0; x < this.width; x++) {
      const [run, wait] = [running[x] as number, waiting[x] as number];
      out[offset + x] = ramp(palette, run > 0 ? Math.max(run, LEAST) : 0);
      const share = wait > 0 ? Math.max(Math.min(wait, 1), LEAST) : 0;
      out[waitOffset + x] = share === 0 ? 0 : (bare | (Math.round(share * 255) << 24)) >>> 0;
    }
  }
}
