// The picture of iterations and ranks: where each cell is, how the keys go from one to another, what a cell is called.

import type { BalanceCells, ParallelApplication } from '../../api/types';
import type { Place } from '../place';
import { windowAround } from '../windowAround';

/** A cell: a rank and a column, both from 0 on. */
export interface Cell {
  rank: number;
  column: number;
}

/** Pixels. */
export interface CellLayout {
  left: number;
  top: number;
  columnWidth: number;
  rowHeight: number;
  width: number;
  height: number;
}

const LEFT = 40;
const TOP = 24;
const BOTTOM = 4;
const COLUMN = { least: 3, most: 56 };
const ROW = { least: 5, most: 28 };
/** Height that the rows share where they are neither least nor most. */
const ROWS_HEIGHT = 480;

/** The cells of the segments that are long enough to be shown: others would be as wide as an iteration, and mean nothing. */
export function shownCells(app: ParallelApplication): BalanceCells | null {
  const { cells } = app;
  if (!cells) return null;
  const kept = cells.columns.flatMap(({ segment }, index) => (app.segments[segment - 1]?.is_shown ? [index] : []));
  if (kept.length === 0 || kept.length === cells.columns.length) return cells;
  const pick = <T>(row: readonly T[]): T[] => kept.map((index) => row[index] as T);
  return {
    columns: pick(cells.columns),
    computing_ns: cells.computing_ns.map(pick),
    waiting_ns: cells.waiting_ns.map(pick),
    taken_ns: cells.taken_ns.map(pick),
    unknown_ns: cells.unknown_ns.map(pick),
    utilization: cells.utilization.map(pick),
    parts: Object.fromEntries(Object.entries(cells.parts).map(([part, rows]) => [part, rows.map(pick)])),
  };
}

/** Where the cells are in a picture of some width. It is wider where the columns would be too narrow to point at. */
export function layoutOf(width: number, ranks: number, columns: number): CellLayout {
  const columnWidth = Math.min(Math.max((width - LEFT) / columns, COLUMN.least), COLUMN.most);
  const rowHeight = Math.min(Math.max(Math.floor(ROWS_HEIGHT / ranks), ROW.least), ROW.most);
  return {
    left: LEFT,
    top: TOP,
    columnWidth,
    rowHeight,
    width: Math.max(width, Math.ceil(LEFT + columns * columnWidth)),
    height: TOP + ranks * rowHeight + BOTTOM,
  };
}

/** The cell's box in the picture, in whole pixels. */
export function boxOf(layout: CellLayout, { rank, column }: Cell) {
  const x = Math.round(layout.left + column * layout.columnWidth);
  return {
    left: x,
    top: layout.top + rank * layout.rowHeight,
    width: Math.round(layout.left + (column + 1) * layout.columnWidth) - x,
    height: layout.rowHeight,
  };
}

/** The cell under a point of the picture. */
export function cellAt(layout: CellLayout, ranks: number, columns: number, x: number, y: number): Cell | null {
  const column = Math.floor((x - layout.left) / layout.columnWidth);
  const rank = Math.floor((y - layout.top) / layout.rowHeight);
  return column >= 0 && column < columns && rank >= 0 && rank < ranks ? { rank, column } : null;
}

const PAGE = 10;

/** Where a key leads from a cell; null for keys that lead nowhere. */
export function stepped(cell: Cell, key: string, ranks: number, columns: number): Cell | null {
  const to = (rank: number, column: number): Cell => ({
    rank: Math.min(Math.max(rank, 0), ranks - 1),
    column: Math.min(Math.max(column, 0), columns - 1),
  });
  switch (key) {
    case 'ArrowLeft':
      return to(cell.rank, cell.column - 1);
    case 'ArrowRight':
      return to(cell.rank, cell.column + 1);
    case 'ArrowUp':
      return to(cell.rank - 1, cell.column);
    case 'ArrowDown':
      return to(cell.rank + 1, cell.column);
    case 'PageUp':
      return to(cell.rank, cell.column - PAGE);
    case 'PageDown':
      return to(cell.rank, cell.column + PAGE);
    case 'Home':
      return to(cell.rank, 0);
    case 'End':
      return to(cell.rank, columns - 1);
    default:
      return null;
  }
}

/** A cell as the address has it: `3.12` is rank 3 in window 12 (windows count from 1 on). */
export const formatCell = (cells: BalanceCells, { rank, column }: Cell): string =>
  `${rank}.${cells.columns[column]?.first ?? 1}`;

/** The cell that an address names; null where there is none such. */
export function parseCell(text: string | undefined, cells: BalanceCells): Cell | null {
  const [, rank, window] = /^(\d{1,9})\.(\d{1,9})$/.exec(text ?? '') ?? [];
  if (rank === undefined || window === undefined || Number(rank) >= cells.computing_ns.length) return null;
  const column = cells.columns.findIndex(({ first, last }) => first <= Number(window) && Number(window) <= last);
  return column < 0 ? null : { rank: Number(rank), column };
}

const NOUNS = {
  iterations: ['Iteration', 'Iterations'],
  releases: ['Stretch', 'Stretches'],
  windows: ['Window', 'Windows'],
  outside: ['Outside of iterations: window', 'Outside of iterations: windows'],
} as const;

/** `Iteration 5`, `Iterations 5 to 8`. */
export function columnWords(app: ParallelApplication, cells: BalanceCells, column: number): string {
  const of = cells.columns[column];
  if (!of) return '';
  const [one, many] = NOUNS[app.segments[of.segment - 1]?.kind ?? 'windows'];
  return of.first === of.last ? `${one} ${of.first}` : `${many} ${of.first} to ${of.last}`;
}

/** What most of the columns are: `Iterations`. */
export function windowsWords(app: ParallelApplication): string {
  const kind = (['iterations', 'releases'] as const).find((of) => app.segments.some((segment) => segment.kind === of));
  return NOUNS[kind ?? 'windows'][1];
}

/** The step of a scale of six colours: 0 for nothing, 5 for more than four fifths. */
export const heatStep = (share: number): number => (share <= 0 ? 0 : Math.min(Math.ceil(share * 5), 5));

/** The place on the timeline that shows a span with the lane of a thread: the span is selected, with some time around it. */
export function onTimeline(
  utid: number,
  span: { start_ns: number; end_ns: number },
  trace: { start_ns: number; end_ns: number },
  pins: readonly string[],
): Partial<Place> {
  const lane = `t${utid}`;
  return {
    view: 'timeline',
    window: windowAround(span.start_ns, span.end_ns - span.start_ns, trace),
    selection: { start: span.start_ns, end: span.end_ns, cpus: null, lanes: [lane] },
    pins: [...new Set([...pins, lane])],
    utid,
  };
}
