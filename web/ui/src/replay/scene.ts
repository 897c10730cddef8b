// Where every body is on the picture, and on the way to.
//
// A body has a place that follows from the machine's state alone; when that changes it glides there from where it is.
// A glide takes wall time, so that it is visible at every speed; bodies that change often glide faster.

import { areaIndex, BubbleBodies, type Seats, seatsOf } from './bubbleBodies';
import { type Bubble, type BubbleLayout, BurstCounts } from './bubbles';
import { ENDED, Holders, IN_BUBBLE } from './holders';
import { type MachineLayout, type Rect, slots, slotX, slotY, visible } from './machine';
import { DEAD, placed, RUNNING, type Stretch, THROTTLED, UNKNOWN } from './moves';
import { MachineState } from './state';

export const GLIDE_MS = 320;
export const TRAIL_MS = 900;
/** To where a thread runs at most: at usual speeds a stint lasts for some pictures only. */
const RUN_MS = 90;
/** How much is seen of what fades in, from the start on. */
const SEEN = 0.7;
export const RIPPLE_MS = 700;

/** Not held elsewhere; held in its bubble. */
const ON_MACHINE = -1;
const IN_BUBBLE_AREA = -2;

const TRAILS = 512;
const RIPPLES = 128;

/** A ring of lines that fade: moves of threads between CPUs. */
export interface Trails {
  from: Int16Array;
  to: Int16Array;
  path: Uint8Array;
  utid: Int32Array;
  born: Float64Array;
  next: number;
}

export class Scene {
  readonly state: MachineState;
  /** By utid: present centre, radius and opacity. */
  x = new Float32Array(0);
  y = new Float32Array(0);
  r = new Float32Array(0);
  alpha = new Float32Array(0);
  /** Place in its CPU's queue, 0 the head; -1 not queued. */
  place = new Int16Array(0);
  readonly trails: Trails = {
    from: new Int16Array(TRAILS),
    to: new Int16Array(TRAILS),
    path: new Uint8Array(TRAILS),
    utid: new Int32Array(TRAILS),
    born: new Float64Array(TRAILS).fill(Number.NEGATIVE_INFINITY),
    next: 0,
  };
  /** Bubbles that burst (1) or closed (-1) lately. */
  readonly ripples = {
    bubble: new Int32Array(RIPPLES),
    kind: new Int8Array(RIPPLES),
    born: new Float64Array(RIPPLES).fill(Number.NEGATIVE_INFINITY),
    next: 0,
  };
  readonly outside: BurstCounts;
  readonly holders: Holders;
  readonly bodies: BubbleBodies;
  /** Threads that found no seat on an area's bar. */
  readonly unseated: Int32Array;
  /** By CPU: share of the trace time gone by lately in which it was busy, 0..1. */
  readonly glow: Float32Array;
  /** The thread that ran on each CPU last. */
  readonly lastRunner: Int32Array;
  bounds: Rect;

  private fromX = new Float32Array(0);
  private fromY = new Float32Array(0);
  private fromR = new Float32Array(0);
  private fromA = new Float32Array(0);
  private toX = new Float32Array(0);
  private toY = new Float32Array(0);
  private toR = new Float32Array(0);
  private toA = new Float32Array(0);
  private t0 = new Float64Array(0);
  private dur = new Float32Array(0);
  private changed = new Float64Array(0);
  /** Whether `outside` counts the thread. */
  private isOut = new Uint8Array(0);
  private readonly queues: number[][];
  private readonly areaOf: (holder: number, id: number) => number;
  readonly seats: readonly Seats[];
  private readonly taken: Float32Array;
  private wall = 0;
  private still = false;

  constructor(
    readonly layout: MachineLayout,
    readonly bubbleLayout: BubbleLayout,
  ) {
    this.state = new MachineState(layout.cellOf.length);
    this.outside = new BurstCounts(bubbleLayout);
    const shelfIndex = new Map(bubbleLayout.bubbles.map((b, i) => [b.id, i]));
    this.holders = new Holders((number, kind) => {
      const b = shelfIndex.get(number);
      if (b !== undefined) this.ripple(b, kind);
    });
    this.bodies = new BubbleBodies(bubbleLayout);
    this.areaOf = areaIndex(layout);
    this.seats = layout.areas.map(seatsOf);
    this.taken = new Float32Array(layout.areas.length);
    this.unseated = new Int32Array(layout.areas.length);
    this.glow = new Float32Array(layout.cellOf.length);
    this.lastRunner = new Int32Array(layout.cellOf.length).fill(-1);
    this.queues = Array.from({ length: layout.cellOf.length }, () => []);
    this.bounds = around(layout.bounds, bubbleLayout.bounds);
  }

