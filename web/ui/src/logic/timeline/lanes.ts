// Which lanes there are, where they lie, and the brackets of topology beside them: pinned threads, CPUs, groups of threads.

import type { MachineNode } from '../../api/types';
import type { ThreadRow, ThreadRows } from './threadRows';

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

/** A lane of a thread, or of all threads of a process or cgroup. */
export interface ThreadLane extends ThreadRow {
  top: number;
  height: number;
}

export interface LaneLayout {
  /** Those of CPUs. */
  lanes: TimelineLane[];
  /** Those of threads, from top to bottom: `above` of them above the CPUs. */
  threads: ThreadLane[];
  above: number;
  brackets: Bracket[];
  /** Columns of brackets. */
  depth: number;
  height: number;
  /** Parts of the machine whose lanes are one: of the place, or `folds` where it names none. */
  folded: readonly string[];
  /** Those that are folded unless the place says otherwise. */
  folds: readonly string[];
  /** Lanes of CPUs that have names do not fit beside the others: a part is in sight, or they are lower. */
  crowded: boolean;
}

export const nodeKey = (node: MachineNode): string => `${node.kind}${node.id}`;

/** A few CPUs fill the window; a single one is not a wall. */
const TALLEST = 240;
/** Lanes of CPUs are as high as this at least, so that each has its number and names of threads fit into it. */
export const NAMED_HEIGHT = 14;
/** Least heights of lanes that have to fit: beside lanes of threads, and where all CPUs are to be in sight. */
const BESIDE_THREADS = 6;
const ALL_IN_SIGHT = 1;
/** Height of a lane of threads: a name fits. */
export const THREAD_HEIGHT = 20;
/** Between the lanes of threads and those of CPUs. */
const SECTION_GAP = 8;
/** Where so many windows of lanes would be scrolled through, parts of the machine are folded unless others are asked for. */
const FOLDED_FROM = 4;
/** Of so many CPUs at most lanes remain then: where threads wait that are looked at. */
const MOST_UNFOLDED = 64;
/** Share of the height that the lanes of CPUs get at least, beside any number of threads. */
const LEAST_SHARE = 0.4;
const NO_ROWS: ThreadRows = { pinned: [], grouped: [] };
const NONE: ReadonlySet<number> = new Set();

/** Children that add information: a part with the same CPUs as its parent, and a core of one CPU, are replaced by their children. */
function shownChildren(node: MachineNode): MachineNode[] {
  return node.children.flatMap((child) => {
    const trivial = child.kind !== 'cpu' && (child.cpus.length === node.cpus.length || child.cpus.length === 1);
    return trivial ? shownChildren(child) : [child];
  });
}

/** The outermost parts that have a bracket, but for the one that holds most of the CPUs to look at. */
function foldsOf(tree: MachineNode, height: number, lookedAt: ReadonlySet<number>): string[] {
  if (tree.cpus.length * NAMED_HEIGHT <= FOLDED_FROM * height) return [];
  const parts = shownChildren(tree).filter((child) => child.kind !== 'cpu');
  const within = (part: MachineNode) => part.cpus.filter((cpu) => lookedAt.has(cpu)).length;
  const [first] = [...parts].sort((a, b) => within(b) - within(a));
  const open = first && within(first) > 0 && first.cpus.length <= MOST_UNFOLDED ? first : null;
  return parts.filter((part) => part !== open).map(nodeKey);
}

/**
 * Lanes of CPUs in topology order and of threads, which shrink to fit into `height` pixels, then scroll. Lanes of CPUs keep the height of
 * a name unless `fit` is true (all of them in sight) or, where it is null, threads are listed below them. Where `asked` does not say
 * which parts are folded and `fit` is null, those of a machine of very many CPUs are, but for the part with those that are `lookedAt`.
 */
