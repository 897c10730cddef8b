// The timeline's data: a frame asks the caches for what it needs; they fetch what is missing.

import { ofTrace, query, table, tableAs } from '../../api/client';
import { numbers, type Table, textAt } from '../../api/table';
import type { TilesMeta, TraceSummary } from '../../api/types';
import type { Span } from '../../logic/place';
import { Cache } from '../../logic/timeline/cache';
import type { CpuIntervals, Tile } from '../../logic/timeline/chunks';
import { type Interrupts, interruptsOf } from '../../logic/timeline/interrupts';
import { type Jobs, jobsOf } from '../../logic/timeline/jobs';
import { type PowerOf, type PowerSpans, powerSpansOf } from '../../logic/timeline/power';
import { FINEST_LEVEL, parentOf, tileRange, tileSpan, tileWidth } from '../../logic/timeline/pyramid';
import { type Scans, type ScansOf, scansOf } from '../../logic/timeline/scans';
import { LaneSource } from './laneSource';

/** Things that happened at an instant, from one CPU to another. */
export interface Arrows {
  kind: 'arrows';
  ts: Float64Array;
  utid: Int32Array;
  from: Int32Array;
  to: Int32Array;
  /** Migrations: how they came about; attempts: threads pulled, as text. */
  path: (string | null)[];
  needless: Uint8Array;
  truncated: boolean;
}

export type ArrowKind = 'migrations' | 'wakeups' | 'attempts';
const ARROW_LIMIT = 4000;
const MAX_RAW_ROWS = 60_000;
const MOST_JOBS = 20_000;
const MOST_SCANS = 4000;
const MOST_INTERRUPTS = 20_000;
const MOST_POWER = 20_000;

export interface RawPiece {
  kind: 'raw';
  part: Span;
  slices: CpuIntervals;
  /** When CPUs were wasted, to the ns. */
  wasted: CpuIntervals;
  /** Undefined while they come. */
  waits: CpuIntervals | undefined;
  avoidable: CpuIntervals | undefined;
}

/** Rows of a raw stretch that are fetched, and the column of their codes. */
const RAW = { slices: 'end_state', wasted: null, waits: 'phase', avoidable: null } as const;
type RawKind = keyof typeof RAW;
const RAW_KINDS = Object.keys(RAW) as RawKind[];

/** A window of raw slices and waits, or the tile that is drawn while they load; `failed`: they could not be loaded. */
export type Piece =
  | RawPiece
  /** `tiles` by row of tiles: those that a frame asked for. */
  | { kind: 'tile'; part: Span; level: number; x: number; tiles: readonly (Tile | undefined)[] }
  | { kind: 'none'; part: Span; failed: boolean };

export class Source {
  private readonly tiles: Cache<Tile>;
  private readonly raw: Cache<CpuIntervals>;
  private readonly arrows: Cache<Arrows>;
  private readonly jobs: Cache<Jobs>;
  private readonly scans: Readonly<Record<ScansOf, Cache<Scans>>>;
  private readonly interrupts: Cache<Interrupts>;
  private readonly power: Readonly<Record<PowerOf, Cache<PowerSpans>>>;
  /** By `CPU@instant`. */
  private readonly instants: Cache<RawPiece>;
  /** Lanes of threads. */
  readonly threads: LaneSource;
  private readonly cpuCount: number;
  /** Tiles that the map of all CPUs wants in this frame. */
  private mapTiles: string[] = [];
  /** Lane of a CPU in the tiles. */
  private readonly laneOf = new Map<number, number>();

  constructor(
    readonly trace: TraceSummary,
    readonly meta: TilesMeta,
    arrived: () => void,
  ) {
    this.cpuCount = Math.max(...meta.cpus, 0) + 1;
    for (const [lane, cpu] of meta.cpus.entries()) this.laneOf.set(cpu, lane);
    this.tiles = new Cache((key, signal) => this.fetchTile(key, signal), arrived, 800, 6);
    this.raw = new Cache((key, signal) => this.fetchRaw(key, signal), arrived, 192, 8);
    this.arrows = new Cache((key, signal) => this.fetchArrows(key, signal), arrived, 48, 3);
    this.jobs = new Cache((key, signal) => this.fetchJobs(key, signal), arrived, 24, 2);
    const scans = (of: ScansOf) => new Cache<Scans>((key, signal) => this.fetchScans(of, key, signal), arrived, 24, 2);
    this.scans = { placements: scans('placements'), attempts: scans('attempts') };
    this.interrupts = new Cache((key, signal) => this.fetchInterrupts(key, signal), arrived, 24, 2);
    const power = (of: PowerOf) =>
      new Cache<PowerSpans>((key, signal) => this.fetchPower(of, key, signal), arrived, 24, 2);
    this.power = { idle_state: power('idle_state'), frequency: power('frequency') };
    this.instants = new Cache((key, signal) => this.fetchInstant(key, signal), arrived, 48, 1);
    this.threads = new LaneSource(trace, meta, arrived);
  }

