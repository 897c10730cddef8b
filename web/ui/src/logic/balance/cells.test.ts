import { expect, it } from 'vitest';
import type { BalanceCells, ParallelApplication } from '../../api/types';
import {
  boxOf,
  cellAt,
  columnWords,
  formatCell,
  heatStep,
  layoutOf,
  onTimeline,
  parseCell,
  shownCells,
  stepped,
  windowsWords,
} from './cells';

const column = (first: number, last: number, segment: number) => ({
  first, last, segment, start_ns: first * 100, end_ns: (last + 1) * 100,
  observed: 1, load_balance: 1, lost_ns: 0, last_rank: 0,
}); // biome-ignore format: a table
const cells = {
  columns: [column(1, 1, 1), column(2, 5, 2), column(6, 7, 2)],
  computing_ns: [[1, 2, 3], [4, 5, 6]],
} as unknown as BalanceCells; // biome-ignore format: a table
const app = {
  cells,
  segments: [
    { kind: 'outside', is_shown: false },
    { kind: 'iterations', is_shown: true },
  ],
} as unknown as ParallelApplication;

it('the cells fill the width, are never too narrow to point at, and every point of one leads to it', () => {
  for (const [width, ranks, columns] of [[1000, 4, 13], [340, 4, 300], [1000, 500, 20], [700, 3, 97]] as const) {
    const layout = layoutOf(width, ranks, columns);
    expect(layout.width).toBeGreaterThanOrEqual(width);
    expect(layout.columnWidth).toBeGreaterThanOrEqual(3);
    for (const cell of [{ rank: 0, column: 0 }, { rank: ranks - 1, column: columns - 1 }, { rank: 1, column: 7 }]) {
      const box = boxOf(layout, cell);
      expect(cellAt(layout, ranks, columns, box.left + box.width / 2, box.top + box.height / 2)).toEqual(cell);
      expect(box.left + box.width).toBeLessThanOrEqual(layout.width);
      expect(box.top + box.height).toBeLessThanOrEqual(layout.height);
    }
    expect(cellAt(layout, ranks, columns, 0, layout.top + 1)).toBeNull();
    expect(cellAt(layout, ranks, columns, layout.left + 1, layout.height + 1)).toBeNull();
  }
}); // biome-ignore format: a table

it('keys go from cell to cell and stop at the edges', () => {
  const at = { rank: 1, column: 5 };
  const go = (key: string) => stepped(at, key, 3, 12);
  expect(go('ArrowLeft')).toEqual({ rank: 1, column: 4 });
  expect(go('ArrowDown')).toEqual({ rank: 2, column: 5 });
  expect(go('PageDown')).toEqual({ rank: 1, column: 11 });
  expect(go('PageUp')).toEqual({ rank: 1, column: 0 });
  expect(go('Home')).toEqual({ rank: 1, column: 0 });
  expect(go('End')).toEqual({ rank: 1, column: 11 });
  expect(stepped({ rank: 2, column: 0 }, 'ArrowDown', 3, 12)).toEqual({ rank: 2, column: 0 });
  expect(go('x')).toBeNull();
});

it('an address names a cell by rank and window, also where a column is of several', () => {
  expect(formatCell(cells, { rank: 1, column: 1 })).toBe('1.2');
  expect(parseCell('1.2', cells)).toEqual({ rank: 1, column: 1 });
  expect(parseCell('0.4', cells)).toEqual({ rank: 0, column: 1 });
  for (const wrong of [undefined, '', '2.1', '0.8', '0.0', '-1.2', '1', '1.2.3', 'a.b']) {
    expect(parseCell(wrong, cells), wrong).toBeNull();
  }
});

it('a column is called by what its windows are', () => {
  expect(columnWords(app, cells, 0)).toBe('Outside of iterations: window 1');
  expect(columnWords(app, cells, 1)).toBe('Iterations 2 to 5');
  expect(columnWords(app, cells, 9)).toBe('');
  expect(windowsWords(app)).toBe('Iterations');
  expect(windowsWords({ ...app, segments: [] })).toBe('Windows');
});

it('shares have six steps', () => {
  expect([0, -0.1, 0.001, 0.2, 0.21, 0.8, 0.81, 1, 1.2].map(heatStep)).toEqual([0, 0, 1, 1, 2, 4, 5, 5, 5]);
});

it('a cell leads to its span on the timeline, selected on the lane of its rank, which is pinned once', () => {
  const trace = { start_ns: 0, end_ns: 1_000_000_000 };
  const place = onTimeline(7, { start_ns: 40_000_000, end_ns: 60_000_000 }, trace, ['p1', 't7']);
  expect(place).toEqual({
    view: 'timeline',
    window: { start: 35_000_000, end: 65_000_000 },
    selection: { start: 40_000_000, end: 60_000_000, cpus: null, lanes: ['t7'] },
    pins: ['p1', 't7'],
    utid: 7,
  });
});

it('cells of segments that are too short to be shown are left out, in every list', () => {
  const rows = [[1, 2, 3], [4, 5, 6]]; // biome-ignore format: a table
  const whole = {
    ...cells,
    waiting_ns: rows,
    taken_ns: rows,
    unknown_ns: rows,
    utilization: rows,
    parts: { wait: rows },
  };
  const shown = shownCells({ ...app, cells: whole });
  expect(shown?.columns.map(({ first }) => first)).toEqual([2, 6]);
  for (const list of ['computing_ns', 'waiting_ns', 'taken_ns', 'unknown_ns', 'utilization'] as const)
    expect(shown?.[list]).toEqual([[2, 3], [5, 6]]); // biome-ignore format: a table
  expect(shown?.parts).toEqual({ wait: [[2, 3], [5, 6]] }); // biome-ignore format: a table
});
