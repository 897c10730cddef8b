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

/** What is made of an answer's rows before it crosses from the worker to the page, which draws meanwhile. */
export type Shape =
  | { kind: 'tile'; lanes: number; columns: number }
  | { kind: 'stretch'; code: 'end_state' | 'phase' | null; cpus: number };

export const shaped = (table: Table, shape: Shape): Tile | CpuIntervals =>
  shape.kind === 'tile' ? tileOf(table, shape.lanes, shape.columns) : intervalsOf(table, shape.code, shape.cpus);

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
