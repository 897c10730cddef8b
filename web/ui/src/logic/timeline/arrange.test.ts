import { describe, expect, it } from 'vitest';
import type { MachineNode } from '../../api/types';
import { arranged, type CpuChoice, timeInEpisodes } from './arrange';
import { layLanes } from './lanes';

const cpu = (id: number): MachineNode => ({ kind: 'cpu', id, name: `CPU ${id}`, cpus: [id], children: [] });
const node = (id: number, cpus: number[]): MachineNode => ({
  kind: 'node',
  id,
  name: `node ${id}`,
  cpus,
  children: cpus.map(cpu),
});
const machine: MachineNode = {
  kind: 'machine',
  id: 0,
  name: 'machine',
  cpus: [0, 1, 2, 3],
  children: [node(0, [0, 1]), node(1, [2, 3])],
};
const ALL: CpuChoice = { cpus: null, first: [], order: 'topology' };
const shown = (choice: Partial<CpuChoice>, weights: [number, number][] = []) => {
  const layout = layLanes(arranged(machine, { ...ALL, ...choice }, new Map(weights)), null, 400);
  return { cpus: layout.lanes.map((lane) => lane.name), brackets: layout.brackets.map((bracket) => bracket.name) };
};

describe('lanes of CPUs', () => {
  it('are those of the whole machine, by topology', () => {
    expect(arranged(machine, ALL, new Map())).toBe(machine);
    expect(shown({})).toEqual({ cpus: ['0', '1', '2', '3'], brackets: ['node 0', 'node 1'] });
  });
  it('are those of the CPUs that are asked for, beside their part of the machine', () => {
    expect(shown({ cpus: [3, 0, 1] })).toEqual({ cpus: ['0', '1', '3'], brackets: ['node 0'] });
    expect(shown({ cpus: [77] }).cpus, 'none of them exists').toHaveLength(4);
  });
  it('have those that are pinned above the others, once', () => {
    expect(shown({ first: [3, 0] })).toEqual({ cpus: ['3', '0', '1', '2'], brackets: [] });
    expect(shown({ first: [3], cpus: [0, 1] }).cpus, 'no more than are asked for').toEqual(['0', '1']);
    expect(shown({ first: [2, 3] })).toEqual({ cpus: ['2', '3', '0', '1'], brackets: ['node 0'] });
  });
  it('are sorted by what weighs most', () => {
    const weights: [number, number][] = [
      [2, 9],
      [1, 5],
    ];
    expect(shown({ order: 'waste' }, weights)).toEqual({ cpus: ['2', '1', '0', '3'], brackets: [] });
    expect(shown({ order: 'waste', first: [3] }, weights).cpus).toEqual(['3', '2', '1', '0']);
  });
});

describe('time in episodes', () => {
  it('counts once where they overlap', () => {
    const of = (start_ns: number, end_ns: number, idle_cpus: number[], overloaded_cpus: number[]) => ({
      start_ns,
      end_ns,
      idle_cpus,
      overloaded_cpus,
    });
    const found = timeInEpisodes([of(10, 20, [1], [0]), of(0, 15, [1], []), of(12, 14, [1], [2])]);
    expect([0, 1, 2, 3].map((at) => found.get(at))).toEqual([10, 20, 2, undefined]);
  });
});