  private get caches(): readonly Cache<unknown>[] {
    return [
      this.tiles,
      this.raw,
      this.arrows,
      this.jobs,
      this.scans.placements,
      this.scans.attempts,
      this.interrupts,
      this.power.idle_state,
      this.power.frequency,
      this.instants,
      ...this.threads.caches,
    ];
  }

  get busy(): boolean {
    return this.caches.some((cache) => cache.busy);
  }

  /** Why something that the last frame shows is missing; null while nothing failed. */
  get error(): unknown {
    return this.caches.find((cache) => cache.error !== null)?.error ?? null;
  }

  /** Requests what failed again, with the next frame. */
  retry(): void {
    for (const cache of this.caches) cache.retry();
  }

  /** Row of tiles and lane in it of a CPU. */
  lane(cpu: number): [y: number, lane: number] {
    const lane = this.laneOf.get(cpu) ?? 0;
    return [Math.floor(lane / this.meta.lanes), lane % this.meta.lanes];
  }

  tile(level: number, x: number, y: number): Tile | undefined {
    return this.tiles.get(`${level}/${x}/${y}`);
  }

  /**
   * What a CPU did at an instant, and which threads waited on any CPU: whole intervals, at every zoom and window.
   * Undefined while it comes; the request for another instant ends.
   */
  instant(cpu: number, t: number): RawPiece | undefined {
    const key = `${cpu}@${t}`;
    this.instants.want([key]);
    return this.instants.get(key);
  }

  close(): void {
    for (const cache of this.caches) cache.close();
  }

  /**
   * The pieces that show a window at a level (-1 and below: raw), and requests for what is missing. `rows` are the rows
   * of tiles in sight.
   */
  pieces(level: number, window: Span, rows: readonly number[]): Piece[] {
    const tiles: string[] = [];
    const raw: string[] = [];
    const range = tileRange(this.meta, level, window);
    const found: Piece[] = [];
    if (range) {
      for (let x = range[0]; x <= range[1]; x++) {
        if (level < 0) this.rawPieces(level, x, window, found, raw, tiles, rows);
        else found.push(this.tilePiece(level, x, tiles, rows));
      }
      if (level >= 0) {
        // Beside what is in sight, and above it: where the next pan or zoom goes.
        for (const [l, x] of [[level, range[0] - 1], [level, range[1] + 1], parentOf(level, range[0])] as const) {
          if (this.exists(l, x)) for (const y of rows) tiles.push(`${l}/${x}/${y}`);
        }
      }
    }
    this.tiles.want([...tiles, ...this.mapTiles]);
    this.mapTiles = [];
    this.raw.want(raw);
    return found;
  }

  /** The pieces that show a window at a level of tiles, of all CPUs; what is missing is requested by the next call of `pieces`, after its own. */
  mapPieces(level: number, window: Span): Piece[] {
    const range = tileRange(this.meta, level, window);
    const rows = Array.from({ length: Math.ceil(this.meta.cpus.length / this.meta.lanes) }, (_, y) => y);
    const found: Piece[] = [];
    for (let x = range?.[0] ?? 0; x <= (range?.[1] ?? -1); x++)
      found.push(this.tilePiece(level, x, this.mapTiles, rows));
    return found;
  }

  private exists(level: number, x: number): boolean {
    return level < this.meta.levels && x >= 0 && tileSpan(this.meta, level, x).start < this.meta.end_ns;
  }

  private tilePiece(level: number, x: number, tiles: string[], rows: readonly number[]): Piece {
    const part = tileSpan(this.meta, level, x);
    for (const y of rows) tiles.push(`${level}/${x}/${y}`);
    let [l, at] = [level, x];
    while (l < this.meta.levels) {
      const here: Tile[] = [];
      const isWhole = rows.every((y) => {
        const tile = this.tile(l, at, y);
        if (tile) here[y] = tile;
        return tile !== undefined;
      });
      if (isWhole) return { kind: 'tile', part, level: l, x: at, tiles: here };
      [l, at] = parentOf(l, at);
    }
    return { kind: 'none', part, failed: rows.some((y) => this.tiles.hasFailed(`${level}/${x}/${y}`)) };
  }

