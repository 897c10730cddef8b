import { describe, expect, it } from 'vitest';
import type { MachineNode } from '../../api/types';
import { isFitted, laneAt, layLanes, NAMED_HEIGHT } from './lanes';
import type { ThreadRows } from './threadRows';

const cpu = (id: number): MachineNode => ({ kind: 'cpu', id, name: `CPU ${id}`, cpus: [id], children: [] });
const part = (kind: MachineNode['kind'], id: number, children: MachineNode[]): MachineNode => ({
  kind,
  id,
  name: `${kind} ${id}`,
  cpus: children.flatMap((child) => child.cpus),
  children,
});

/** Two nodes of one cache each, two cores of two threads each. */
const machine = part(
  'machine',
  0,
  [0, 1].map((node) =>
    part('node', node, [
      part(
        'llc',
        node,
        [0, 1].map((core) => part('core', node * 2 + core, [cpu(node * 4 + core * 2), cpu(node * 4 + core * 2 + 1)])),
      ),
    ]),
  ),
);

const wideMachine = (cpus: number) =>
  part(
    'machine',
    0,
    Array.from({ length: cpus }, (_, id) => cpu(id)),
  );

describe('lanes', () => {
  it('follow the topology, with brackets for the levels that divide the CPUs', () => {
    const { lanes, brackets, depth } = layLanes(machine, new Set(), 400);
    expect(lanes.map((lane) => lane.key)).toEqual(['cpu0', 'cpu1', 'cpu2', 'cpu3', 'cpu4', 'cpu5', 'cpu6', 'cpu7']);
    expect(brackets.map((bracket) => bracket.key).sort()).toEqual([
      'core0',
      'core1',
      'core2',
      'core3',
      'node0',
      'node1',
    ]);
    expect(depth).toBe(2);
  });

  it('fold a part into one lane', () => {
    const { lanes } = layLanes(machine, new Set(['node1']), 400);
    expect(lanes.map((lane) => [lane.key, lane.cpus.length])).toEqual([
      ['cpu0', 1],
      ['cpu1', 1],
      ['cpu2', 1],
      ['cpu3', 1],
      ['node1', 4],
    ]);
  });

  it('have no brackets where nothing is known of the machine', () => {
    const flat = part('machine', 0, [cpu(0), cpu(1)]);
    expect(layLanes(flat, new Set(), 400)).toMatchObject({ depth: 0, brackets: [] });
  });

  it('shrink to the height of a name, then scroll, and are found by their height', () => {
    const wide = wideMachine(4096);
    const laid = layLanes(wide, new Set(), 600);
    expect(laid.lanes[0]?.height).toBe(NAMED_HEIGHT);
    expect(laid.height).toBe(4096 * NAMED_HEIGHT);
    expect(laid.crowded).toBe(true);
    for (const at of [0, 17, 4095]) expect(laneAt(laid.lanes, (laid.lanes[at]?.top ?? 0) + 3)).toBe(at);
    expect(laneAt(laid.lanes, -1)).toBe(-1);
    expect(laneAt(laid.lanes, laid.height + 10)).toBe(-1);
    const roomy = layLanes(machine, new Set(), 5000);
    expect(roomy.lanes[0]?.height).toBe(240);
    expect(roomy.crowded).toBe(false);
  });

  it('are all in the window where that is asked for, and low beside lanes of threads unless names are asked for', () => {
    const wide = wideMachine(256);
    const heights = (rows: ThreadRows | undefined, fit: boolean | null) => {
      const laid = layLanes(wide, new Set(), 520, rows, fit);
      return [laid.lanes[0]?.height, isFitted(laid), laid.crowded];
    };
    expect(heights(undefined, true)).toEqual([2, true, true]);
    const all = layLanes(wide, new Set(), 520, undefined, true);
    expect(all.height).toBe(520);
    all.lanes.slice(1).forEach((lane, index) => {
      const before = all.lanes[index] ?? lane;
      expect(lane.top).toBe(before.top + before.height);
    });
    expect(heights(undefined, false)).toEqual([NAMED_HEIGHT, false, true]);
    const thread = {
      key: 't1',
      utid: 1,
      name: 'a',
      detail: '',
      members: 1,
      nested: false,
      folded: null,
      pinned: false,
    };
    const listed = { pinned: [], grouped: [thread] } as unknown as ThreadRows;
    expect(heights(listed, null)).toEqual([6, true, true]);
    expect(heights(listed, false)).toEqual([NAMED_HEIGHT, false, true]);
    expect(heights({ ...listed, pinned: listed.grouped, grouped: [] }, null)).toEqual([NAMED_HEIGHT, false, true]);
    expect(isFitted(layLanes(machine, new Set(), 400, undefined, true))).toBe(false);
  });
});
