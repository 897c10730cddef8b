// A flame graph: kernel stacks as a tree of functions, laid out by d3's partition, the outermost function at the top.

import { hierarchy, partition } from 'd3';

/** A stack as it is counted: the symbols innermost first. */
export interface CountedStack {
  symbols: readonly string[];
  /** In which the thread left the CPU; a level of its own above the functions. */
  state?: string | null;
  value: number;
}

/** A function, or a state, called by those above it. */
export interface FlameNode {
  name: string;
  /** By which it is distinguished from all others of the tree: the names on the way to it. */
  path: string;
  /** Of all stacks through it. */
  value: number;
  /** Of the stacks that end in it. */
  self: number;
  isState: boolean;
  children: FlameNode[];
}

/** A node in its place; `x` and `width` as shares of the whole width. */
export interface FlameBox {
  node: FlameNode;
  x: number;
  width: number;
  depth: number;
  /** Path of the node that calls it; null for the outermost. */
  parent: string | null;
}

/** `schedule` of `schedule+0x2f/0x90`; addresses stay. */
export const functionOf = (symbol: string): string => symbol.replace(/\+0x[0-9a-f]+(\/0x[0-9a-f]+)?( \[\w+\])?$/, '');

const SEPARATOR = '\u0001';

/** All stacks in one tree, whose root is called `all`. */
export function flameTree(stacks: readonly CountedStack[]): FlameNode {
  const root = node('all', '', false);
  const known = new Map<string, FlameNode>([['', root]]);
  for (const { symbols, state, value } of stacks) {
    if (value <= 0) continue;
    let at = root;
    at.value += value;
    const names = symbols.map(functionOf).reverse();
    for (const [depth, name] of (state ? [state, ...names] : names).entries()) {
      const path = at.path + SEPARATOR + name;
      let next = known.get(path);
      if (!next) {
        next = node(name, path, depth === 0 && Boolean(state));
        known.set(path, next);
        at.children.push(next);
      }
      next.value += value;
      at = next;
    }
    at.self += value;
  }
  return root;
}

const node = (name: string, path: string, isState: boolean): FlameNode => ({
  name,
  path,
  value: 0,
  self: 0,
  isState,
  children: [],
});

/** The node of a path; the root where there is none. */
export function nodeAt(root: FlameNode, path: string): FlameNode {
  let at = root;
  while (at.path !== path) {
    const next: FlameNode | undefined = at.children.find(
      (child) => path === child.path || path.startsWith(child.path + SEPARATOR),
    );
    if (!next) return root;
    at = next;
  }
  return at;
}

/** The boxes of a node and of what it calls, as wide as the whole; those narrower than `least` (a share) are left out. */
export function flameBoxes(root: FlameNode, least: number): FlameBox[] {
  const tree = hierarchy(root).sum((n) => n.self);
  tree.sort((a, b) => (b.value ?? 0) - (a.value ?? 0) || (a.data.name < b.data.name ? -1 : 1));
  return partition<FlameNode>()
    .size([1, 1])(tree)
    .descendants()
    .filter((box) => box.x1 - box.x0 >= least)
    .map(({ data, x0, x1, depth, parent }) => ({
      node: data,
      x: x0,
      width: x1 - x0,
      depth,
      parent: parent ? parent.data.path : null,
    }));
}

/** The box that an arrow key leads to from one; null where there is none. */
export function neighbour(boxes: readonly FlameBox[], path: string, key: string): FlameBox | null {
  const from = boxes.find((box) => box.node.path === path);
  if (!from) return boxes[0] ?? null;
  if (key === 'ArrowUp') return boxes.find((box) => box.node.path === from.parent) ?? null;
  if (key === 'ArrowDown') {
    const below = boxes.filter((box) => box.parent === path);
    return below.sort((a, b) => a.x - b.x)[0] ?? null;
  }
  const row = boxes.filter((box) => box.depth === from.depth).sort((a, b) => a.x - b.x);
  const at = row.indexOf(from);
  return row[key === 'ArrowLeft' ? at - 1 : at + 1] ?? null;
}

/** Functions by what is spent in them alone or below them, most first: each stack counts once for a function, also where it recurs. */
export function heaviest(stacks: readonly CountedStack[], most: number): { name: string; value: number }[] {
  const sums = new Map<string, number>();
  for (const { symbols, value } of stacks)
    for (const name of new Set(symbols.map(functionOf))) sums.set(name, (sums.get(name) ?? 0) + value);
  return [...sums]
    .map(([name, value]) => ({ name, value }))
    .filter(({ value }) => value > 0)
    .sort((a, b) => b.value - a.value || (a.name < b.name ? -1 : 1))
    .slice(0, most);
}
