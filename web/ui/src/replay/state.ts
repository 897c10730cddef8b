// The machine at one instant of a stretch: moved by changes forwards, by what they replaced backwards.

import { cursorAt, DEAD, placed, RUNNING, type Stretch, UNKNOWN, waits } from './moves';

/** Called for each change that is applied or taken back; `index` is its place in the stretch. */
export type OnChange = (utid: number, index: number, forwards: boolean) => void;

/**
 * State of all threads and CPUs at `at`. Arrays are indexed by utid or CPU and grow, never shrink; nothing is allocated
 * while it plays within a stretch.
 */
export class MachineState {
  at = 0;
  cursor = 0;
  stretch: Stretch | null = null;
  phase = new Uint8Array(0);
  cpu = new Int16Array(0);
  since = new Float64Array(0);
  /** utids that the stretch names, in order of appearance. */
  readonly known: number[] = [];
  /** Thread on each CPU; -1: no thread. */
  readonly running: Int32Array;
  /** Threads on each CPU's queue. */
  readonly queued: Int32Array;
  /** Time for which each CPU ran a thread while the state was moved, in ns of trace; the reader resets it. */
  readonly busy: Float64Array;
  private readonly marked: Float64Array;
  private named = new Uint8Array(0);

  constructor(readonly cpus: number) {
    this.running = new Int32Array(cpus).fill(-1);
    this.queued = new Int32Array(cpus);
    this.busy = new Float64Array(cpus);
    this.marked = new Float64Array(cpus);
  }

  /** Makes `s` the stretch that is played, at its start. */
  load(s: Stretch): void {
    this.grow(s.maxUtid + 1);
    for (const u of this.known) {
      this.phase[u] = UNKNOWN;
      this.cpu[u] = -1;
      this.named[u] = 0;
    }
    this.known.length = 0;
    this.running.fill(-1);
    this.queued.fill(0);
    const { utid, phase, cpu, since } = s.keyframe;
    for (let i = 0; i < utid.length; i++) this.put(utid[i]!, phase[i]!, cpu[i]!, since[i]!);
    for (let i = 0; i < s.utid.length; i++) this.name(s.utid[i]!);
    this.marked.fill(s.start);
    this.stretch = s;
    this.cursor = 0;
    this.at = s.start;
  }

  /**
   * Moves to `at` within the stretch, either way, and reports every change on the way. `busy` gains the time that each
   * CPU was busy on the way.
   */
  moveTo(at: number, onChange?: OnChange): void {
    const s = this.stretch;
    if (s === null) return;
    const target = cursorAt(s, at);
    while (this.cursor < target) {
      const i = this.cursor++;
      const u = s.utid[i]!;
      this.take(u, s.ts[i]!);
      this.put(u, s.phase[i]!, s.cpu[i]!, s.ts[i]!);
      onChange?.(u, i, true);
    }
    while (this.cursor > target) {
      const i = --this.cursor;
      const u = s.utid[i]!;
      this.take(u, s.ts[i]!);
      this.put(u, s.wasPhase[i]!, s.wasCpu[i]!, s.wasSince[i]!, s.ts[i]!);
      onChange?.(u, i, false);
    }
    for (let c = 0; c < this.cpus; c++) this.account(c, at);
    this.at = at;
  }

  /** Idle: no thread runs there and none is queued there. */
  isIdle(cpu: number): boolean {
    return this.running[cpu]! < 0 && this.queued[cpu] === 0;
  }

  /** Adds what CPU `c` was busy since it was last accounted. */
  private account(c: number, at: number): void {
    if (this.running[c]! >= 0) this.busy[c]! += Math.abs(at - this.marked[c]!);
    this.marked[c] = at;
  }

  private take(u: number, at: number): void {
    const c = this.cpu[u]!;
    if (c < 0 || c >= this.cpus) return;
    const phase = this.phase[u]!;
    if (phase === RUNNING && this.running[c] === u) {
      this.account(c, at);
      this.running[c] = -1;
    } else if (waits(phase)) this.queued[c]!--;
  }

  private put(u: number, phase: number, c: number, since: number, at = since): void {
    this.name(u);
    this.phase[u] = phase;
    this.cpu[u] = c;
    this.since[u] = since;
    if (c < 0 || c >= this.cpus || !placed(phase)) return;
    if (phase === RUNNING) {
      this.account(c, at);
      this.running[c] = u;
    } else this.queued[c]!++;
  }

  private name(u: number): void {
    if (this.named[u]) return;
    this.named[u] = 1;
    this.known.push(u);
  }

  private grow(size: number): void {
    const had = this.phase.length;
    if (size <= had) return;
    const capacity = Math.max(size, had * 2, 256);
    const phase = new Uint8Array(capacity).fill(UNKNOWN);
    const cpu = new Int16Array(capacity).fill(-1);
    const since = new Float64Array(capacity);
    const named = new Uint8Array(capacity);
    phase.set(this.phase);
    cpu.set(this.cpu);
    since.set(this.since);
    named.set(this.named);
    this.phase = phase;
    this.cpu = cpu;
    this.since = since;
    this.named = named;
  }
}

/** Whether a thread exists and its state is known: not before its creation or after its end. */
export const present = (phase: number): boolean => phase !== DEAD && phase !== UNKNOWN;
