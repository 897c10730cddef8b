// Data of the lanes of threads: tiles on the grid of the CPUs' tiles, single states below it. Lanes are asked for in chunks.

import { ofTrace, query, table, tableAs } from '../../api/client';
import type { TilesMeta, TraceSummary } from '../../api/types';
import type { Span } from '../../logic/place';
import { Cache } from '../../logic/timeline/cache';
import type { LaneStates, LaneTile } from '../../logic/timeline/chunks';
import { type Flow, type Flows, flowsOf, joined } from '../../logic/timeline/flows';
import type { LaneLayout, ThreadLane } from '../../logic/timeline/lanes';
import { FINEST_LEVEL, parentOf, tileRange, tileSpan, tileWidth } from '../../logic/timeline/pyramid';

/** Lanes of a request. */
const CHUNK = 16;
const MAX_STATES = 40_000;
const MAX_FLOWS = 2000;
/** Pinned lanes whose wakeups are drawn, at most. */
const MOST_FLOW_LANES = 48;

/** What shows a part of the time of a chunk of lanes. */
export type LanePiece =
  | { kind: 'states'; part: Span; states: LaneStates }
  | { kind: 'tile'; part: Span; span: Span; tile: LaneTile }
  | { kind: 'none'; part: Span; failed: boolean };

/** Lanes that are asked for together; a lane's place in it is its number in the answers. */
export interface LaneChunk {
  lanes: readonly ThreadLane[];
  pieces: LanePiece[];
}

function chunksOf(lanes: readonly ThreadLane[]): ThreadLane[][] {
  const count = Math.ceil(lanes.length / CHUNK);
  return Array.from({ length: count }, (_, index) => lanes.slice(index * CHUNK, (index + 1) * CHUNK));
}

export class LaneSource {
  private readonly tiles: Cache<LaneTile>;
  private readonly states: Cache<LaneStates>;
  /** By `KEY@instant`. */
  private readonly instants: Cache<LaneStates>;
  private readonly flows: Cache<Flows>;
  readonly caches: readonly Cache<unknown>[];

  constructor(
    private readonly trace: TraceSummary,
    private readonly meta: TilesMeta,
    arrived: () => void,
  ) {
    this.tiles = new Cache((key, signal) => this.fetchTile(key, signal), arrived, 200, 4);
    this.states = new Cache((key, signal) => this.fetchStates(key, signal), arrived, 96, 4);
    this.instants = new Cache((key, signal) => this.fetchInstant(key, signal), arrived, 48, 1);
    this.flows = new Cache((key, signal) => this.fetchFlows(key, signal), arrived, 32, 2);
    this.caches = [this.tiles, this.states, this.instants, this.flows];
  }

  /** What the threads of a lane did at an instant: whole states, at every zoom. Undefined while it comes. */
  instant(lane: string, t: number): LaneStates | undefined {
    const key = `${lane}@${t}`;
    this.instants.want([key]);
    return this.instants.get(key);
  }

  /** What shows a window of the lanes at a level (-1 and below: states), for the chunks with a lane for which `isSeen`. */
  chunks(
    level: number,
    window: Span,
    { threads, above }: LaneLayout,
    isSeen: (lane: ThreadLane) => boolean,
  ): LaneChunk[] {
    const [tiles, states]: [string[], string[]] = [[], []];
    const found: LaneChunk[] = [];
    // Another pinned lane leaves the chunks below the CPUs as they are.
    const chunks = [...chunksOf(threads.slice(0, above)), ...chunksOf(threads.slice(above))];
    for (const chunk of chunks) {
      if (!chunk.some(isSeen)) continue;
      const keys = chunk.map((lane) => lane.key).join(',');
      const pieces: LanePiece[] = [];
      const range = tileRange(this.meta, level, window);
      for (let x = range?.[0] ?? 0; x <= (range?.[1] ?? -1); x++) {
        if (level < 0) this.addStates(level, x, window, keys, pieces, states, tiles);
        else pieces.push(this.tilePiece(level, x, keys, tiles));
      }
      found.push({ lanes: chunk, pieces });
    }
    this.tiles.want(tiles);
    this.states.want(states);
    return found;
  }

