// What tiles and raw stretches hold once decoded, laid out so that a lane's part of a window is found by bisection.

import { type Numbers, numbers, type Table } from '../../api/table';

/** A tile with a row for every (lane, bin). */
export interface Tile {
  kind: 'tile';
  columns: number;
  busy: Float32Array;
  idle: Float32Array;
  unobserved: Float32Array;
  waiting: Float32Array;
  wasted: Float32Array;
  migrations: Float32Array;
  /** Up to four threads per bin, most time first: [bin * 4 + rank]; 0 none. */
  utids: Int32Array;
  shares: Float32Array;
  /** Its colours, where the worker knew what is painted with. */
  mixed?: MixedTile;
}

/** The colours of a tile's bins. */
export interface MixedTile {
  /** What they were mixed with, by its number. */
  paint: number;
  /** By lane * columns + bin. */
  colours: Uint32Array;
  /** By lane: 1 where nothing is in it, neither a colour nor a thread that waits. */
  empty: Uint8Array;
}

/** Slices, waits or wasted time of all CPUs in a window, by CPU and then by time. Times in ns of the trace's clock. */
export interface CpuIntervals {
  kind: 'stretch';
  /** Rows of CPU c: [first[c], first[c + 1]). */
  first: Int32Array;
  start: Float64Array;
  end: Float64Array;
  /** 0 idle, -1 unobserved. */
  utid: Int32Array;
  /** Code of the state in which a slice's thread was left, or of a wait's phase; 255 unknown. */
  code: Uint8Array;
  /** There are more rows than were sent; a shorter window has all of its rows. */
  truncated: boolean;
}

/** What threads did whose lanes a tile has: threads in each state, on average over a bin, as [lane * columns + bin]. */
export interface LaneTile {
  kind: 'lanes';
  columns: number;
  running: Float32Array;
  waiting: Float32Array;
  sleeping: Float32Array;
  blocked: Float32Array;
  stopped: Float32Array;
  throttled: Float32Array;
  /** CPU on which they ran longest, -1 none, and the share of the bin for which they did. */
  cpu: Int32Array;
  cpuShare: Float32Array;
}

/** States of the threads of some lanes in a window, by lane and then by start. Those of a group overlap. */
export interface LaneStates {
  kind: 'states';
  /** Rows of lane l: [first[l], first[l + 1]). */
  first: Int32Array;
  start: Float64Array;
  end: Float64Array;
  utid: Int32Array;
  /** On which it ran or was queued; -1 for neither. */
  cpu: Int32Array;
  /** A code of `thread_phase`. */
  phase: Uint8Array;
  truncated: boolean;
}

/** What is made of an answer's rows before it crosses from the worker to the page, which draws meanwhile. */
export type Shape =
  | { kind: 'tile'; lanes: number; columns: number }
  | { kind: 'stretch'; code: 'end_state' | 'phase' | null; cpus: number }
  | { kind: 'lanes'; lanes: number; columns: number }
  | { kind: 'states'; lanes: number };

/** The value of each shape. */
export interface Shaped {
  tile: Tile;
  stretch: CpuIntervals;
  lanes: LaneTile;
  states: LaneStates;
}

export function shaped(table: Table, shape: Shape): Shaped[Shape['kind']] {
  switch (shape.kind) {
    case 'tile':
      return tileOf(table, shape.lanes, shape.columns);
    case 'stretch':
      return intervalsOf(table, shape.code, shape.cpus);
    case 'lanes':
      return laneTileOf(table, shape.lanes, shape.columns);
    case 'states':
      return statesOf(table, shape.lanes);
  }
}

/** The dense form of a tile's table, all of it in one buffer. Bins without a row were not observed. */
export function tileOf(table: Table, lanes: number, columns: number): Tile {
  const size = lanes * columns;
  const buffer = new ArrayBuffer(size * 4 * (6 + TOP + TOP));
  const part = (index: number) => new Float32Array(buffer, index * size * 4, size);
  const tile: Tile = {
    kind: 'tile',
    columns,
    busy: part(0),
    idle: part(1),
    unobserved: part(2).fill(1),
    waiting: part(3),
    wasted: part(4),
    migrations: part(5),
    utids: new Int32Array(buffer, 6 * size * 4, size * TOP),
    shares: new Float32Array(buffer, (6 + TOP) * size * 4, size * TOP),
  };
  const lane = numbers(table, 'lane');
  const bin = numbers(table, 'bin');
  const cells = Int32Array.from(lane, (at, row) => at * columns + (bin[row] as number));
  for (const name of ['busy', 'idle', 'unobserved', 'waiting', 'wasted', 'migrations'] as const)
    scatter(numbers(table, name), cells, tile[name], 1, 0);
  for (let rank = 0; rank < TOP; rank++) {
    scatter(numbers(table, `utid${rank + 1}`), cells, tile.utids, TOP, rank);
    scatter(numbers(table, `share${rank + 1}`), cells, tile.shares, TOP, rank);
  }
  return tile;
}