  /** With `still` bodies do not glide: they are at their places at once. */
  setStill(still: boolean): void {
    this.still = still;
  }

  /** Goes to a stretch and an instant in it from anywhere; bodies glide there from where they are. */
  jump(s: Stretch, at: number, wall: number): void {
    this.wall = wall;
    this.changed.fill(Number.NEGATIVE_INFINITY);
    this.enter(s, at);
    for (let c = 0; c < this.glow.length; c++) this.glow[c] = this.state.running[c]! >= 0 ? 1 : 0;
    this.settle();
  }

  /** Goes over into the stretch that adjoins the present one. */
  enter(s: Stretch, at: number): void {
    this.state.load(s);
    this.state.moveTo(at);
    this.holders.load(s.holders);
    this.holders.moveTo(at, false);
    this.state.busy.fill(0);
    this.outside.reset();
    this.isOut.fill(0);
    for (const u of this.state.known) this.count(u, false);
  }

  /** Goes on to another instant of the same stretch. `wall` in ms; `steps`: what is shown is that instant alone. */
  play(at: number, wall: number, steps = false): void {
    const s = this.state.stretch;
    if (s === null) return;
    const passed = wall - this.wall;
    const span = Math.abs(at - this.state.at);
    this.wall = wall;
    this.state.moveTo(at, this.onChange);
    this.holders.moveTo(at, true);
    // What a CPU did in the time that went by, fading over some 120 ms of watching.
    const mix = 1 - Math.exp(-Math.max(passed, 8) / 120);
    for (let c = 0; c < this.glow.length; c++) {
      const now = span > 0 ? this.state.busy[c]! / span : this.state.running[c]! >= 0 ? 1 : 0;
      if (steps) this.glow[c] = this.state.running[c]! >= 0 ? 1 : 0;
      else this.glow[c]! += (now - this.glow[c]!) * (span > 0 ? mix : 1);
    }
    this.state.busy.fill(0);
    this.settle();
  }

  /** Bodies at this instant of wall time, in ms; true while any of them is on its way. */
  animate(wall: number): boolean {
    this.wall = wall;
    let moving = false;
    for (const u of this.state.known) {
      const f = this.dur[u]! <= 0 ? 1 : (wall - this.t0[u]!) / this.dur[u]!;
      if (f >= 1) {
        this.x[u] = this.toX[u]!;
        this.y[u] = this.toY[u]!;
        this.r[u] = this.toR[u]!;
        this.alpha[u] = this.toA[u]!;
        continue;
      }
      moving = true;
      const e = ease(Math.max(0, f));
      this.x[u] = this.fromX[u]! + (this.toX[u]! - this.fromX[u]!) * e;
      this.y[u] = this.fromY[u]! + (this.toY[u]! - this.fromY[u]!) * e;
      this.r[u] = this.fromR[u]! + (this.toR[u]! - this.fromR[u]!) * e;
      this.alpha[u] = this.fromA[u]! + (this.toA[u]! - this.fromA[u]!) * e;
    }
    if (this.holders.known && this.bodies.animate(wall, this.still ? 0 : GLIDE_MS)) moving = true;
    const { trails, ripples } = this;
    if (wall - trails.born[(trails.next + TRAILS - 1) % TRAILS]! < TRAIL_MS) moving = true;
    if (wall - ripples.born[(ripples.next + RIPPLES - 1) % RIPPLES]! < RIPPLE_MS) moving = true;
    return moving;
  }

  /** Threads waiting on a CPU, the head first. */
  queue(cpu: number): readonly number[] {
    return this.queues[cpu] ?? [];
  }

  /** The bubble a thread is in, if any. */
  bubble(utid: number): Bubble | null {
    return this.bubbleLayout.bubbles[this.bubbleLayout.bubbleOf[utid] ?? -1] ?? null;
  }

