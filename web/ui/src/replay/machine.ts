// The machine as nested areas: machine ▸ node ▸ LLC ▸ core ▸ CPU, each with the bar of its runqueue.
//
// Sizes are in units of the page at rest (camera at 1); the view that draws scales them.

import { NAMED_CELL, nameSize } from './legible';

export interface MachineTree {
  kind: 'machine' | 'node' | 'llc' | 'core' | 'cpu';
  id: number;
  name: string;
  cpus: number[];
  children: MachineTree[];
  /** Parts with the same CPUs as this one, which have no area of their own. */
  also?: { kind: MachineTree['kind']; id: number }[];
}

export interface Rect {
  x: number;
  y: number;
  w: number;
  h: number;
}

/** An area above the CPUs. */
export interface Area extends Rect {
  kind: MachineTree['kind'];
  id: number;
  name: string;
  cpus: number[];
  /** 0 for the machine. */
  depth: number;
  /** Height of the strip at its top in which its runqueue lies. */
  bar: number;
  also: readonly { kind: MachineTree['kind']; id: number }[];
}

/** Where a CPU's bodies are. Columns and rows are those of the queue; more threads than fit become a count. */
export interface Cell extends Rect {
  cpu: number;
  /** Centre and radius of the running thread. */
  runX: number;
  runY: number;
  runR: number;
  /** The queue's bar. */
  barY: number;
  slotR: number;
  columns: number;
  rows: number;
  /** Area of the core it belongs to, when it shares it with an SMT sibling; -1 otherwise. */
  area: number;
}

export interface MachineLayout {
  bounds: Rect;
  areas: Area[];
  /** In the order of the tree. */
  cells: Cell[];
  /** Index into cells by CPU number; -1 no such CPU. */
  cellOf: Int16Array;
}

const GAP = [14, 10, 6, 3, 0];
const BAR = [26, 20, 15, 8, 0];
/** The bar of a node, or of what else the machine consists of, has space for its name at any size of the cells. */
const NAMED_BAR = 17;
const CELL_ASPECT = 0.92;
/** Cells become this much taller than wide, or wider than tall, to fill the page. */
const TALLEST = 2;
const WIDEST = 1.6;
/** Letters of a name that need no row of their own. */
const ROOMY_NAME = 10;
/** How far down in its cell the running thread is: below the CPU's number, above its own name. */
const RUN_AT = 0.42;

/** Levels that add no information (one child that spans the same CPUs, a core with one CPU) have no area. */
export function condense(tree: MachineTree): MachineTree {
  const children = tree.children
    .map(condense)
    .map((c) => (c.kind === 'core' && c.children.length === 1 ? c.children[0]! : c));
  const only = children[0];
  if (children.length === 1 && only !== undefined && only.kind !== 'cpu' && tree.kind !== 'machine') {
    const also = [...(only.also ?? []), { kind: tree.kind, id: tree.id }];
    return { ...only, name: `${tree.name} · ${only.name}`, also };
  }
  if (children.length === 1 && only !== undefined && only.kind !== 'cpu') {
    const also = [...(tree.also ?? []), ...(only.also ?? []), { kind: only.kind, id: only.id }];
    return { ...tree, children: only.children, also };
  }
  return { ...tree, children };
}

interface PartSize {
  tree: MachineTree;
  depth: number;
  w: number;
  h: number;
  columns: number;
  parts: PartSize[];
  bar: number;
  gap: number;
}

interface CellSize {
  w: number;
  h: number;
}

/** Lays the machine out for a page of this shape: cells as large as that permits, `largest` at most, then stretched to fill it. */
export function layMachine(tree: MachineTree, width: number, height: number, largest = 240, bars = 1): MachineLayout {
  const root = condense(tree);
  const levels = levelsOf(root);
  let best = { score: -1, cell: 6, columns: levels.map((l) => l.most) };
  for (const columns of choices(levels)) {
    const cell = largestCell(levels, columns, width, height, largest, bars);
    const score = cell * worth(levels, columns, cell, bars);
    if (score > best.score) best = { score, cell, columns };
  }
  const stretched = stretch(levels, best.columns, best.cell, width, height, bars);
  const sized = size(root, 0, best.cell, stretched, best.columns, bars);
  const areas: Area[] = [];
  const cells: Cell[] = [];
  place(sized, Math.max(0, (width - sized.w) / 2), Math.max(0, (height - sized.h) / 2), -1, areas, cells);
  const cellOf = new Int16Array(cells.reduce((m, c) => Math.max(m, c.cpu), -1) + 1).fill(-1);
  cells.forEach((c, i) => {
    cellOf[c.cpu] = i;
  });
  const first = areas[0] ?? cells[0]!;
  return { bounds: { x: first.x, y: first.y, w: first.w, h: first.h }, areas, cells, cellOf };
}