/** The dense form of a tile of lanes of threads. In bins without a row no state is known. */
export function laneTileOf(table: Table, lanes: number, columns: number): LaneTile {
  const size = lanes * columns;
  const buffer = new ArrayBuffer(size * 4 * 8);
  const part = (index: number) => new Float32Array(buffer, index * size * 4, size);
  const tile: LaneTile = {
    kind: 'lanes',
    columns,
    running: part(0),
    waiting: part(1),
    sleeping: part(2),
    blocked: part(3),
    stopped: part(4),
    throttled: part(5),
    cpuShare: part(6),
    cpu: new Int32Array(buffer, 7 * size * 4, size).fill(-1),
  };
  const lane = numbers(table, 'lane');
  const bin = numbers(table, 'bin');
  const cells = Int32Array.from(lane, (at, row) => at * columns + (bin[row] as number));
  for (const name of ['running', 'waiting', 'sleeping', 'blocked', 'stopped', 'throttled'] as const)
    scatter(numbers(table, name), cells, tile[name], 1, 0);
  scatter(numbers(table, 'cpu_share'), cells, tile.cpuShare, 1, 0);
  const cpu = numbers(table, 'cpu');
  for (let row = 0; row < cells.length; row++) {
    const value = cpu[row] as number;
    if (!Number.isNaN(value)) tile.cpu[cells[row] as number] = value;
  }
  return tile;
}

/** A table of states of the threads of lanes, whose rows are in order of time. */
export function statesOf(table: Table, lanes: number): LaneStates {
  const origin = Number(table.meta.origin_ns ?? 0);
  const lane = numbers(table, 'lane');
  const [from, length] = [numbers(table, 'start_ns'), numbers(table, 'dur_ns')];
  const [utid, cpu, phase] = [numbers(table, 'utid'), numbers(table, 'cpu'), numbers(table, 'phase')];
  const first = new Int32Array(lanes + 1);
  for (let row = 0; row < table.rows; row++)
    first[(lane[row] as number) + 1] = (first[(lane[row] as number) + 1] ?? 0) + 1;
  for (let l = 0; l < lanes; l++) first[l + 1] = (first[l + 1] as number) + (first[l] as number);
  const states: LaneStates = {
    kind: 'states',
    first,
    start: new Float64Array(table.rows),
    end: new Float64Array(table.rows),
    utid: new Int32Array(table.rows),
    cpu: new Int32Array(table.rows),
    phase: new Uint8Array(table.rows),
    truncated: table.meta.truncated === 'true',
  };
  const next = first.slice();
  for (let row = 0; row < table.rows; row++) {
    const l = lane[row] as number;
    const at = next[l] as number;
    next[l] = at + 1;
    states.start[at] = origin + (from[row] as number);
    states.end[at] = (states.start[at] as number) + (length[row] as number);
    states.utid[at] = utid[row] as number;
    const on = cpu[row] as number;
    states.cpu[at] = Number.isNaN(on) ? -1 : on;
    states.phase[at] = phase[row] as number;
  }
  return states;
}

/** Threads of a bin that a tile names. */
const TOP = 4;

/** A column's values into the rows' cells; none is 0. */
function scatter(from: Numbers, cells: Int32Array, to: Float32Array | Int32Array, stride: number, offset: number) {
  for (let row = 0; row < cells.length; row++) {
    const value = from[row] as number;
    to[(cells[row] as number) * stride + offset] = Number.isNaN(value) ? 0 : value;
  }
}

/**
 * A table of slices (`code` is `end_state`), waits (`phase`), avoidable waits or times in which CPUs were wasted (neither has
 * a code, the latter no `utid`), by CPU. Rows without a CPU are left out.
 */
export function intervalsOf(table: Table, code: 'end_state' | 'phase' | null, cpus: number): CpuIntervals {
  const origin = Number(table.meta.origin_ns ?? 0);
  const cpu = numbers(table, 'cpu');
  const from = numbers(table, 'start_ns');
  const length = numbers(table, 'dur_ns');
  const utids = table.columns.utid ? numbers(table, 'utid') : null;
  const codes = code && numbers(table, code);
  const first = new Int32Array(cpus + 1);
  for (let row = 0; row < table.rows; row++) {
    const at = cpu[row] as number;
    if (at >= 0 && at < cpus) first[at + 1] = (first[at + 1] as number) + 1;
  }
  for (let c = 0; c < cpus; c++) first[c + 1] = (first[c + 1] as number) + (first[c] as number);
  const rows = first[cpus] as number;
  const stretch: CpuIntervals = {
    kind: 'stretch',
    first,
    start: new Float64Array(rows),
    end: new Float64Array(rows),
    utid: new Int32Array(rows),
    code: new Uint8Array(rows),
    truncated: table.meta.truncated === 'true',
  };
  const next = first.slice();
  for (let row = 0; row < table.rows; row++) {
    const c = cpu[row] as number;
    if (!(c >= 0 && c < cpus)) continue;
    const at = next[c] as number;
    next[c] = at + 1;
    stretch.start[at] = origin + (from[row] as number);
    stretch.end[at] = (stretch.start[at] as number) + (length[row] as number);
    const utid = utids ? (utids[row] as number) : 0;
    stretch.utid[at] = Number.isNaN(utid) ? -1 : utid;
    const state = codes ? (codes[row] as number) : Number.NaN;
    stretch.code[at] = Number.isNaN(state) ? 255 : state;
  }
  return stretch;
}

/** First row of [low, high) whose value is above `t`; `high` when none is. */
export function above(values: Float64Array, t: number, low: number, high: number): number {
  let from = low;
  let to = high;
  while (from < to) {
    const middle = (from + to) >> 1;
    if ((values[middle] as number) > t) to = middle;
    else from = middle + 1;
  }
  return from;
}

/** Row of the interval of a CPU that holds `t`; -1 when none does. For slices, which do not overlap. */
export function rowAt(stretch: CpuIntervals, cpu: number, t: number): number {
  const low = stretch.first[cpu] ?? 0;
  const row = above(stretch.start, t, low, stretch.first[cpu + 1] ?? low) - 1;
  return row >= low && t < (stretch.end[row] as number) ? row : -1;
}
