// Which CPUs have lanes, and in what order: all by topology, or as a link says.

import type { MachineNode } from '../../api/types';
import type { CpuOrder } from '../place';

export interface CpuChoice {
  /** The only ones that have lanes; null: all. */
  cpus: readonly number[] | null;
  /** Those that stand above the others, in this order. */
  first: readonly number[];
  order: CpuOrder;
}

/** The part of a machine that these CPUs make; null where it has none of them. */
function partOf(node: MachineNode, keeps: (cpu: number) => boolean): MachineNode | null {
  const cpus = node.cpus.filter(keeps);
  if (cpus.length === node.cpus.length) return node;
  if (cpus.length === 0) return null;
  const children = node.children.map((child) => partOf(child, keeps)).filter((child) => child !== null);
  return { ...node, cpus, children };
}

function leavesOf(node: MachineNode): MachineNode[] {
  return node.kind === 'cpu' ? [node] : node.children.flatMap(leavesOf);
}

/**
 * The machine with the lanes of these CPUs. `weights` sorts them where the order is not that of the topology: the highest first,
 * equal ones by number. Where none of the CPUs exists, all have lanes.
 */
export function arranged(tree: MachineNode, choice: CpuChoice, weights: ReadonlyMap<number, number>): MachineNode {
  const asked = choice.cpus && new Set(choice.cpus);
  const whole = (asked && partOf(tree, (cpu) => asked.has(cpu))) ?? tree;
  if (choice.first.length === 0 && choice.order === 'topology') return whole;
  const place = new Map(choice.first.map((cpu, index) => [cpu, index]));
  const leaves = leavesOf(whole);
  const placeOf = (leaf: MachineNode) => place.get(leaf.cpus[0] ?? -1);
  const first = leaves
    .filter((leaf) => placeOf(leaf) !== undefined)
    .sort((a, b) => (placeOf(a) ?? 0) - (placeOf(b) ?? 0));
  const rest = partOf(whole, (cpu) => !place.has(cpu));
  if (choice.order === 'topology') return { ...whole, children: [...first, ...(rest?.children ?? [])] };
  const weight = (leaf: MachineNode) => weights.get(leaf.cpus[0] ?? -1) ?? 0;
  const sorted = leaves
    .filter((leaf) => placeOf(leaf) === undefined)
    .sort((a, b) => weight(b) - weight(a) || (a.cpus[0] ?? 0) - (b.cpus[0] ?? 0));
  return { ...whole, children: [...first, ...sorted] };
}

interface Waste {
  start_ns: number;
  end_ns: number;
  idle_cpus: readonly number[];
  overloaded_cpus: readonly number[];
}

/** For how long each CPU idled or was overloaded in episodes, which may overlap: that time counts once, ns. */
export function timeInEpisodes(episodes: readonly Waste[]): Map<number, number> {
  const until = new Map<number, number>();
  const sum = new Map<number, number>();
  for (const { start_ns, end_ns, idle_cpus, overloaded_cpus } of [...episodes].sort((a, b) => a.start_ns - b.start_ns))
    for (const cpu of new Set([...idle_cpus, ...overloaded_cpus])) {
      const from = Math.max(start_ns, until.get(cpu) ?? start_ns);
      sum.set(cpu, (sum.get(cpu) ?? 0) + Math.max(end_ns - from, 0));
      until.set(cpu, Math.max(end_ns, until.get(cpu) ?? end_ns));
    }
  return sum;
}
