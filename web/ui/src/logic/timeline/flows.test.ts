import { expect, it } from 'vitest';
import type { Table } from '../../api/table';
import { flowsOf, isSeen, joined } from './flows';
import { priorityWords } from './priority';

const table = (rows: number[][]): Table => {
  const names = 'wakeup_id utid waking_ns waker_cpu waker_utid wakeup_ns target_cpu run_ns run_cpu'.split(' ');
  const columns = names.map((name, at) => [name, Float64Array.from(rows, (row) => row[at] as number)] as const);
  return { rows: rows.length, columns: Object.fromEntries(columns), types: {}, meta: { truncated: 'false' } };
};
const none = Number.NaN;
const first = [5, 12, 100, 0, 7, 110, 3, 150, 2];
const second = [9, 12, 300, 1, none, 300, 1, none, none];

it('reads rows; what is not known is null', () => {
  expect(flowsOf(table([first, second]))).toEqual({
    truncated: false,
    rows: [
      { id: 5, utid: 12, waking: 100, wakerCpu: 0, waker: 7, wakeup: 110, target: 3, run: 150, runCpu: 2 },
      { id: 9, utid: 12, waking: 300, wakerCpu: 1, waker: null, wakeup: 300, target: 1, run: null, runCpu: null },
    ],
  });
});

it('has each flow once, though two stretches hold it', () => {
  const stretches = [flowsOf(table([first])), flowsOf(table([first, second]))];
  expect(joined(stretches).map((flow) => flow.id)).toEqual([5, 9]);
});

it('is in sight from its decision until its run', () => {
  const [flow, open] = flowsOf(table([first, second])).rows;
  if (!flow || !open) throw new Error('no rows');
  expect([isSeen(flow, 0, 100), isSeen(flow, 0, 101), isSeen(flow, 150, 200), isSeen(flow, 151, 200)]).toEqual(
    [false, true, true, false],
  ); // biome-ignore format: one line
  expect([isSeen(open, 300, 400), isSeen(open, 301, 400)]).toEqual([true, false]);
});

it('says what the kernel’s priorities are', () => {
  expect([-1, 0, 49, 99, 100, 120, 139, 140].map(priorityWords)).toEqual([
    '-1 (deadline)', '0 (real-time 99)', '49 (real-time 50)', '99 (real-time 0)', '100 (nice -20)', '120 (nice 0)',
    '139 (nice 19)', '140',
  ]); // biome-ignore format: a list
});
