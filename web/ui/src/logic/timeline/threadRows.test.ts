import { describe, expect, it } from 'vitest';
import type { Table } from '../../api/table';
import type { MachineNode } from '../../api/types';
import { inOrder, laneNamed, laneUnder, layLanes, placeOfLane } from './lanes';
import { Threads } from './names';
import { type LaneChoice, parentKeyOf, type ThreadRow, threadRows, toggled } from './threadRows';

/** [name, tid, process, upid, cgroup, cgroup id, run, wait], by utid from 1 on. */
type Given = readonly [string, number, string | null, number | null, string | null, number | null, number, number];
const GIVEN: readonly Given[] = [
  ['make', 100, 'make', 1, '/build', 7, 50, 5],
  ['cc', 101, 'make', 1, '/build', 7, 300, 20],
  ['sshd', 200, 'sshd', 2, '/system', 8, 90, 1],
  ['hog', 300, 'hog', 3, '/build', 7, 200, 900],
  ['hog', 301, 'hog', 3, '/build', 7, 210, 800],
  ['stray', 400, null, null, null, null, 1, 0],
];

function table(): Table {
  const texts = (at: 0 | 2 | 4) => ({
    codes: Int32Array.from(GIVEN, (row, i) => (row[at] === null ? -1 : i)),
    values: GIVEN.map((row) => row[at] ?? ''),
  });
  const whole = (at: 1 | 3 | 5 | 6 | 7) => Float64Array.from(GIVEN, (row) => row[at] ?? Number.NaN);
  const none = Float64Array.from(GIVEN, () => Number.NaN);
  return {
    rows: GIVEN.length,
    columns: {
      utid: Float64Array.from(GIVEN, (_, i) => i + 1),
      tid: whole(1), tgid: whole(1), name: texts(0), process: texts(2), upid: whole(3), cgroup: texts(4),
      cgroup_id: whole(5), run_ns: whole(6), wait_ns: whole(7), start_ns: none, end_ns: none,
    },
    types: {},
    meta: {},
  }; // biome-ignore format: a table
}
const threads = new Threads(table());
const plain: LaneChoice = { pins: [], grouping: 'none', order: 'run', open: [], filter: '' };
const keys = (rows: readonly ThreadRow[]) => rows.map((row) => row.key);
const grouped = (choice: Partial<LaneChoice>) => keys(threadRows(threads, { ...plain, ...choice }).grouped);

