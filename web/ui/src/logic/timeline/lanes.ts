// Which lanes there are, where they lie, and the brackets of topology beside them.

import type { MachineNode } from '../../api/types';

export interface TimelineLane {
  /** `cpu5`, or the key of a folded part of the machine. */
  key: string;
  name: string;
  /** CPUs that it shows: one, or all of a folded part. */
  cpus: readonly number[];
  top: number;
  height: number;
}

export interface Bracket {
  key: string;
  kind: MachineNode['kind'];
  name: string;
  /** Column, 0 the outermost. */
  depth: number;
  folded: boolean;
  cpus: readonly number[];
  top: number;
  height: number;
}

export interface LaneLayout {
  lanes: TimelineLane[];
  brackets: Bracket[];
  /** Columns of brackets. */
  depth: number;
  height: number;
}

export const nodeKey = (node: MachineNode): string => `${node.kind}${node.id}`;

const TALLEST = 96;
const SHORTEST = 6;

/** Children that add information: a part with the same CPUs as its parent, and a core of one CPU, are replaced by their children. */
function shownChildren(node: MachineNode): MachineNode[] {
  return node.children.flatMap((child) => {
    const trivial = child.kind !== 'cpu' && (child.cpus.length === node.cpus.length || child.cpus.length === 1);
    return trivial ? shownChildren(child) : [child];
  });
}

/** Lanes in topology order within `height` pixels; they shrink to fit, then the page scrolls. */
export function layLanes(tree: MachineNode, folded: ReadonlySet<string>, height: number): LaneLayout {
  const rows: { key: string; name: string; cpus: readonly number[]; gap: number }[] = [];
  const spans: { node: MachineNode; depth: number; first: number; last: number; folded: boolean }[] = [];
  let deepest = 0;
  const walk = (node: MachineNode, depth: number, gap: number) => {
    if (node.kind === 'cpu') {
      rows.push({ key: `cpu${node.cpus[0]}`, name: `${node.cpus[0]}`, cpus: node.cpus, gap });
      return;
    }
    const bracket = depth >= 0;
    const isFolded = bracket && folded.has(nodeKey(node));
    const first = rows.length;
    if (isFolded) rows.push({ key: nodeKey(node), name: node.name, cpus: node.cpus, gap });
    else {
      const children = shownChildren(node);
      children.forEach((child, index) => {
        const between = child.kind === 'cpu' ? 0 : child.kind === 'core' ? 2 : 6;
        walk(child, depth + 1, index === 0 ? gap : between);
      });
    }
    if (bracket) {
      deepest = Math.max(deepest, depth + 1);
      spans.push({ node, depth, first, last: rows.length - 1, folded: isFolded });
    }
  };
  walk(tree, -1, 0);

  const gaps = rows.reduce((sum, row) => sum + row.gap, 0);
  const each = Math.floor(Math.min(Math.max((height - gaps) / Math.max(rows.length, 1), SHORTEST), TALLEST));
  let y = 0;
  const lanes = rows.map((row): TimelineLane => {
    const top = y + row.gap;
    y = top + each;
    return { key: row.key, name: row.name, cpus: row.cpus, top, height: each };
  });
  const brackets = spans.map((span): Bracket => {
    const top = lanes[span.first]?.top ?? 0;
    const last = lanes[span.last];
    const end = last ? last.top + last.height : top;
    const { node } = span;
    return {
      key: nodeKey(node),
      kind: node.kind,
      name: node.name,
      depth: span.depth,
      folded: span.folded,
      cpus: node.cpus,
      top,
      height: end - top,
    };
  });
  return { lanes, brackets, depth: deepest, height: y };
}

/** Index of the lane at `y`, or of the nearest one above the gap; -1 outside. */
export function laneAt(lanes: readonly TimelineLane[], y: number): number {
  if (y < 0) return -1;
  let low = 0;
  let high = lanes.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((lanes[middle] as TimelineLane).top <= y) low = middle + 1;
    else high = middle;
  }
  const found = lanes[low - 1];
  return found && y < found.top + found.height + 2 ? low - 1 : -1;
}
