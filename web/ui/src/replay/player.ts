// The player: clock, stretches, scene and camera in step. The view that draws calls `frame` once per animation frame.

import type { Span } from '../logic/place';
import { type Camera, hold, towards, whole } from './camera';
import { type Clock, nextSpeed, tick } from './clock';
import { type ChangeFilter, type Finder, isChange, nextIn, nextOf } from './jump';
import type { Rect } from './machine';
import { cursorAt } from './moves';
import type { Scene } from './scene';
import type { StretchStore } from './store';
import type { WasteMatch } from './wasteMatch';

/** How far ahead stretches are fetched: what this many seconds of watching need. */
const AHEAD_S = 4;

/** Changes of state that a seek shows one after the other. */
const MAX_STEPS = 200;

export interface Status extends Clock {
  /** It plays, but the next stretch is still loading. */
  loading: boolean;
  error: string | null;
  /** The picture shows the instant of the clock. */
  shown: boolean;
}

export class Player {
  clock: Clock;
  camera: Camera = { k: 1, x: 0, y: 0 };
  width = 0;
  height = 0;
  /** Follows this thread; -1: no thread. */
  follow = -1;
  loading = false;
  error: string | null = null;
  /** The camera was moved by hand and stays. */
  private held = false;
  private shown = false;
  private wall = Number.NaN;
  private scene: Scene | null = null;
  private wasteMatch: WasteMatch | null = null;
  private goal: Rect | null = null;

  constructor(
    readonly span: Span,
    readonly store: StretchStore,
    at: number,
    speed: number,
  ) {
    const start = store.snap(Math.min(span.end, Math.max(span.start, at)));
    this.clock = { at: start, speed, direction: 1, playing: false };
  }

  /** The camera is where it was put by hand. */
  get moved(): boolean {
    return this.held && this.goal === null;
  }

  get status(): Status {
    return { ...this.clock, loading: this.loading, error: this.error, shown: this.shown };
  }

  /** Sets the picture, for a page of this size; `kept` keeps the camera where it is. */
  setScene(scene: Scene, wasteMatch: WasteMatch, width: number, height: number): void {
    const first = this.scene === null;
    this.scene = scene;
    this.wasteMatch = wasteMatch;
    this.width = width;
    this.height = height;
    this.shown = false;
    if (first || !this.held) this.camera = whole(scene.bounds, width, height);
  }

  /** Brings the picture up to date; true when it has changed or will. `wall` in ms. */
  frame(wall: number): boolean {
    const { scene, wasteMatch } = this;
    if (scene === null || wasteMatch === null) return true;
    const passed = Number.isNaN(this.wall) ? 0 : Math.min(100, Math.max(0, wall - this.wall));
    this.wall = wall;
    const next = tick(this.clock, passed, this.span);
    const moved = next.at !== this.clock.at || !this.shown;
    if (moved) this.show(next, wall);
    else this.clock = next;
    const gliding = scene.animate(wall);
    const looking = this.colours();
    return moved || gliding || looking || this.clock.playing;
  }

  /** Requests what could not be loaded again. */
  retry(): void {
    this.store.retry();
    this.error = null;
    this.shown = false;
  }

  play(direction: 1 | -1): void {
    if (this.error !== null) this.retry();
    const { at } = this.clock;
    const ended = direction > 0 ? at >= this.span.end : at <= this.span.start;
    this.clock = {
      ...this.clock,
      direction,
      playing: true,
      at: ended ? (direction > 0 ? this.span.start : this.span.end) : at,
    };
    if (ended) this.shown = false;
  }
  pause(): void {
    this.clock = { ...this.clock, playing: false };
  }
  toggle(): void {
    if (this.clock.playing) this.pause();
    else this.play(this.clock.direction);
  }
  setSpeed(speed: number): void {
    this.clock = { ...this.clock, speed };
  }
  shift(by: 1 | -1): void {
    this.setSpeed(nextSpeed(this.clock.speed, by));
  }
  seek(at: number): void {
    this.clock = { ...this.clock, at: this.store.snap(Math.min(this.span.end, Math.max(this.span.start, at))) };
    this.shown = false;
  }