describe('lanes of threads', () => {
  it('are none until one is pinned or they are asked for by group', () => {
    expect(threadRows(threads, plain)).toEqual({ pinned: [], grouped: [] });
  });

  it('are pinned in the order in which that was done; what the trace lacks has none', () => {
    const { pinned } = threadRows(threads, { ...plain, pins: ['t4', 't99', 'p1', 'c77', 't2'] });
    expect(keys(pinned)).toEqual(['t4', 'p1', 't2']);
    expect(pinned[0]).toMatchObject({ name: 'hog 300', utid: 4, pinned: true, folded: null });
    expect(pinned[1]).toMatchObject({ name: 'make 100', utid: null, members: 2, folded: true });
  });

  it('of a pinned process unfold below it, without those that are pinned themselves', () => {
    const { pinned } = threadRows(threads, { ...plain, pins: ['p1', 't2'], open: ['p1'] });
    expect(keys(pinned)).toEqual(['p1', 't1', 't2']);
    expect(pinned.map((row) => row.nested)).toEqual([false, true, false]);
  });

  it('by process: a lane per process, a single thread in place of its process, sorted as asked for', () => {
    expect(grouped({ grouping: 'process' })).toEqual(['p3', 'p1', 't3', 't6']);
    expect(grouped({ grouping: 'process', order: 'wait' })).toEqual(['p3', 'p1', 't3', 't6']);
    expect(grouped({ grouping: 'process', order: 'name' })).toEqual(['p3', 'p1', 't3', 't6']);
    expect(grouped({ grouping: 'process', order: 'tid' })).toEqual(['p1', 't3', 'p3', 't6']);
    expect(grouped({ grouping: 'process', open: ['p1', 'p3'], order: 'run' })).toEqual(
      ['p3', 't5', 't4', 'p1', 't2', 't1', 't3', 't6'],
    ); // biome-ignore format: one line
  });

  it('by bubble: the last one a thread was in, named with those around it; other threads are by themselves', () => {
    const inBubbles = new Threads(table());
    const bubble = (id: number, parent: number | null, name: string) => ({
      id, parent, name, kind: 'group', priority: null, start_ns: null, end_ns: null,
    }); // biome-ignore format: a row
    inBubbles.setBubbles({
      kind: 'declared',
      bubbles: [bubble(1, null, 'app'), bubble(2, 1, 'left'), bubble(3, 1, 'right')],
      members: [
        { utid: 1, bubble: 3, start_ns: 0, end_ns: 40 },
        { utid: 1, bubble: 2, start_ns: 40, end_ns: null },
        { utid: 2, bubble: 2, start_ns: 0, end_ns: null },
        { utid: 4, bubble: 3, start_ns: 0, end_ns: 90 },
        { utid: 5, bubble: 3, start_ns: 0, end_ns: 90 },
      ],
    });
    const choice: LaneChoice = { ...plain, grouping: 'bubble', open: ['b2'] };
    const { grouped } = threadRows(inBubbles, choice);
    expect(keys(grouped)).toEqual(['b3', 'b2', 't2', 't1', 't3', 't6']);
    expect(grouped[0]).toMatchObject({ name: 'app / right', members: 2, folded: true });
    expect(keys(threadRows(inBubbles, { ...choice, filter: 'right' }).grouped)).toEqual(['b3']);
    expect(keys(threadRows(inBubbles, { ...plain, pins: ['b2'] }).pinned)).toEqual(['b2']);
    expect(parentKeyOf(inBubbles, 1, 'bubble')).toBe('b2');
    expect(inBubbles.hue(4, 'bubble')).toBe(inBubbles.hue(5, 'bubble'));

    // Each was in the other, one after the other.
    const circle = new Threads(table());
    circle.setBubbles({
      kind: 'declared',
      bubbles: [bubble(1, 2, 'left'), bubble(2, 1, 'right')],
      members: [{ utid: 1, bubble: 1, start_ns: 0, end_ns: null }],
    });
    expect(circle.get(1)?.bubble).toBe('right / left');
  });

  it('by cgroup', () => {
    expect(grouped({ grouping: 'cgroup', open: ['c7'] })).toEqual(['c7', 't2', 't5', 't4', 't1', 't3', 't6']);
  });

  it('are filtered by the name of the thread, of its process or cgroup, and by its id', () => {
    expect(grouped({ grouping: 'process', open: ['p1', 'p3'], filter: 'cc' })).toEqual(['p1', 't2']);
    expect(grouped({ grouping: 'process', open: ['p1'], filter: 'MAKE' })).toEqual(['p1', 't2', 't1']);
    expect(grouped({ grouping: 'process', filter: '200' })).toEqual(['t3']);
    expect(grouped({ grouping: 'cgroup', filter: '/system' })).toEqual(['t3']);
    expect(grouped({ grouping: 'process', filter: 'xyzzy' })).toEqual([]);
  });

  it('of pinned threads and groups are not there twice', () => {
    const choice: LaneChoice = { ...plain, grouping: 'process', pins: ['t5', 'p1'], open: ['p3'] };
    const { pinned, grouped: below } = threadRows(threads, choice);
    expect(keys(pinned)).toEqual(['t5', 'p1']);
    expect(keys(below)).toEqual(['p3', 't4', 't3', 't6']);
  });

  it('lie above and below those of the CPUs, which shrink for them', () => {
    const cpu = (id: number): MachineNode => ({ kind: 'cpu', id, name: `CPU ${id}`, cpus: [id], children: [] });
    const machine: MachineNode = {
      kind: 'machine', id: 0, name: 'machine', cpus: [0, 1, 2, 3], children: [0, 1, 2, 3].map(cpu),
    }; // biome-ignore format: a table
    const rows = threadRows(threads, { ...plain, pins: ['t1', 't2'], grouping: 'process' });
    const laid = layLanes(machine, [], 400, rows);
    const lanes = inOrder(laid);
    expect(lanes.map((lane) => lane.key)).toEqual([
      't1', 't2', 'cpu0', 'cpu1', 'cpu2', 'cpu3', 'p3', 't3', 't6',
    ]); // biome-ignore format: one line
    for (let i = 1; i < lanes.length; i++) {
      const [before, lane] = [lanes[i - 1], lanes[i]];
      if (before && lane) expect(lane.top).toBeGreaterThanOrEqual(before.top + before.height);
    }
    for (const lane of lanes) {
      expect(laneUnder(laid, lane.top + lane.height / 2)?.key).toBe(lane.key);
      expect(laneNamed(laid, placeOfLane(lane))?.key).toBe(lane.key);
    }
    expect(laid.height).toBeLessThanOrEqual(400);
    const folded = layLanes(machine, ['machine0'], 400, rows);
    expect(folded.lanes.map((lane) => [lane.name, lane.cpus.length])).toEqual([['all CPUs', 4]]);
    const many = { pinned: rows.pinned, grouped: Array.from({ length: 500 }, () => rows.grouped[0] as ThreadRow) };
    expect(layLanes(machine, [], 400, many).lanes[0]?.height).toBe(40);
  });

  it('are pinned and unpinned by their key; a thread knows its process and cgroup', () => {
    expect(toggled(['t1'], 't2')).toEqual(['t1', 't2']);
    expect(toggled(['t1', 't2'], 't1')).toEqual(['t2']);
    expect(parentKeyOf(threads, 4, 'process')).toBe('p3');
    expect(parentKeyOf(threads, 4, 'cgroup')).toBe('c7');
    expect(parentKeyOf(threads, 6, 'process')).toBeNull();
  });
});