  private readonly onChange = (u: number, i: number, forwards: boolean): void => {
    const s = this.state.stretch!;
    this.count(u, true);
    if (s.path[i] === 0 || s.wasCpu[i]! < 0 || s.cpu[i]! < 0) return;
    const t = this.trails;
    const n = t.next;
    t.from[n] = forwards ? s.wasCpu[i]! : s.cpu[i]!;
    t.to[n] = forwards ? s.cpu[i]! : s.wasCpu[i]!;
    t.path[n] = s.path[i]!;
    t.utid[n] = u;
    t.born[n] = this.wall;
    t.next = (n + 1) % TRAILS;
  };

  private count(u: number, report: boolean): void {
    this.size();
    const out = placed(this.state.phase[u]!) ? 1 : 0;
    if (out === this.isOut[u]) return;
    this.isOut[u] = out;
    const b = this.outside.change(u, out ? 1 : -1);
    if (b >= 0 && report && !this.holders.known) this.ripple(b, out ? 1 : -1);
  }

  private ripple(bubble: number, kind: 1 | -1): void {
    const r = this.ripples;
    r.bubble[r.next] = bubble;
    r.kind[r.next] = kind;
    r.born[r.next] = this.wall;
    r.next = (r.next + 1) % RIPPLES;
  }

  /** Sets the place of every body from the state. */
  private settle(): void {
    this.size();
    const { state, layout, bubbleLayout, queues } = this;
    for (let c = 0; c < this.lastRunner.length; c++) if (state.running[c]! >= 0) this.lastRunner[c] = state.running[c]!;
    for (const q of queues) q.length = 0;
    for (const u of state.known) {
      const phase = state.phase[u]!;
      if (phase !== RUNNING && placed(phase) && state.cpu[u]! >= 0 && this.elsewhere(u) === ON_MACHINE)
        queues[state.cpu[u]!]?.push(u);
      this.place[u] = -1;
    }
    for (const q of queues) {
      if (q.length > 1) sortBySince(q, state.since);
      for (let i = 0; i < q.length; i++) this.place[q[i]!] = i;
    }
    if (this.holders.known) this.seat();
    for (const u of state.known) {
      const phase = state.phase[u]!;
      if (phase !== RUNNING && placed(phase) && this.seated(u)) continue;
      const cell = layout.cells[layout.cellOf[state.cpu[u]!] ?? -1];
      if (phase === RUNNING && cell !== undefined) this.send(u, cell.runX, cell.runY, cell.runR, 1, RUN_MS);
      else if (this.place[u]! >= 0 && cell !== undefined) {
        const i = this.place[u]!;
        const capacity = slots(cell);
        const seen = visible(cell, queues[cell.cpu]!.length);
        const over = i >= seen;
        const at = Math.min(over ? seen : i, capacity - 1);
        this.send(u, slotX(cell, at), slotY(cell, at), cell.slotR, over ? 0 : phase === THROTTLED ? 0.45 : 1);
      } else if (phase === DEAD || phase === UNKNOWN) this.send(u, this.toX[u]!, this.toY[u]!, this.toR[u]! * 0.3, 0);
      else if ((bubbleLayout.bubbleOf[u] ?? -1) >= 0)
        this.send(u, bubbleLayout.x[u]!, bubbleLayout.y[u]!, bubbleLayout.slotR, 1);
      else if (cell !== undefined) this.send(u, cell.runX, cell.runY + cell.runR, cell.slotR * 0.5, 0);
      else this.send(u, this.toX[u]!, this.toY[u]!, this.toR[u]!, 0);
    }
  }

  /** Where a thread that waits is held, when not on a CPU's queue: an area's index, or its bubble. */
  private elsewhere(u: number): number {
    if (!this.holders.known) return ON_MACHINE;
    const holder = this.holders.threadHolder[u] ?? ENDED;
    if (holder === IN_BUBBLE) return (this.bubbleLayout.bubbleOf[u] ?? -1) >= 0 ? IN_BUBBLE_AREA : ON_MACHINE;
    if (holder === ENDED) return ON_MACHINE;
    const area = this.areaOf(holder, this.holders.threadId[u]!);
    return area < 0 ? ON_MACHINE : area;
  }