  private rawPieces(
    level: number,
    x: number,
    window: Span,
    found: Piece[],
    raw: string[],
    tiles: string[],
    rows: readonly number[],
  ): void {
    const part = tileSpan(this.meta, level, x);
    if (part.end <= window.start || part.start >= window.end) return;
    // A wider stretch that is here already is as good, unless it was cut off.
    for (let [l, at] = [level, x]; l <= -1; [l, at] = parentOf(l, at)) {
      const here = this.rawAt(l, at);
      if (!here.slices) continue;
      const cut = RAW_KINDS.some((kind) => here[kind]?.truncated);
      if (!cut && here.wasted && here.waits && here.avoidable) {
        found.push({ kind: 'raw', part, ...here, slices: here.slices, wasted: here.wasted });
        return;
      }
      if (cut && l === level && level > FINEST_LEVEL) {
        this.rawPieces(level - 1, x * 2, window, found, raw, tiles, rows);
        this.rawPieces(level - 1, x * 2 + 1, window, found, raw, tiles, rows);
        return;
      }
    }
    raw.push(...RAW_KINDS.map((kind) => `${kind}/${level}/${x}`));
    const { slices, wasted } = this.rawAt(level, x);
    if (slices && wasted && !slices.truncated && !wasted.truncated)
      found.push({ kind: 'raw', part, slices, wasted, waits: undefined, avoidable: undefined });
    else
      found.push({
        ...this.tilePiece(0, Math.floor((part.start - this.meta.start_ns) / tileWidth(this.meta, 0)), tiles, rows),
        part,
      });
  }

  private rawAt(level: number, x: number): Record<RawKind, CpuIntervals | undefined> {
    const at = (kind: RawKind) => this.raw.get(`${kind}/${level}/${x}`);
    return { slices: at('slices'), wasted: at('wasted'), waits: at('waits'), avoidable: at('avoidable') };
  }

  /** Arrows of a kind in a window; undefined while they come. The answer covers more than the window. */
  arrowsIn(kinds: readonly ArrowKind[], window: Span): Map<ArrowKind, Arrows[]> {
    const gridLevel = this.gridOf(window);
    const range = tileRange(this.meta, gridLevel, window);
    const found = new Map<ArrowKind, Arrows[]>();
    const wanted: string[] = [];
    for (const kind of kinds) {
      const list: Arrows[] = [];
      for (let x = range?.[0] ?? 0; x <= (range?.[1] ?? -1); x++) {
        const key = `${kind}/${gridLevel}/${x}`;
        wanted.push(key);
        const here = this.arrows.get(key);
        if (here) list.push(here);
      }
      found.set(kind, list);
    }
    this.arrows.want(wanted);
    return found;
  }

  /** Level of the grid whose tiles are about as wide as a window. */
  private gridOf(window: Span): number {
    const level = Math.max(Math.ceil(Math.log2((window.end - window.start) / tileWidth(this.meta, 0))), -20);
    return level >= 0 ? level : level - 1;
  }

  /** Jobs with deadlines in a window, of tasks that were recorded and that are declared, as far as they are here. */
  jobsIn(tasks: readonly string[], window: Span): Jobs[] {
    const level = this.gridOf(window);
    const range = tileRange(this.meta, level, window);
    const wanted: string[] = [];
    for (let x = range?.[0] ?? 0; x <= (range?.[1] ?? -1); x++) wanted.push(JSON.stringify([level, x, ...tasks]));
    this.jobs.want(wanted);
    return wanted.flatMap((key) => this.jobs.get(key) ?? []);
  }

  /** CPUs that placements or attempts scanned in a window, as far as they are here; the answers cover more than the window. */
  scansIn(of: ScansOf, window: Span): Scans[] {
    return this.stretchesIn(this.scans[of], window);
  }

  /** Interrupt work in a window, likewise. */
  interruptsIn(window: Span): Interrupts[] {
    return this.stretchesIn(this.interrupts, window);
  }

  /** Idle states or frequencies of CPUs in a window, likewise. */
  powerIn(of: PowerOf, window: Span): PowerSpans[] {
    return this.stretchesIn(this.power[of], window);
  }

  private stretchesIn<T>(cache: Cache<T>, window: Span): T[] {
    const level = this.gridOf(window);
    const range = tileRange(this.meta, level, window);
    const wanted: string[] = [];
    for (let x = range?.[0] ?? 0; x <= (range?.[1] ?? -1); x++) wanted.push(`${level}/${x}`);
    cache.want(wanted);
    return wanted.flatMap((key) => cache.get(key) ?? []);
  }