/** Margins shrink with the cells, so that a machine of a thousand CPUs is not all margin. */
const margin = (of: number[], depth: number, cell: number): number =>
  (of[Math.min(depth, of.length - 1)] ?? 0) * Math.min(1, Math.max(0.12, cell / 64));

/** Parts at a depth: the most that any area there has. */
interface Level {
  kind: MachineTree['kind'];
  most: number;
}

function levelsOf(tree: MachineTree, depth = 0, found: Level[] = []): Level[] {
  if (tree.kind === 'cpu') return found;
  const here = found[depth] ?? { kind: tree.kind, most: 0 };
  here.most = Math.max(here.most, tree.children.length);
  found[depth] = here;
  for (const c of tree.children) levelsOf(c, depth + 1, found);
  return found;
}

/** All arrangements: a number of columns for each level. */
function choices(levels: readonly Level[], depth = 0): number[][] {
  const level = levels[depth];
  if (level === undefined) return [[]];
  const columns = new Set(Array.from({ length: Math.max(1, level.most) }, (_, i) => Math.ceil(level.most / (i + 1))));
  const rest = choices(levels, depth + 1);
  return [...columns].flatMap((c) => rest.map((r) => [c, ...r]));
}

function barOf(kind: MachineTree['kind'], depth: number, cell: number, bars: number): number {
  const bar = margin(BAR, kind === 'core' ? 3 : depth, cell) * bars;
  return depth <= 1 && kind !== 'core' ? Math.max(bar, NAMED_BAR) : bar;
}

/** The size of cells that takes what an arrangement leaves of the page. */
function stretch(
  levels: readonly Level[],
  columns: readonly number[],
  cell: number,
  width: number,
  height: number,
  bars: number,
): CellSize {
  const all = extents(levels, columns, cell, bars)[0] ?? { w: width, h: height };
  const across = columns.reduce((n, c) => n * c, 1);
  const down = levels.reduce((n, { most }, depth) => n * Math.ceil(most / (columns[depth] ?? 1)), 1);
  const w = cell + Math.max(0, width - all.w) / across;
  const h = cell * CELL_ASPECT + Math.max(0, height - all.h) / down;
  return { w: Math.min(w, h * WIDEST), h: Math.min(h, w * TALLEST) };
}

/** Size of an area of full rows at each depth, the machine's first. */
function extents(
  levels: readonly Level[],
  columns: readonly number[],
  cell: number,
  bars: number,
): { w: number; h: number }[] {
  let w = cell;
  let h = cell * CELL_ASPECT;
  const found: { w: number; h: number }[] = [];
  for (let depth = levels.length - 1; depth >= 0; depth--) {
    const c = columns[depth]!;
    const rows = Math.ceil(levels[depth]!.most / c);
    const gap = margin(GAP, depth + 1, cell);
    w = c * w + (c + 1) * gap;
    h = rows * h + (rows + 1) * gap + barOf(levels[depth]!.kind, depth, cell, bars);
    found.unshift({ w, h });
  }
  return found;
}

function largestCell(
  levels: readonly Level[],
  columns: readonly number[],
  width: number,
  height: number,
  most: number,
  bars: number,
): number {
  let low = 1;
  let high = most;
  for (let i = 0; i < 18; i++) {
    const cell = (low + high) / 2;
    const all = extents(levels, columns, cell, bars)[0];
    if (all === undefined || (all.w <= width && all.h <= height)) low = cell;
    else high = cell;
  }
  return low;
}

/** How readable an arrangement is, 0..1: full rows, and areas that are neither very wide nor very tall. */
function worth(levels: readonly Level[], columns: readonly number[], cell: number, bars: number): number {
  let value = 1;
  extents(levels, columns, cell, bars).forEach(({ w, h }, depth) => {
    const { most } = levels[depth]!;
    const c = columns[depth]!;
    const holes = (Math.ceil(most / c) * c - most) / Math.max(1, most);
    if (holes > 0) value *= 1 - Math.min(0.8, 0.1 + holes * 2);
    if (depth > 0) value *= 1 - Math.min(0.4, 0.1 * Math.abs(Math.log(w / h / 1.3)));
  });
  return value;
}

