import { expect, it } from 'vitest';
import type { SelectionFigures } from '../../api/types';
import { csvOf } from '../rowText';
import type { Threads } from './names';
import { rangeOf, rangeTable } from './rangeRows';

const threads = {
  get: (utid: number) => (utid === 7 ? { tid: 70, name: 'make, "x"', process: 'make', cgroup: null } : undefined),
} as unknown as Threads;
const none = { runs: 0, waits: 0, longest_wait_ns: 0, sleep_ns: 0, blocked_ns: 0, stopped_ns: 0, throttled_ns: 0 };
const figures = {
  start_ns: 5,
  end_ns: 105,
  threads: [
    { ...none, utid: 7, run_ns: 60, wait_ns: 30, avoidable_ns: 10, runs: 2, waits: 1, longest_wait_ns: 30 },
    { ...none, utid: 8, run_ns: 0, wait_ns: 0, avoidable_ns: 0, sleep_ns: 100 },
  ],
} as unknown as SelectionFigures;

it('is saved with a thread in a row, its range in each', () => {
  expect(csvOf(rangeTable(figures, threads))).toBe(
    'start_ns,end_ns,utid,tid,name,process,cgroup,runs,waits,run_ns,wait_ns,avoidable_ns,longest_wait_ns,sleep_ns,blocked_ns,stopped_ns,throttled_ns\n' +
      '5,105,7,70,"make, ""x""",make,,2,1,60,30,10,30,0,0,0,0\n' +
      '5,105,8,,,,,0,0,0,0,0,0,100,0,0,0\n',
  );
});

it('says whose it is', () => {
  const nameOf = (key: string) => key.toUpperCase();
  const span = { start: 1, end: 2 };
  expect(rangeOf({ ...span, cpus: null }, nameOf)).toBe(' on all CPUs');
  expect(rangeOf({ ...span, cpus: [0, 1, 2] }, nameOf)).toBe(' on CPU 0-2');
  expect(rangeOf({ ...span, cpus: null, lanes: ['t1'] }, nameOf)).toBe(' of T1');
  expect(rangeOf({ ...span, cpus: null, lanes: ['t1', 'p2'] }, nameOf)).toBe(' of T1 and P2');
  expect(rangeOf({ ...span, cpus: null, lanes: ['t1', 'p2', 'c3'] }, nameOf)).toBe(' of T1, P2 and 1 more');
});