export function layLanes(
  tree: MachineNode,
  asked: readonly string[] | null,
  height: number,
  { pinned, grouped }: ThreadRows = NO_ROWS,
  fit: boolean | null = null,
  lookedAt: ReadonlySet<number> = NONE,
): LaneLayout {
  const folds = fit === null ? foldsOf(tree, height, lookedAt) : [];
  const folded = new Set(asked ?? folds);
  const rows: { key: string; name: string; cpus: readonly number[]; gap: number }[] = [];
  const spans: { node: MachineNode; depth: number; first: number; last: number; folded: boolean }[] = [];
  let deepest = 0;
  const walk = (node: MachineNode, depth: number, gap: number) => {
    if (node.kind === 'cpu') {
      rows.push({ key: `cpu${node.cpus[0]}`, name: `${node.cpus[0]}`, cpus: node.cpus, gap });
      return;
    }
    const bracket = depth >= 0;
    const isFolded = folded.has(nodeKey(node));
    const first = rows.length;
    if (isFolded) rows.push({ key: nodeKey(node), name: bracket ? node.name : 'all CPUs', cpus: node.cpus, gap });
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
  const beside = heightOf(pinned) + heightOf(grouped);
  const available = Math.max(height - beside, beside > 0 ? height * LEAST_SHARE : 0);
  const fitting = (available - gaps) / Math.max(rows.length, 1);
  const shortest = fit ? ALL_IN_SIGHT : fit === null && grouped.length > 0 ? BESIDE_THREADS : NAMED_HEIGHT;
  const wanted = Math.min(Math.max(fitting, shortest), TALLEST);
  // Low lanes that fill the window differ by a pixel.
  const each = wanted < BESIDE_THREADS ? wanted : Math.floor(wanted);
  const above = pinned.map((row, index): ThreadLane => ({ ...row, top: index * THREAD_HEIGHT, height: THREAD_HEIGHT }));
  let y = heightOf(pinned);
  const lanes = rows.map((row): TimelineLane => {
    const top = y + row.gap;
    y = top + each;
    const pixel = Math.round(top);
    return { key: row.key, name: row.name, cpus: row.cpus, top: pixel, height: Math.max(Math.round(y) - pixel, 1) };
  });
  y = Math.round(y);
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
  const from = y + SECTION_GAP;
  const below = grouped.map(
    (row, index): ThreadLane => ({ ...row, top: from + index * THREAD_HEIGHT, height: THREAD_HEIGHT }),
  );
  return {
    lanes,
    threads: [...above, ...below],
    above: above.length,
    brackets,
    depth: deepest,
    folded: [...folded],
    folds,
    height: y + heightOf(grouped),
    crowded: fitting < NAMED_HEIGHT,
  };
}

/** Lanes of CPUs are lower than a name. */
export const isFitted = ({ lanes }: LaneLayout): boolean => (lanes[0]?.height ?? NAMED_HEIGHT) < NAMED_HEIGHT;

/** All CPUs could be brought into the window, with lanes that are lower or not folded. */
export const canFit = ({ crowded, folds }: LaneLayout): boolean => crowded || folds.length > 0;

/** What brings all CPUs into the window, or back to lanes with names: beside lanes of threads that has to be asked for. */
export const otherFit = (layout: LaneLayout, besideThreads: boolean): boolean | null =>
  isFitted(layout) ? (besideThreads ? false : null) : true;

/** What a link says of folded parts: nothing where they are as they are without it. */
export const foldedPlace = ({ folds }: LaneLayout, folded: readonly string[]): readonly string[] | null =>
  folded.length === folds.length && folded.every((key) => folds.includes(key)) ? null : folded;

/** How many CPUs have their lane, or half of it at least, between two heights. */
export function cpusBetween({ lanes }: LaneLayout, top: number, bottom: number): number {
  const seen = lanes.filter(
    (lane) => Math.min(lane.top + lane.height, bottom) - Math.max(lane.top, top) >= lane.height / 2,
  );
  return seen.reduce((sum, lane) => sum + lane.cpus.length, 0);
}

/** From the first lane of a CPU to the last one. */
export function heightOfCpus({ lanes }: LaneLayout): number {
  const [first] = lanes;
  const last = lanes.at(-1);
  return first && last ? last.top + last.height - first.top : 0;
}

/** Of lanes of threads, with the gap to those of CPUs. */
const heightOf = (rows: readonly ThreadRow[]) => (rows.length > 0 ? rows.length * THREAD_HEIGHT + SECTION_GAP : 0);

/** The lane of CPUs or of threads at a height; undefined for none. */
export function laneUnder(layout: LaneLayout, y: number): TimelineLane | ThreadLane | undefined {
  return layout.lanes[laneAt(layout.lanes, y)] ?? layout.threads[laneAt(layout.threads, y)];
}

export const isThreadLane = (lane: TimelineLane | ThreadLane): lane is ThreadLane => 'members' in lane;

/** The lanes of CPUs and of threads, from top to bottom. */
export function inOrder({ lanes, threads }: LaneLayout): (TimelineLane | ThreadLane)[] {
  return [...lanes, ...threads].sort((a, b) => a.top - b.top);
}

/** What a link calls a lane: the number of its first CPU, or the key of a thread or group. */
export const placeOfLane = (lane: TimelineLane | ThreadLane): string =>
  isThreadLane(lane) ? lane.key : String(lane.cpus[0]);

/** The lane that a link names. */
export const laneNamed = (layout: LaneLayout, place: string): TimelineLane | ThreadLane | undefined =>
  /^\d+$/.test(place)
    ? layout.lanes.find((lane) => lane.cpus.includes(Number(place)))
    : layout.threads.find((lane) => lane.key === place);

/** Index of the lane at `y`, or of the nearest one above the gap; -1 outside. */
export function laneAt(lanes: readonly { top: number; height: number }[], y: number): number {
  if (y < 0) return -1;
  let low = 0;
  let high = lanes.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((lanes[middle] as { top: number }).top <= y) low = middle + 1;
    else high = middle;
  }
  const found = lanes[low - 1];
  return found && y < found.top + found.height + 2 ? low - 1 : -1;
}
