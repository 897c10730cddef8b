import { expect, it } from 'vitest';
import type { Table } from '../../api/table';
import { distanceTo } from './flowShape';
import { flowFacts, flowsOf, isSeen, joined } from './flows';
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

it('says of an arrow from which waker to which thread it leads, and how long that waited', () => {
  const [flow, open] = flowsOf(table([first, second])).rows;
  if (!flow || !open) throw new Error('no rows');
  const label = (utid: number) => `thread ${utid}`;
  expect(flowFacts(flow, label, 10)).toEqual({
    title: 'Wakeup of thread 12',
    rows: [
      ['from', 'thread 7 on CPU 0'],
      ['to', 'thread 12 on CPU 3'],
      ['latency', '40 ns'],
      ['woken', '+0.000000 s'],
      ['decided', '10 ns before'],
      ['ran on', 'CPU 2'],
    ],
  });
  const rows = Object.fromEntries(flowFacts(open, label, 0).rows);
  expect(rows).toMatchObject({ from: 'a thread on CPU 1', latency: 'it did not run any more' });
  expect(Object.keys(rows)).not.toContain('decided');
  expect(flowFacts({ ...open, waker: 0 }, label, 0).rows[0]).toEqual(['from', 'an interrupt on idle CPU 1']);
});

it('is pointed at on its curves and on the line of its wait, not beside them', () => {
  const shape = { from: { x: 10, y: 0 }, wakeup: { x: 100, y: 80 }, run: { x: 200, y: 80 }, on: { x: 200, y: 160 } };
  // Longer than its bow, a curve bends at its later end: half way it is at (77.5, 40).
  for (const on of [shape.from, shape.wakeup, shape.run, shape.on, { x: 77.5, y: 40 }, { x: 150, y: 80 }])
    expect(distanceTo(shape, on), `${on.x}, ${on.y}`).toBeLessThan(0.5);
  expect(distanceTo(shape, { x: 150, y: 90 })).toBeCloseTo(10);
  expect(distanceTo(shape, { x: 20, y: 70 })).toBeGreaterThan(30);
  const short = { from: null, wakeup: shape.wakeup, run: null, on: null };
  expect(distanceTo(short, { x: 103, y: 84 })).toBeCloseTo(5);
});

it('says what the kernel’s priorities are', () => {
  expect([-1, 0, 49, 99, 100, 120, 139, 140].map(priorityWords)).toEqual([
    '-1 (deadline)', '0 (real-time 99)', '49 (real-time 50)', '99 (real-time 0)', '100 (nice -20)', '120 (nice 0)',
    '139 (nice 19)', '140',
  ]); // biome-ignore format: a list
});
