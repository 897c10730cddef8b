import { describe, expect, it } from 'vitest';
import type { MachineNode } from '../../api/types';
import { canFit, cpusBetween, foldedPlace, isFitted, laneAt, layLanes, NAMED_HEIGHT, otherFit } from './lanes';
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
    const { lanes, brackets, depth } = layLanes(machine, [], 400);
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
    const { lanes } = layLanes(machine, ['node1'], 400);
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
    expect(layLanes(flat, [], 400)).toMatchObject({ depth: 0, brackets: [] });
  });

  it('shrink to the height of a name, then scroll, and are found by their height', () => {
    const wide = wideMachine(4096);
    const laid = layLanes(wide, [], 600);
    expect(laid.lanes[0]?.height).toBe(NAMED_HEIGHT);
    expect(laid.height).toBe(4096 * NAMED_HEIGHT);
    expect(laid.crowded).toBe(true);
    for (const at of [0, 17, 4095]) expect(laneAt(laid.lanes, (laid.lanes[at]?.top ?? 0) + 3)).toBe(at);
    expect(laneAt(laid.lanes, -1)).toBe(-1);
    expect(laneAt(laid.lanes, laid.height + 10)).toBe(-1);
    const roomy = layLanes(machine, [], 5000);
    expect(roomy.lanes[0]?.height).toBe(240);
    expect(roomy.crowded).toBe(false);
  });

  it('are all in the window where that is asked for, and low beside lanes of threads unless names are asked for', () => {
    const wide = wideMachine(256);
    const heights = (rows: ThreadRows | undefined, fit: boolean | null) => {
      const laid = layLanes(wide, [], 520, rows, fit);
      return [laid.lanes[0]?.height, isFitted(laid), laid.crowded];
    };
    expect(heights(undefined, true)).toEqual([2, true, true]);
    const all = layLanes(wide, [], 520, undefined, true);
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
    expect(isFitted(layLanes(machine, [], 400, undefined, true))).toBe(false);
  });

  it('of very many CPUs are folded by their outermost parts, but for the part whose threads waited', () => {
    const nodes = (count: number, cpus: number) =>
      part(
        'machine',
        0,
        Array.from({ length: count }, (_, node) =>
          part(
            'node',
            node,
            Array.from({ length: cpus }, (_, id) => cpu(node * cpus + id)),
          ),
        ),
      );
    const folded = (tree: MachineNode, height: number, lookedAt: number[] = []) =>
      layLanes(tree, null, height, undefined, null, new Set(lookedAt)).folded;
    const large = nodes(8, 32);
    const keys = Array.from({ length: 8 }, (_, node) => `node${node}`);
    expect(folded(large, 520)).toEqual(keys);
    expect(folded(large, 520, [3, 40, 41])).toEqual(keys.filter((key) => key !== 'node1'));
    expect(folded(nodes(2, 128), 520, [3])).toEqual(['node0', 'node1']);
    expect(folded(nodes(8, 8), 520)).toEqual([]);
    expect(folded(wideMachine(256), 520)).toEqual([]);
    // A link that says which are folded, or asks for all CPUs, gets that.
    expect(layLanes(large, [], 520).lanes.length).toBe(256);
    expect(layLanes(large, null, 520, undefined, true).lanes.length).toBe(256);
    const byDefault = layLanes(large, null, 520);
    expect(foldedPlace(byDefault, [...keys].reverse())).toBeNull();
    expect(foldedPlace(byDefault, [])).toEqual([]);
    expect(foldedPlace(layLanes(machine, null, 400), [])).toBeNull();
    expect([canFit(byDefault), isFitted(byDefault), otherFit(byDefault, false)]).toEqual([true, false, true]);
    const fitted = layLanes(large, null, 520, undefined, true);
    expect([otherFit(fitted, false), otherFit(fitted, true)]).toEqual([null, false]);
  });

  it('are counted by their CPUs where half of them is in sight', () => {
    const scrolled = layLanes(wideMachine(256), [], 520);
    expect(cpusBetween(scrolled, 0, 520)).toBe(37);
    expect(cpusBetween(scrolled, 6, 526)).toBe(38);
    expect(cpusBetween(scrolled, 8, 528)).toBe(37);
    const folded = layLanes(machine, ['node0'], 400);
    expect(cpusBetween(folded, 0, 400)).toBe(8);
    expect(cpusBetween(folded, 0, folded.lanes[0]?.height ?? 0)).toBe(4);
  });
});