  /** The wakeups of the threads of lanes in a window, as far as they are here; the answers cover more than the window. */
  flowsIn(lanes: readonly string[], window: Span): { flows: Flow[]; truncated: boolean } {
    const keys = lanes.slice(0, MOST_FLOW_LANES).join(',');
    const wide = Math.ceil(Math.log2((window.end - window.start) / tileWidth(this.meta, 0)));
    const level = Math.max(wide >= 0 ? wide : wide - 1, FINEST_LEVEL);
    const range = keys === '' ? null : tileRange(this.meta, level, window);
    const wanted: string[] = [];
    for (let x = range?.[0] ?? 0; x <= (range?.[1] ?? -1); x++) wanted.push(`${level}/${x}/${keys}`);
    this.flows.want(wanted);
    const here = wanted.flatMap((key) => this.flows.get(key) ?? []);
    return { flows: joined(here), truncated: here.some(({ truncated }) => truncated) };
  }

  private tilePiece(level: number, x: number, keys: string, tiles: string[]): LanePiece {
    const part = tileSpan(this.meta, level, x);
    tiles.push(`${level}/${x}/${keys}`);
    for (let [l, at] = [level, x]; l < this.meta.levels; [l, at] = parentOf(l, at)) {
      const tile = this.tiles.get(`${l}/${at}/${keys}`);
      if (tile) return { kind: 'tile', part, span: tileSpan(this.meta, l, at), tile };
    }
    return { kind: 'none', part, failed: this.tiles.hasFailed(`${level}/${x}/${keys}`) };
  }

  private addStates(
    level: number,
    x: number,
    window: Span,
    keys: string,
    pieces: LanePiece[],
    wanted: string[],
    tiles: string[],
  ): void {
    const part = tileSpan(this.meta, level, x);
    if (part.end <= window.start || part.start >= window.end) return;
    // A wider stretch that is here already is as good, unless it was cut off.
    for (let [l, at] = [level, x]; l <= -1; [l, at] = parentOf(l, at)) {
      const states = this.states.get(`${l}/${at}/${keys}`);
      if (states && !states.truncated) return void pieces.push({ kind: 'states', part, states });
      if (states && l === level && level > FINEST_LEVEL) {
        for (const half of [x * 2, x * 2 + 1]) this.addStates(level - 1, half, window, keys, pieces, wanted, tiles);
        return;
      }
    }
    wanted.push(`${level}/${x}/${keys}`);
    const width = tileSpan(this.meta, 0, 0).end - this.meta.start_ns;
    const coarse = this.tilePiece(0, Math.floor((part.start - this.meta.start_ns) / width), keys, tiles);
    const failed = this.states.hasFailed(`${level}/${x}/${keys}`);
    pieces.push(coarse.kind === 'tile' ? { ...coarse, part } : { kind: 'none', part, failed });
  }

  private fetchTile(key: string, signal: AbortSignal): Promise<LaneTile> {
    const [level = '', x = '', keys = ''] = key.split('/');
    const path = `tiles/lanes/${level}/${x}${query({ lanes: keys })}`;
    const { columns } = this.meta;
    return tableAs(ofTrace(this.trace.id, path), { kind: 'lanes', lanes: keys.split(',').length, columns }, signal);
  }

  private async fetchFlows(key: string, signal: AbortSignal): Promise<Flows> {
    const [level = '', x = '', keys = ''] = key.split('/');
    const { start, end } = tileSpan(this.meta, Number(level), Number(x));
    const window = { lanes: keys, start: Math.floor(start), end: Math.ceil(end), limit: MAX_FLOWS };
    return flowsOf(await table(ofTrace(this.trace.id, `flows${query(window)}`), signal));
  }

  private fetchInstant(key: string, signal: AbortSignal): Promise<LaneStates> {
    const [lanes = '', t = ''] = key.split('@');
    const window = { lanes, start: Number(t), end: Number(t) + 1, limit: MAX_STATES };
    return tableAs(ofTrace(this.trace.id, `states${query(window)}`), { kind: 'states', lanes: 1 }, signal);
  }

  private fetchStates(key: string, signal: AbortSignal): Promise<LaneStates> {
    const [level = '', x = '', keys = ''] = key.split('/');
    const { start, end } = tileSpan(this.meta, Number(level), Number(x));
    const window = { lanes: keys, start: Math.floor(start), end: Math.ceil(end), limit: MAX_STATES };
    const shape = { kind: 'states', lanes: keys.split(',').length } as const;
    return tableAs(ofTrace(this.trace.id, `states${query(window)}`), shape, signal);
  }
}
