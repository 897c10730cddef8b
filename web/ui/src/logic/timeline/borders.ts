// Which threads ran long enough on a lane to be drawn separately, and where one thread's run ends and the next one's starts: the same
// whether the lane is drawn from slices or from a tile's shares, on the timeline and on an episode's page.

import type { Span } from '../place';
import { above, type CpuIntervals, type Tile } from './chunks';
import { type PixelSpan, toX } from './timescale';

/** Borders are at least this many pixels apart, and a run narrower than this has none of its own: they would hide it. */
const NARROWEST = 3;
/** Slices of fewer pixels than this do not part what is beside them. */
const SEEN = 1;
/** Idle time of fewer pixels than this does not show: what is beside it looks like one. */
const UNSEEN = 0.25;
/** A thread with less than this share of a bin is not its dominant one. */
const MOST = 0.5;
/** Mean share of its bins from which on a run of bins is one thread's, as far as a label claims. */
const ALONE = 0.9;

/** Runs of a lane in order of time, in pixels of a frame; kept from frame to frame. */
export class Runs {
  size = 0;
  private capacity = 256;
  from = new Float64Array(this.capacity);
  to = new Float64Array(this.capacity);
  utid = new Int32Array(this.capacity);
  /** Idle pixels since the run before. */
  private idle = new Float64Array(this.capacity);
  /** Sum of share × pixels: of slices, all of them. */
  private held = new Float64Array(this.capacity);
  /** Up to where the lane was looked at, and how much of it since the last run was idle. */
  private reached = Number.NEGATIVE_INFINITY;
  private pending = 0;

  clear(): void {
    this.size = 0;
    this.reached = Number.NEGATIVE_INFINITY;
    this.pending = 0;
  }

  /** Pixels in which a thread ran (`share` of them); what lies before them and was not added is idle. */
  add(from: number, to: number, utid: number, share = 1): void {
    if (from > this.reached) this.pending += from - this.reached;
    this.reached = Math.max(to, this.reached);
    const last = this.size - 1;
    const near = last >= 0 && this.pending < UNSEEN && from - (this.to[last] as number) < SEEN;
    if (near && this.utid[last] === utid) {
      this.to[last] = Math.max(to, this.to[last] as number);
      this.held[last] = (this.held[last] as number) + (to - from) * share;
      this.pending = 0;
    } else if (to - from >= SEEN) {
      if (this.size === this.capacity) this.grow();
      const at = this.size++;
      this.from[at] = from;
      this.to[at] = to;
      this.utid[at] = utid;
      this.idle[at] = this.pending;
      this.held[at] = (to - from) * share;
      this.pending = 0;
    }
  }

  /** Pixels without a dominant thread, some of them idle. */
  skip(to: number, idle: number): void {
    this.pending += idle;
    this.reached = Math.max(to, this.reached);
  }

  /** The thread ran for nearly all of the run, so a label may name it. */
  alone(run: number): boolean {
    return (this.held[run] as number) >= ALONE * ((this.to[run] as number) - (this.from[run] as number));
  }

  /** Moves the end of the last run, which the bins gave to within a pixel or two. */
  endAt(x: number): void {
    const last = this.size - 1;
    if (last >= 0 && x > (this.from[last] as number)) this.to[last] = x;
    this.reached = x;
  }

  /** Where borders are drawn: both ends of each run that is wide enough, if another thread touches it there. */
  borders(): number[] {
    const found: number[] = [];
    let last = Number.NEGATIVE_INFINITY;
    const put = (x: number) => {
      if (x - last < NARROWEST) return;
      found.push(x);
      last = x;
    };
    const wide = (run: number) => (this.to[run] as number) - (this.from[run] as number) >= NARROWEST;
    for (let run = 1; run < this.size; run++) {
      if ((this.idle[run] as number) >= UNSEEN) continue;
      const [end, begin] = [this.to[run - 1] as number, this.from[run] as number];
      if (begin - end < NARROWEST) {
        if (this.utid[run] !== this.utid[run - 1] && (wide(run - 1) || wide(run))) put(end);
        continue;
      }
      if (wide(run - 1)) put(end);
      if (wide(run)) put(begin);
    }
    return found;
  }

  private grow(): void {
    this.capacity *= 2;
    const more = <T extends Float64Array | Int32Array>(old: T): T => {
      const wider = old instanceof Int32Array ? new Int32Array(this.capacity) : new Float64Array(this.capacity);
      wider.set(old);
      return wider as T;
    };
    this.from = more(this.from);
    this.to = more(this.to);
    this.utid = more(this.utid);
    this.idle = more(this.idle);
    this.held = more(this.held);
  }
}

/** A CPU's slices within `part` of the frame. */
export function addSliceRuns(runs: Runs, slices: CpuIntervals, cpu: number, part: Span, frame: PixelSpan): void {
  const low = slices.first[cpu] ?? 0;
  const high = slices.first[cpu + 1] ?? low;
  const begin = Math.max(part.start, frame.start);
  const end = Math.min(part.end, frame.end);
  for (let row = Math.max(above(slices.start, begin, low, high) - 1, low); row < high; row++) {
    const from = Math.max(slices.start[row] as number, begin);
    if (from >= end) break;
    const to = Math.min(slices.end[row] as number, end);
    const utid = slices.utid[row] as number;
    if (utid > 0 && to > from) runs.add(toX(frame, from), toX(frame, to), utid);
  }
}

/**
 * A lane of a tile within `part` of the frame, by the thread that had most of each bin. Where one follows another their
 * shares give the time: to the ns if there was one switch.
 */
export function addTileRuns(runs: Runs, tile: Tile, lane: number, span: Span, part: Span, frame: PixelSpan): void {
  const width = (span.end - span.start) / tile.columns;
  const begin = Math.max(frame.start, part.start);
  const end = Math.min(frame.end, part.end);
  const first = Math.max(Math.floor((begin - span.start) / width), 0);
  const last = Math.min(Math.ceil((end - span.start) / width), tile.columns);
  const pixels = toX(frame, frame.start + width);
  let before = 0;
  for (let bin = first; bin < last; bin++) {
    const at = lane * tile.columns + bin;
    const left = toX(frame, Math.max(span.start + bin * width, begin));
    const right = toX(frame, Math.min(span.start + (bin + 1) * width, end));
    const idle = Math.max(1 - (tile.busy[at] as number), 0) * (right - left);
    const utid = tile.utids[at * 4] as number;
    const share = tile.shares[at * 4] as number;
    if (utid <= 0 || share < MOST || idle >= UNSEEN) {
      runs.skip(right, idle);
      before = 0;
      continue;
    }
    let from = left;
    if (before > 0 && before !== utid) {
      from = Math.min(left + (shareOf(tile, at, before) - shareOf(tile, at - 1, utid)) * pixels, right);
      runs.endAt(from);
    }
    runs.add(from, right, utid, Math.min((share * (right - left)) / Math.max(right - from, 1e-9), 1));
    before = utid;
  }
}

function shareOf(tile: Tile, at: number, utid: number): number {
  for (let rank = at * 4; rank < at * 4 + 4; rank++) if (tile.utids[rank] === utid) return tile.shares[rank] as number;
  return 0;
}
