// Declared bubbles as bodies on the runqueues of the machine's parts: whole while closed, an open outline where they burst.

import type { BubbleLayout } from './bubbles';
import { BURST, ENDED, type Holders, IN_BUBBLE, PART_OF } from './holders';
import type { Area, MachineLayout } from './machine';

/** Place for bodies on an area's bar, from left to right. */
export interface Seats {
  left: number;
  /** Where the last body may end; the count of those without a seat is drawn to the right of it. */
  right: number;
  y: number;
  r: number;
}

/** Length of the bar at the end of an area's strip; short where bodies need the space to its left. */
export const barLength = (w: number, held: boolean): number =>
  held ? Math.min(w * 0.16, 110) : Math.min(w * 0.3, 200);

export function seatsOf(a: Area): Seats {
  const r = Math.min(a.bar * 0.27, 9);
  const size = Math.min(13, a.bar * 0.55);
  const label = a.w > 90 ? a.name.length * size * 0.62 + a.bar * 0.5 : 4;
  // Behind the seats lie a count, how many cores are wasted (in wide areas), and the bar, as paint.ts draws them.
  const bar = a.w > 90 ? barLength(a.w, true) + Math.min(12, a.bar * 0.5) : 0;
  const words = a.w >= 260 ? size * 5.5 + 10 : 0;
  return { left: a.x + label + r, right: a.x + a.w - bar - words - size * 2, y: a.y + a.bar * 0.62, r };
}

/** Index of the area that is (among others) this part of the machine; -1 none. */
export function areaIndex(layout: MachineLayout): (holder: number, id: number) => number {
  const known = new Map<string, number>();
  layout.areas.forEach((a, i) => {
    for (const part of [a, ...a.also]) known.set(`${part.kind}${part.kind === 'machine' ? 0 : part.id}`, i);
  });
  return (holder, id) => {
    const part = PART_OF[holder];
    return part ? (known.get(`${part}${part === 'machine' ? 0 : id}`) ?? -1) : -1;
  };
}

export class BubbleBodies {
  /** By index of the bubble: centre, width, whether it is seen and whether it has burst. */
  readonly x: Float32Array;
  readonly y: Float32Array;
  readonly w: Float32Array;
  readonly r: Float32Array;
  readonly alpha: Float32Array;
  readonly burst: Uint8Array;
  private readonly from: Float32Array;
  private readonly to: Float32Array;
  private readonly t0: Float64Array;

  constructor(private readonly bubbleLayout: BubbleLayout) {
    const n = bubbleLayout.bubbles.length;
    this.x = new Float32Array(n);
    this.y = new Float32Array(n);
    this.w = new Float32Array(n);
    this.r = new Float32Array(n);
    this.alpha = new Float32Array(n);
    this.burst = new Uint8Array(n);
    this.from = new Float32Array(3 * n);
    this.to = new Float32Array(3 * n);
    this.t0 = new Float64Array(n).fill(Number.NEGATIVE_INFINITY);
    bubbleLayout.bubbles.forEach((b, i) => {
      this.x[i] = b.x + b.w / 2;
      this.y[i] = b.y + b.h / 2;
      this.to.set([this.x[i]!, this.y[i]!, 0], 3 * i);
    });
  }

  /** Seats the bubbles that are on runqueues; `next` is how far each area's bar is taken, and is moved on. */
  seat(
    holders: Holders,
    areaOf: (holder: number, id: number) => number,
    seats: readonly Seats[],
    next: Float32Array,
    wall: number,
  ): void {
    this.bubbleLayout.bubbles.forEach((b, i) => {
      const holder = holders.bubbleHolder[b.id] ?? ENDED;
      const area = holder === ENDED || holder === IN_BUBBLE ? -1 : areaOf(holder, holders.bubbleId[b.id]!);
      const seat = seats[area];
      this.burst[i] = holders.bubbleState[b.id] === BURST ? 1 : 0;
      if (seat === undefined) {
        // In its parent or outside: where it is drawn anyway.
        this.send(i, b.x + b.w / 2, b.y + b.h / 2, 0, wall);
        return;
      }
      const w = Math.max(seat.r * 2.4, Math.min(64, b.name.length * 6 + 12));
      const fits = next[area]! + w <= seat.right + seat.r;
      this.w[i] = w;
      this.r[i] = seat.r;
      this.send(i, Math.min(next[area]! + w / 2, seat.right), seat.y, fits ? 1 : 0, wall);
      if (fits) next[area] = next[area]! + w + 4;
    });
  }

  /** True while any is on its way. */
  animate(wall: number, long: number): boolean {
    let moving = false;
    for (let i = 0; i < this.x.length; i++) {
      const f = long <= 0 ? 1 : Math.min(1, Math.max(0, (wall - this.t0[i]!) / long));
      if (f < 1) moving = true;
      const e = f * f * (3 - 2 * f);
      this.x[i] = this.from[3 * i]! + (this.to[3 * i]! - this.from[3 * i]!) * e;
      this.y[i] = this.from[3 * i + 1]! + (this.to[3 * i + 1]! - this.from[3 * i + 1]!) * e;
      this.alpha[i] = this.from[3 * i + 2]! + (this.to[3 * i + 2]! - this.from[3 * i + 2]!) * e;
    }
    return moving;
  }

  private send(i: number, x: number, y: number, alpha: number, wall: number): void {
    const at = 3 * i;
    if (this.to[at] === Math.fround(x) && this.to[at + 1] === Math.fround(y) && this.to[at + 2] === alpha) return;
    this.from[at] = this.x[i]!;
    this.from[at + 1] = this.y[i]!;
    this.from[at + 2] = this.alpha[i]!;
    this.to[at] = x;
    this.to[at + 1] = y;
    this.to[at + 2] = alpha;
    this.t0[i] = wall;
  }
}
