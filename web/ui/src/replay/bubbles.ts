// Bubbles: sets of threads that belong together, within each other. Each thread has a place of its own in its bubble,
// where it is when it is on no CPU. A bubble with a thread on a CPU has burst; it closes when all of its threads are back.

import type { Rect } from './machine';

export interface BubbleRow {
  id: number;
  parent: number | null;
  name: string;
  kind: string;
}

export interface MemberRow {
  utid: number;
  bubble: number;
  /** ns since the trace's start. */
  start: number;
  end: number;
}

export interface Bubble extends Rect {
  id: number;
  parent: number;
  name: string;
  kind: string;
  depth: number;
  /** Height of the strip for its name above its content. */
  head: number;
  /** Places of threads, its own only. */
  places: number;
  /** Threads that were ever in it, those of its inner bubbles included. */
  threads: number;
}

export interface BubbleLayout {
  bounds: Rect;
  bubbles: Bubble[];
  /** Radius of a thread at rest. */
  slotR: number;
  /** By utid: index of the bubble it belongs to, -1 none; and its place. */
  bubbleOf: Int32Array;
  x: Float32Array;
  y: Float32Array;
}

interface Node {
  row: BubbleRow;
  children: Node[];
  members: MemberRow[];
  /** Place of each member; one place serves threads that do not live at the same time. */
  placeOf: number[];
  places: number;
  threads: number;
}

/** Gives members places such that no two of them have the same place at the same time; as few places as possible. */
export function places(members: readonly MemberRow[]): { placeOf: number[]; places: number } {
  const order = members
    .map((_, i) => i)
    .sort((a, b) => members[a]!.start - members[b]!.start || members[a]!.utid - members[b]!.utid);
  const freeAt: number[] = [];
  const placeOf: number[] = new Array(members.length);
  for (const i of order) {
    const m = members[i]!;
    let place = freeAt.findIndex((end) => end <= m.start);
    if (place < 0) place = freeAt.push(0) - 1;
    freeAt[place] = m.end;
    placeOf[i] = place;
  }
  return { placeOf, places: freeAt.length };
}

function forest(rows: readonly BubbleRow[], members: readonly MemberRow[]): Node[] {
  const nodes = new Map<number, Node>();
  for (const row of rows) nodes.set(row.id, { row, children: [], members: [], placeOf: [], places: 0, threads: 0 });
  for (const m of members) nodes.get(m.bubble)?.members.push(m);
  const roots: Node[] = [];
  for (const n of nodes.values()) {
    const parent = n.row.parent === null ? undefined : nodes.get(n.row.parent);
    if (parent === undefined || parent === n) roots.push(n);
    else parent.children.push(n);
  }
  return gathered(roots.map(simplify).filter((n): n is Node => n !== null));
}

/** Puts outermost bubbles of a single thread into one common bubble. */
function gathered(roots: Node[]): Node[] {
  const single = (n: Node): boolean => n.children.length === 0 && n.members.length === 1;
  const alone = roots.filter(single);
  if (alone.length < 2) return roots;
  const shared = simplify({
    row: { id: -2, parent: null, name: 'single threads', kind: 'threads by themselves' },
    children: [],
    members: alone.flatMap((n) => n.members),
    placeOf: [],
    places: 0,
    threads: 0,
  });
  return [...roots.filter((n) => !single(n)), ...(shared === null ? [] : [shared])];
}

/** Removes empty bubbles, and replaces a bubble around a single thread or a single bubble by its content. */
function simplify(n: Node): Node | null {
  const children = n.children.map(simplify).filter((c): c is Node => c !== null);
  const kept: Node[] = [];
  for (const c of children) {
    if (c.children.length === 0 && c.members.length === 1) n.members.push(c.members[0]!);
    else kept.push(c);
  }
  if (kept.length === 0 && n.members.length === 0) return null;
  const only = kept[0];
  if (kept.length === 1 && only !== undefined && n.members.length === 0) {
    const name =
      only.row.name === n.row.name || n.row.name === '/' ? only.row.name : `${n.row.name} ▸ ${only.row.name}`;
    return { ...only, row: { ...only.row, parent: n.row.parent, name } };
  }
  const p = places(n.members);
  n.children = kept;
  n.placeOf = p.placeOf;
  n.places = p.places;
  n.threads = n.members.length + kept.reduce((s, c) => s + c.threads, 0);
  return n;
}

interface BubbleBox {
  node: Node;
  w: number;
  h: number;
  columns: number;
  head: number;
  parts: { box: BubbleBox; x: number; y: number }[];
  /** Height of its own threads' grid. */
  own: number;
}

const ALL = -1;
const STEP = 2.6;
const PAD = 1.3;
/** An outermost bubble is wide enough for its name and its count, in letters of that name's size, or as long as this. */
const LEAST = 96;
const WIDEST_NAME = 170;
const LETTER = 6.3;
const nameWidth = (n: Node): number => {
  if (n.row.parent !== null || n.row.id === ALL) return 0;
  const letters = n.row.name.length + 2 * String(n.threads).length + 3;
  return Math.min(WIDEST_NAME, Math.max(LEAST, 16 + letters * LETTER));
};

