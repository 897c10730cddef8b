import { describe, expect, it } from 'vitest';
import type { MachineNode } from '../../api/types';
import { laneAt, layLanes } from './lanes';

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

  it('shrink to fit, to a limit, and are found by their height', () => {
    const wide = part(
      'machine',
      0,
      Array.from({ length: 4096 }, (_, id) => cpu(id)),
    );
    const laid = layLanes(wide, new Set(), 600);
    expect(laid.lanes[0]?.height).toBe(6);
    expect(laid.height).toBe(4096 * 6);
    for (const at of [0, 17, 4095]) expect(laneAt(laid.lanes, (laid.lanes[at]?.top ?? 0) + 3)).toBe(at);
    expect(laneAt(laid.lanes, -1)).toBe(-1);
    expect(laneAt(laid.lanes, laid.height + 10)).toBe(-1);
    expect(layLanes(machine, new Set(), 5000).lanes[0]?.height).toBe(240);
  });
});
