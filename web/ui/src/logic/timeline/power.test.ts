import { describe, expect, it } from 'vitest';
import type { Table } from '../../api/table';
import { frequencyRows, frequencyWords, idleStateRows, powerSpansOf, powerWithin, shadeOf } from './power';

const NAMES = ['cpu', 'start_ns', 'dur_ns', 'value'];

function table(rows: number[][]): Table {
  const columns = NAMES.map((name, at) => [name, Float64Array.from(rows, (row) => row[at] as number)] as const);
  return { rows: rows.length, columns: Object.fromEntries(columns), types: {}, meta: { origin_ns: '1000' } };
}

const spans = powerSpansOf(table([[1, -100, 300, 2], [0, 0, 50, 1], [1, 250, 100, 0], [1, 400, 40, 2]]), 2); // biome-ignore format: a table
const within = powerWithin([spans, spans], 1, 1000, 1500);

describe('idle states and frequencies', () => {
  it('are by CPU and time, each once', () => {
    expect(within).toEqual([
      { start: 900, end: 1200, value: 2 },
      { start: 1250, end: 1350, value: 0 },
      { start: 1400, end: 1440, value: 2 },
    ]);
    expect(powerWithin([spans], 0, 1000, 1001)).toEqual([{ start: 1000, end: 1050, value: 1 }]);
    expect(powerWithin([spans], 0, 1050, 1060)).toEqual([]);
  });

  it('have a shade by depth and a frequency in the unit that fits', () => {
    expect([0, 1, 2, 3].map((state) => shadeOf(state, 3))).toEqual([0.25, 0.5, 0.75, 1]);
    expect([shadeOf(0, 0), shadeOf(2, 1)]).toEqual([1, 1]);
    expect([2_400_000, 1_000_000, 999_000, 0].map(frequencyWords)).toEqual([
      '2.40 GHz',
      '1.00 GHz',
      '999 MHz',
      '0 MHz',
    ]);
  });

  it('of a slice are that of the instant, and what else there was in it', () => {
    expect(idleStateRows(within, { t: 1300, start: 1000, end: 1500 }, 1000)).toEqual([
      ['idle state', '0 from +0.000000 s for 100 ns'],
      ['idle states in it', '0 for 100 ns, 2 for 240 ns'],
    ]);
    expect(idleStateRows(within, { t: 1220, start: 1000, end: 1500 }, 1000)).toHaveLength(1);
    expect(idleStateRows([], { t: 5, start: 0, end: 9 }, 0)).toEqual([]);
    const fast = [
      { start: 1000, end: 1200, value: 1_200_000 },
      { start: 1200, end: 9000, value: 2_400_000 },
    ];
    expect(frequencyRows(fast.slice(1), { t: 1300, start: 1250, end: 1400 }, 1000)).toEqual([
      ['frequency', '2.40 GHz from +0.000000 s for 7.80 µs'],
    ]);
    expect(frequencyRows(fast, { t: 1100, start: 1000, end: 1400 }, 1000)).toEqual([
      ['frequency', '1.20 GHz from +0.000000 s for 200 ns'],
      ['frequencies in it', '1.20 GHz to 2.40 GHz'],
    ]);
  });
});