/** `cell` decides about margins, `of` is the size of a cell. */
function size(
  tree: MachineTree,
  depth: number,
  cell: number,
  of: CellSize,
  columns: readonly number[],
  bars: number,
): PartSize {
  if (tree.kind === 'cpu') return { tree, depth, ...of, columns: 0, parts: [], bar: 0, gap: 0 };
  const parts = tree.children.map((c) => size(c, depth + 1, cell, of, columns, bars));
  const gap = margin(GAP, depth + 1, cell);
  const partW = parts.reduce((m, p) => Math.max(m, p.w), 0);
  const partH = parts.reduce((m, p) => Math.max(m, p.h), 0);
  const across = Math.max(1, Math.min(columns[depth] ?? 1, parts.length));
  const rows = Math.ceil(parts.length / across);
  const w = across * partW + (across + 1) * gap;
  const h = rows * partH + (rows + 1) * gap + barOf(tree.kind, depth, cell, bars);
  return { tree, depth, w, h, columns: across, parts, bar: barOf(tree.kind, depth, cell, bars), gap };
}

function place(s: PartSize, x: number, y: number, area: number, areas: Area[], cells: Cell[]): void {
  if (s.tree.kind === 'cpu') {
    cells.push(cellAt(s.tree.id, x, y, s.w, s.h, area));
    return;
  }
  const { kind, id, cpus } = s.tree;
  const name = s.tree.name.charAt(0).toUpperCase() + s.tree.name.slice(1);
  const { bar, gap } = s;
  const index = areas.length;
  areas.push({ kind, id, name, cpus, depth: s.depth, bar, also: s.tree.also ?? [], x, y, w: s.w, h: s.h });
  const partW = s.parts.reduce((m, p) => Math.max(m, p.w), 0);
  const partH = s.parts.reduce((m, p) => Math.max(m, p.h), 0);
  s.parts.forEach((p, i) => {
    const column = i % s.columns;
    const row = Math.floor(i / s.columns);
    place(
      p,
      x + gap + column * (partW + gap),
      y + gap + bar + row * (partH + gap),
      kind === 'core' ? index : -1,
      areas,
      cells,
    );
  });
}

/**
 * The running thread is above, the queue on its bar below, with the name of the running thread between them. A cell too
 * flat for that has the running thread beside the CPU's number instead, so that the queue and the name each have a row.
 */
export function cellAt(cpu: number, x: number, y: number, w: number, h: number, area: number): Cell {
  const inset = w * 0.06;
  const slotR = Math.min(w / 13, h / 12, 14);
  const columns = Math.max(1, Math.floor((w - 2 * inset) / (slotR * 2.3)));
  const barY = y + h - inset;
  const least = Math.min(w, h);
  const rowsBelow = (run: number): number => (barY - run - slotR * 0.3) / (slotR * 2.15);
  const name = w >= NAMED_CELL ? nameSize(w) * 1.2 : 0;
  const below = { runX: x + w / 2, runY: y + h * RUN_AT, runR: least * 0.2 };
  const beside = { runX: x + w * 0.95 - least * 0.15, runY: y + least * 0.18, runR: least * 0.15 };
  // Beside a queue of three a name has as little space as that.
  const narrow = w * 0.9 - 3 * slotR * 2.3 < ROOMY_NAME * nameSize(w) * 0.56;
  const flat = name > 0 && narrow && rowsBelow(below.runY + below.runR + name) < 1;
  const run = flat && rowsBelow(beside.runY + beside.runR + name) >= 1 ? beside : below;
  const end = run.runY + run.runR;
  // The queue ends below the name of the running thread, where there is space for both.
  const named = rowsBelow(end + name);
  const rows = Math.max(1, Math.floor(named >= 1 ? named : rowsBelow(end)));
  return { cpu, x, y, w, h, ...run, barY, slotR, columns, rows, area };
}

/** Centre of place `i` of a cell's queue, counted from the head: along the bar, then upwards. */
export function slotX(c: Cell, i: number): number {
  return c.x + c.w * 0.06 + c.slotR * 1.15 + (i % c.columns) * c.slotR * 2.3;
}
export function slotY(c: Cell, i: number): number {
  return c.barY - c.slotR * 1.25 - Math.floor(i / c.columns) * c.slotR * 2.15;
}
/** Places a cell has. */
export const slots = (c: Cell): number => c.columns * c.rows;
/** How many of the waiting threads are drawn: all, or as many as leave space for a count of the others. */
export const visible = (c: Cell, waiting: number): number =>
  waiting <= slots(c) ? waiting : Math.max(0, slots(c) - 2);
