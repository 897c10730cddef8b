// The machine as nested areas: machine ▸ node ▸ LLC ▸ core ▸ CPU, each with the bar of its runqueue.
//
// Sizes are in units of the page at rest (camera at 1); whoever draws scales them.

export interface MachineTree {
  kind: 'machine' | 'node' | 'llc' | 'core' | 'cpu';
  id: number;
  name: string;
  cpus: number[];
  children: MachineTree[];
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
const CELL_ASPECT = 0.92;

/** Levels that tell nothing (one child that spans the same CPUs, a core with one CPU) are passed over. */
export function condense(tree: MachineTree): MachineTree {
  const children = tree.children
    .map(condense)
    .map((c) => (c.kind === 'core' && c.children.length === 1 ? c.children[0]! : c));
  const only = children[0];
  if (children.length === 1 && only !== undefined && only.kind !== 'cpu' && tree.kind !== 'machine') {
    return { ...only, name: `${tree.name} · ${only.name}` };
  }
  if (children.length === 1 && only !== undefined && only.kind !== 'cpu') return { ...tree, children: only.children };
  return { ...tree, children };
}

interface Sized {
  tree: MachineTree;
  depth: number;
  w: number;
  h: number;
  columns: number;
  parts: Sized[];
}

/** Lays the machine out for a page of this shape, its CPU cells as large as that permits, `largest` at most. */
export function layMachine(tree: MachineTree, width: number, height: number, largest = 240): MachineLayout {
  const root = condense(tree);
  // The size of a cell decides all others; a page holds the largest for which everything fits.
  let low = 6;
  let high = largest;
  for (let i = 0; i < 24; i++) {
    const cell = (low + high) / 2;
    const s = size(root, 0, cell, width, height);
    if (s.w <= width && s.h <= height) low = cell;
    else high = cell;
  }
  const sized = size(root, 0, low, width, height);
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

function size(tree: MachineTree, depth: number, cell: number, width: number, height: number): Sized {
  if (tree.kind === 'cpu') return { tree, depth, w: cell, h: cell * CELL_ASPECT, columns: 0, parts: [] };
  const parts = tree.children.map((c) => size(c, depth + 1, cell, width, height));
  const gap = margin(GAP, depth + 1, cell);
  const pad = margin(GAP, depth + 1, cell);
  const bar = margin(BAR, tree.kind === 'core' ? 3 : depth, cell);
  const partW = parts.reduce((m, p) => Math.max(m, p.w), 0);
  const partH = parts.reduce((m, p) => Math.max(m, p.h), 0);
  let best: Sized | null = null;
  let bestCost = Number.POSITIVE_INFINITY;
  for (let columns = 1; columns <= parts.length; columns++) {
    const rows = Math.ceil(parts.length / columns);
    const w = columns * partW + (columns - 1) * gap + 2 * pad;
    const h = rows * partH + (rows - 1) * gap + bar + 2 * pad;
    // The shape of the page at the top, a little wider than high below; full rows where possible.
    const wanted = depth === 0 ? width / height : tree.kind === 'core' ? 2.4 : 1.35;
    const holes = (columns * rows - parts.length) / parts.length;
    const cost = Math.abs(Math.log(w / h / wanted)) + holes * 1.5;
    if (cost < bestCost) {
      bestCost = cost;
      best = { tree, depth, w, h, columns, parts };
    }
  }
  return best ?? { tree, depth, w: 2 * pad, h: bar + 2 * pad, columns: 1, parts };
}

function place(s: Sized, x: number, y: number, area: number, areas: Area[], cells: Cell[]): void {
  if (s.tree.kind === 'cpu') {
    cells.push(cellAt(s.tree.id, x, y, s.w, s.h, area));
    return;
  }
  const { kind, id, name, cpus } = s.tree;
  const cell = leafWidth(s);
  const gap = margin(GAP, s.depth + 1, cell);
  const bar = margin(BAR, kind === 'core' ? 3 : s.depth, cell);
  const index = areas.length;
  areas.push({ kind, id, name, cpus, depth: s.depth, bar, x, y, w: s.w, h: s.h });
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

const leafWidth = (s: Sized): number =>
  s.tree.kind === 'cpu' ? s.w : s.parts[0] === undefined ? 64 : leafWidth(s.parts[0]);

/** The core sits above, the queue stands on its bar below. */
function cellAt(cpu: number, x: number, y: number, w: number, h: number, area: number): Cell {
  const inset = w * 0.06;
  const slotR = Math.min(w / 20, 7);
  const columns = Math.max(1, Math.floor((w - 2 * inset) / (slotR * 2.3)));
  const barY = y + h - inset;
  const runR = Math.min(w, h) * 0.19;
  const runY = y + h * 0.38;
  const rows = Math.max(1, Math.floor((barY - (runY + runR) - slotR * 0.3) / (slotR * 2.15)));
  return { cpu, x, y, w, h, runX: x + w / 2, runY, runR, barY, slotR, columns, rows, area };
}

/** Centre of place `i` of a cell's queue, counted from the head: along the bar, then upwards. */
export function slotX(c: Cell, i: number): number {
  return c.x + c.w * 0.06 + c.slotR * 1.15 + (i % c.columns) * c.slotR * 2.3;
}
export function slotY(c: Cell, i: number): number {
  return c.barY - c.slotR * 1.25 - Math.floor(i / c.columns) * c.slotR * 2.15;
}
/** Places a cell has; the last is taken by a count when more wait. */
export const slots = (c: Cell): number => c.columns * c.rows;