/** Measures in radii of a thread: its own threads as a grid, inner bubbles in shelves below, the largest first. */
function measure(n: Node, aspect: number, r: number, wide = 0): BubbleBox {
  const inner = n.children
    .map((c) => measure(c, 1.5, r))
    .sort((a, b) => b.h - a.h || b.w - a.w || a.node.row.id - b.node.row.id);
  const area = inner.reduce((s, b) => s + (b.w + PAD * r) * (b.h + PAD * r), 0) + n.places * (STEP * r) ** 2;
  const widest = inner.reduce((m, b) => Math.max(m, b.w), 0);
  const wanted = wide > 0 ? wide : Math.sqrt(area * aspect);
  const width = Math.max(widest, wanted, STEP * r * 2, wide === 0 ? nameWidth(n) : 0);
  const columns = Math.max(1, Math.min(n.places, Math.floor(width / (STEP * r))));
  const own = n.places === 0 ? 0 : Math.ceil(n.places / columns) * STEP * r;
  const parts: BubbleBox['parts'] = [];
  let x = 0;
  let y = own === 0 ? 0 : own + (inner.length > 0 ? PAD * r : 0);
  let line = 0;
  let right = Math.max(columns * STEP * r * (n.places > 0 ? 1 : 0), nameWidth(n));
  for (const box of inner) {
    if (x > 0 && x + box.w > width) {
      x = 0;
      y += line + PAD * r;
      line = 0;
    }
    parts.push({ box, x, y });
    x += box.w + PAD * r;
    right = Math.max(right, x - PAD * r);
    line = Math.max(line, box.h);
  }
  const head = headOf(r);
  return { node: n, columns, head, parts, own, w: right + 2 * PAD * r, h: y + line + 2 * PAD * r + head };
}

const headOf = (r: number): number => Math.min(13, Math.max(0, r * 2.6));

/** Lays bubbles out in a page's corner of this shape, threads as large as that permits. */
export function layBubbles(
  rows: readonly BubbleRow[],
  members: readonly MemberRow[],
  area: Rect,
  largest = 7,
): BubbleLayout {
  const roots = forest(rows, members);
  const all: Node = {
    row: { id: ALL, parent: null, name: '', kind: 'all' },
    children: roots,
    members: [],
    placeOf: [],
    places: 0,
    threads: 0,
  };
  let low = 0.3;
  let high = largest;
  const fits = (r: number): boolean => {
    const b = measure(all, area.w / Math.max(1, area.h), r, area.w - 2 * PAD * r);
    return b.w <= area.w + 0.01 && b.h <= area.h;
  };
  if (fits(high)) low = high;
  else
    for (let i = 0; i < 20; i++) {
      const r = (low + high) / 2;
      if (fits(r)) low = r;
      else high = r;
    }
  const box = measure(all, area.w / Math.max(1, area.h), low, area.w - 2 * PAD * low);
  const maxUtid = members.reduce((m, r) => Math.max(m, r.utid), 0);
  const bubbleLayout: BubbleLayout = {
    bounds: { x: area.x, y: area.y, w: box.w, h: box.h },
    bubbles: [],
    slotR: low,
    bubbleOf: new Int32Array(maxUtid + 1).fill(-1),
    x: new Float32Array(maxUtid + 1),
    y: new Float32Array(maxUtid + 1),
  };
  for (const p of box.parts) put(p.box, area.x + p.x + PAD * low, area.y + p.y + PAD * low, -1, 0, low, bubbleLayout);
  return bubbleLayout;
}

function put(
  box: BubbleBox,
  x: number,
  y: number,
  parent: number,
  depth: number,
  r: number,
  bubbleLayout: BubbleLayout,
): void {
  const { row, places: count, threads } = box.node;
  const index = bubbleLayout.bubbles.length;
  bubbleLayout.bubbles.push({
    id: row.id,
    parent,
    name: row.name,
    kind: row.kind,
    depth,
    head: box.head,
    places: count,
    threads,
    x,
    y,
    w: box.w,
    h: box.h,
  });
  const left = x + PAD * r;
  const top = y + PAD * r + box.head;
  box.node.members.forEach((m, i) => {
    const place = box.node.placeOf[i]!;
    bubbleLayout.bubbleOf[m.utid] = index;
    bubbleLayout.x[m.utid] = left + ((place % box.columns) + 0.5) * STEP * r;
    bubbleLayout.y[m.utid] = top + (Math.floor(place / box.columns) + 0.5) * STEP * r;
  });
  for (const p of box.parts) put(p.box, left + p.x, top + p.y, index, depth + 1, r, bubbleLayout);
}

/** Per bubble, how many of its threads are on a CPU or a queue, updated with each change. A bubble with one is burst. */
export class BurstCounts {
  readonly out: Int32Array;
  constructor(readonly bubbleLayout: BubbleLayout) {
    this.out = new Int32Array(bubbleLayout.bubbles.length);
  }
  reset(): void {
    this.out.fill(0);
  }
  /** A thread left (by 1) or came back (by -1). Returns the outermost bubble that burst or closed by that, else -1. */
  change(utid: number, by: 1 | -1): number {
    let changed = -1;
    let b = this.bubbleLayout.bubbleOf[utid] ?? -1;
    while (b >= 0) {
      const was = this.out[b]!;
      this.out[b] = was + by;
      if (was + by === (by > 0 ? 1 : 0)) changed = b;
      b = this.bubbleLayout.bubbles[b]!.parent;
    }
    return changed;
  }
}