  /** Starts to assign the seats on the areas' bars: bubbles first. */
  private seat(): void {
    this.unseated.fill(0);
    for (let a = 0; a < this.seats.length; a++) this.taken[a] = this.seats[a]!.left;
    this.bodies.seat(this.holders, this.areaOf, this.seats, this.taken, this.wall);
  }

  /** Sends a thread that waits to its seat or its bubble; false when it is queued on a CPU. */
  private seated(u: number): boolean {
    const where = this.elsewhere(u);
    if (where === ON_MACHINE) return false;
    if (where === IN_BUBBLE_AREA) {
      this.send(u, this.bubbleLayout.x[u]!, this.bubbleLayout.y[u]!, this.bubbleLayout.slotR, 1);
      return true;
    }
    const seat = this.seats[where]!;
    const x = this.taken[where]! + seat.r;
    const fits = x <= seat.right;
    if (fits) this.taken[where] = x + seat.r * 1.2;
    else this.unseated[where]!++;
    this.send(u, Math.min(x, seat.right), seat.y, seat.r * 0.8, fits ? 1 : 0);
    return true;
  }

  private send(u: number, x: number, y: number, r: number, alpha: number, longest = GLIDE_MS): void {
    if (this.toX[u] === Math.fround(x) && this.toY[u] === Math.fround(y) && this.toA[u] === Math.fround(alpha)) return;
    const unseen = this.toA[u] === 0 && this.alpha[u] === 0;
    this.fromX[u] = unseen && this.toR[u] === 0 ? x : this.x[u]!;
    this.fromY[u] = unseen && this.toR[u] === 0 ? y : this.y[u]!;
    this.fromR[u] = this.r[u]!;
    // What comes out of those that are only counted is seen at once: it may not stay for as long as it takes to fade in.
    this.fromA[u] = alpha > 0 ? Math.max(this.alpha[u]!, SEEN * alpha) : this.alpha[u]!;
    this.toX[u] = x;
    this.toY[u] = y;
    this.toR[u] = r;
    this.toA[u] = alpha;
    const since = this.wall - this.changed[u]!;
    this.t0[u] = this.wall;
    this.dur[u] = this.still ? 0 : Math.min(longest, Math.max(40, since * 0.6));
    this.changed[u] = this.wall;
  }

  private size(): void {
    const n = this.state.phase.length;
    if (this.x.length >= n) return;
    const wider = (a: Float32Array): Float32Array<ArrayBuffer> => {
      const b = new Float32Array(n);
      b.set(a);
      return b;
    };
    this.x = wider(this.x);
    this.y = wider(this.y);
    this.r = wider(this.r);
    this.alpha = wider(this.alpha);
    this.fromX = wider(this.fromX);
    this.fromY = wider(this.fromY);
    this.fromR = wider(this.fromR);
    this.fromA = wider(this.fromA);
    this.toX = wider(this.toX);
    this.toY = wider(this.toY);
    this.toR = wider(this.toR);
    this.toA = wider(this.toA);
    this.dur = wider(this.dur);
    const t0 = new Float64Array(n);
    t0.set(this.t0);
    this.t0 = t0;
    const changed = new Float64Array(n).fill(Number.NEGATIVE_INFINITY);
    changed.set(this.changed);
    this.changed = changed;
    const place = new Int16Array(n).fill(-1);
    place.set(this.place);
    this.place = place;
    const isOut = new Uint8Array(n);
    isOut.set(this.isOut);
    this.isOut = isOut;
  }
}

/** Slow, fast, slow. */
const ease = (f: number): number => f * f * (3 - 2 * f);

/** By start of the wait, then utid; queues are short and nearly sorted already. */
function sortBySince(q: number[], since: Float64Array): void {
  for (let i = 1; i < q.length; i++) {
    const u = q[i]!;
    const t = since[u]!;
    let j = i - 1;
    while (j >= 0 && (since[q[j]!]! > t || (since[q[j]!] === t && q[j]! > u))) {
      q[j + 1] = q[j]!;
      j--;
    }
    q[j + 1] = u;
  }
}

function around(a: Rect, b: Rect): Rect {
  if (b.w <= 0 || b.h <= 0) return a;
  const x = Math.min(a.x, b.x);
  const y = Math.min(a.y, b.y);
  return { x, y, w: Math.max(a.x + a.w, b.x + b.w) - x, h: Math.max(a.y + a.h, b.y + b.h) - y };
}