  private fetchTile(key: string, signal: AbortSignal): Promise<Tile> {
    const path = ofTrace(this.trace.id, `tiles/${key}${query({ v: this.meta.version })}`);
    return tableAs(path, { kind: 'tile', lanes: this.meta.lanes, columns: this.meta.columns }, signal);
  }

  private fetchRaw(key: string, signal: AbortSignal): Promise<CpuIntervals> {
    const [what = '', level = '', x = ''] = key.split('/');
    const path = this.between(what, Number(level), Number(x), MAX_RAW_ROWS);
    return tableAs(path, this.shape(what as RawKind), signal);
  }

  private async fetchInstant(key: string, signal: AbortSignal): Promise<RawPiece> {
    const [cpu = 0, t = 0] = key.split('@').map(Number);
    const part = { start: t, end: t + 1 };
    const at = (kind: RawKind, cpus: number | null) => {
      const path = `${kind}${query({ ...part, limit: MAX_RAW_ROWS, cpus })}`;
      return tableAs(ofTrace(this.trace.id, path), this.shape(kind), signal);
    };
    const [slices, wasted, waits, avoidable] = await Promise.all([
      at('slices', cpu),
      at('wasted', cpu),
      at('waits', cpu),
      at('avoidable', null), // the thread that waited was queued on another CPU
    ]);
    return { kind: 'raw', part, slices, wasted, waits, avoidable };
  }

  private async fetchArrows(key: string, signal: AbortSignal): Promise<Arrows> {
    const [what = '', level = '', x = ''] = key.split('/');
    return arrowsOf(await table(this.between(what, Number(level), Number(x), ARROW_LIMIT), signal), what as ArrowKind);
  }

  private async fetchScans(of: ScansOf, key: string, signal: AbortSignal): Promise<Scans> {
    const [level, x] = key.split('/').map(Number) as [number, number];
    return scansOf(await table(this.between('scans', level, x, MOST_SCANS, { of }), signal));
  }

  private async fetchInterrupts(key: string, signal: AbortSignal): Promise<Interrupts> {
    const [level, x] = key.split('/').map(Number) as [number, number];
    return interruptsOf(await table(this.between('interrupts', level, x, MOST_INTERRUPTS), signal), this.cpuCount);
  }

  private async fetchPower(of: PowerOf, key: string, signal: AbortSignal): Promise<PowerSpans> {
    const [level, x] = key.split('/').map(Number) as [number, number];
    return powerSpansOf(await table(this.between('power', level, x, MOST_POWER, { of }), signal), this.cpuCount);
  }

  private async fetchJobs(key: string, signal: AbortSignal): Promise<Jobs> {
    const [level, x, ...tasks] = JSON.parse(key) as [number, number, ...string[]];
    const { start, end } = tileSpan(this.meta, level, x);
    const window = { start: Math.floor(start), end: Math.ceil(end), limit: MOST_JOBS, task: tasks };
    return jobsOf(await table(ofTrace(this.trace.id, `deadlines/jobs${query(window)}`), signal));
  }

  /** Address of what lies in a tile's span. */
  private between(what: string, level: number, x: number, limit: number, more: Record<string, string> = {}): string {
    const { start, end } = tileSpan(this.meta, level, x);
    const range = { ...more, start: Math.floor(start), end: Math.ceil(end), limit };
    return ofTrace(this.trace.id, `${what}${query(range)}`);
  }

  private readonly shape = (kind: RawKind) => ({ kind: 'stretch', code: RAW[kind], cpus: this.cpuCount }) as const;
}

function arrowsOf(answer: Table, kind: ArrowKind): Arrows {
  const ends = { migrations: ['orig', 'dest'], wakeups: ['cpu', 'target_cpu'], attempts: ['cpu', 'dst_cpu'] }[kind];
  const column = (name: string) =>
    Int32Array.from(numbers(answer, name), (value) => (Number.isNaN(value) ? -1 : value));
  const rows = Array.from({ length: answer.rows }, (_, row) => row);
  const pulled = kind === 'attempts' ? numbers(answer, 'pulled') : null;
  return {
    kind: 'arrows',
    ts: Float64Array.from(numbers(answer, 'ts_ns')),
    utid: kind === 'attempts' ? new Int32Array(answer.rows) : column('utid'),
    from: column(ends[0] as string),
    to: column(ends[1] as string),
    path: rows.map((row) => (kind === 'migrations' ? textAt(answer, 'path', row) : kind)),
    needless: Uint8Array.from(rows, (row) =>
      Number(kind === 'migrations' ? numbers(answer, 'needless')[row] === 1 : (pulled?.[row] ?? 0) > 0),
    ),
    truncated: answer.meta.truncated === 'true',
  };
}
