import { expect, it } from 'vitest';
import type { Table } from '../../api/table';
import { topOf } from './Curve';

/** Bins of one length, with so many CPUs wasted, busy and not observed. */
function bins(...rows: [wasted: number, busy: number, unobserved: number][]): Table {
  const column = (at: 0 | 1 | 2) => Float64Array.from(rows, (row) => row[at]);
  const [wasted, busy, unobserved] = [column(0), column(1), column(2)];
  const columns = { wasted, busy, unobserved, wasted_max: wasted, idle_while_waiting: wasted };
  return { rows: rows.length, columns: { ...columns, dur_ns: wasted.map(() => 1e6) }, types: {}, meta: {} };
}

const WORK: [number, number, number] = [16, 8, 0];

it('the axis of a large machine ends above what was busy or wasted, though CPUs were not observed as the recording began', () => {
  const work = Array.from({ length: 19 }, () => WORK);
  expect(topOf(bins([0, 0, 250], ...work), { cpus: 256 })).toBe(30);
  expect(topOf(bins(...work), { cpus: 256 })).toBe(30);
});

it('it ends at the last CPU where CPUs were not observed for long, most were busy, or there are few', () => {
  expect(topOf(bins([0, 0, 250], WORK, WORK, WORK), { cpus: 256 })).toBe(256);
  expect(topOf(bins([10, 200, 0], WORK), { cpus: 256 })).toBe(256);
  expect(topOf(bins(WORK), { cpus: 8 })).toBe(8);
});