  /** To the next change that is wanted; false when there is none. */
  step(direction: 1 | -1, wanted: ChangeFilter): Promise<boolean> {
    return this.find(direction, (s, at, d) => nextIn(s, at, d, wanted));
  }

  /** To the next event; from the last one on to the trace's end, whose switches have no state after them. */
  async stepEvent(direction: 1 | -1): Promise<void> {
    const found = await this.find(direction, (s, at, d) => nextIn(s, at, d, isChange), Number.POSITIVE_INFINITY);
    if (!found && this.error === null && this.store.whole) this.seek(direction > 0 ? this.span.end : this.span.start);
  }

  /** To the next instant that `finder` returns; false when there is none. */
  async find(direction: 1 | -1, finder: Finder, most?: number): Promise<boolean> {
    this.pause();
    this.loading = true;
    try {
      const found = await nextOf(this.store, this.clock.at, direction, finder, most);
      if (found !== null) this.seek(found);
      return found !== null;
    } catch (e) {
      this.error = e instanceof Error ? e.message : String(e);
      return false;
    } finally {
      this.loading = false;
    }
  }

  /** The camera by hand. */
  setCamera(c: Camera): void {
    if (this.scene === null) return;
    this.held = true;
    this.goal = null;
    this.follow = -1;
    this.camera = hold(c, this.scene.bounds, this.width, this.height);
  }
  /** The whole picture again. */
  fit(): void {
    if (this.scene === null) return;
    this.held = false;
    this.follow = -1;
    this.goal = this.scene.bounds;
  }
  /** Goes to a part of the picture and stays there. */
  focus(part: Rect): void {
    this.held = true;
    this.follow = -1;
    this.goal = part;
  }
  followThread(utid: number): void {
    this.follow = utid;
    this.held = utid >= 0;
    this.goal = null;
  }

  private show(next: Clock, wall: number): void {
    const scene = this.scene!;
    this.store.want(next.at, next.direction, next.playing ? next.speed * 1e9 * AHEAD_S : 0);
    if (!this.store.has(next.at)) {
      // The source has no more data, as in a report.
      this.clock = { ...this.clock, playing: false };
      this.loading = false;
      this.shown = true;
      return;
    }
    const s = this.store.peek(next.at);
    this.error = s === null ? this.store.errorAt(next.at) : null;
    this.loading = s === null && this.error === null;
    if (s === null) {
      if (this.error !== null) this.pause();
      return;
    }
    const here = scene.state.stretch;
    // A jump over a few changes shows each of them; a longer one goes there at once.
    const near = here === s && Math.abs(cursorAt(s, next.at) - scene.state.cursor) <= MAX_STEPS;
    if (here === null || (!this.shown && !near)) scene.jump(s, next.at, wall);
    else {
      if (here !== s) scene.enter(s, next.at);
      scene.play(next.at, wall, !next.playing);
    }
    this.clock = next;
    this.shown = true;
    this.wasteMatch!.update(scene.state);
  }

  /** Moves the camera towards what it follows or goes to; true while it moves. */
  private colours(): boolean {
    const scene = this.scene!;
    if (this.follow >= 0 && (scene.alpha[this.follow] ?? 0) > 0.05) {
      const k = Math.max(this.camera.k, whole(scene.bounds, this.width, this.height).k * 2);
      const was = this.camera;
      const [wx, wy] = [scene.x[this.follow]!, scene.y[this.follow]!];
      this.camera = towards(was, wx, wy, k, this.width, this.height, 0.12);
      return Math.abs(this.camera.x - was.x) + Math.abs(this.camera.y - was.y) > 0.05;
    }
    if (this.goal === null) return false;
    const g = whole(this.goal, this.width, this.height, this.held ? 24 : 8);
    const { x, y, w, h } = this.goal;
    this.camera = towards(this.camera, x + w / 2, y + h / 2, g.k, this.width, this.height, 0.2);
    if (
      Math.abs(this.camera.k / g.k - 1) < 0.002 &&
      Math.abs(this.camera.x - g.x) + Math.abs(this.camera.y - g.y) < 0.5
    ) {
      this.camera = g;
      this.goal = null;
    }
    return true;
  }
}
