import { describe, expect, it } from 'vitest';
import { areaIndex } from './bubbleBodies';
import { layBubbles, places } from './bubbles';
import { PART_OF } from './holders';
import { LEGIBLE } from './legible';
import { type Cell, cellAt, layMachine, type Rect, slots, slotX, slotY } from './machine';
import { areaLabel, nameSpace } from './paint';
import { machine, seededRandom } from './testReplays';

const within = (a: Rect, b: Rect): boolean =>
  a.x >= b.x - 1e-6 && a.y >= b.y - 1e-6 && a.x + a.w <= b.x + b.w + 1e-6 && a.y + a.h <= b.y + b.h + 1e-6;
const apart = (a: Rect, b: Rect): boolean =>
  a.x + a.w <= b.x + 1e-6 || b.x + b.w <= a.x + 1e-6 || a.y + a.h <= b.y + 1e-6 || b.y + b.h <= a.y + 1e-6;

describe('the machine on a page', () => {
  const shapes: [number, number, number, number, number][] = [
    [1, 2, 1, 1280, 700],
    [2, 4, 1, 390, 500],
    [8, 8, 1, 1280, 700],
    [4, 16, 2, 900, 900],
    [8, 16, 2, 1920, 1000],
    [16, 32, 2, 1280, 700],
  ];
  for (const [nodes, cores, smt, w, h] of shapes) {
    it(`${nodes}×${cores}×${smt} CPUs at ${w}×${h}: everything inside, nothing over another`, () => {
      const lay = layMachine(machine(nodes, cores, smt), w, h);
      expect(lay.cells.length).toBe(nodes * cores * smt);
      const page = { x: 0, y: 0, w, h };
      expect(within(lay.bounds, page)).toBe(true);
      expect(lay.cells.filter((c) => !within(c, lay.bounds))).toEqual([]);
      expect(lay.cells.filter((c, i) => lay.cells.slice(i + 1).some((d) => !apart(c, d)))).toEqual([]);
      for (const a of lay.areas) {
        const below = { ...a, y: a.y + a.bar, h: a.h - a.bar };
        expect(a.cpus.filter((cpu) => !within(lay.cells[lay.cellOf[cpu]!]!, below))).toEqual([]);
        expect(lay.areas.filter((b) => a !== b && a.depth === b.depth && !apart(a, b))).toEqual([]);
      }
    });
  }

  it('gives the name of a running thread the width beside a queue at its height, and else all', () => {
    const tiny = cellAt(0, 0, 0, 60, 24, -1);
    expect(nameSpace(tiny, 0, 1)).toEqual([tiny.w * 0.05, tiny.w * 0.95]);
    for (const waiting of [1, 2, slots(tiny)]) {
      const [left] = nameSpace(tiny, waiting, 1);
      expect(left).toBeGreaterThanOrEqual(slotX(tiny, waiting - 1) + tiny.slotR - tiny.x);
    }
    // A large cell has space for both.
    expect(cellAt(0, 0, 0, 212, 150, -1).runX).toBe(106);
    const high = layMachine(machine(2, 4, 1), 600, 900).cells[0]!;
    expect(nameSpace(high, 3, 1)).toEqual([high.w * 0.05, high.w * 0.95]);
  });

  it('puts the running thread beside the number of its CPU in flat cells: names and queues have a row each', () => {
    for (const [nodes, cores, w, h] of [
      [8, 8, 884, 560],
      [8, 32, 1080, 640],
      [8, 32, 1080, 608],
    ] as const) {
      const cell = layMachine(machine(nodes, cores, 1), w, h).cells[0]!;
      expect(cell.h / cell.w).toBeLessThan(0.65);
      expect(cell.runX).toBeGreaterThan(cell.x + cell.w / 2);
      expect(nameSpace(cell, slots(cell), 1)).toEqual([cell.w * 0.05, cell.w * 0.95]);
    }
  });

  it('knows the parts that are the whole machine by its own area', () => {
    const areaOf = areaIndex(layMachine(machine(1, 4, 1), 800, 600));
    for (const part of ['machine', 'node', 'llc'] as const) expect(areaOf(PART_OF.indexOf(part), 0)).toBe(0);
    expect(areaOf(PART_OF.indexOf('llc'), 1)).toBe(-1);
  });

  it('keeps the places of a queue inside its cell, below the running thread', () => {
    const laid = shapes.flatMap(([nodes, cores, smt, w, h]) => layMachine(machine(nodes, cores, smt), w, h).cells);
    for (const cell of laid) {
      const { slotR: r } = cell;
      const all = Array.from({ length: slots(cell) }, (_, i) => ({
        x: slotX(cell, i) - r,
        y: slotY(cell, i) - r,
        w: 2 * r,
        h: 2 * r,
      }));
      expect(all.filter((p) => !within(p, cell) || p.y < cell.runY + cell.runR)).toEqual([]);
    }
  });

  it('fills the page, unless cells would be lanes', () => {
    for (const [nodes, cores, smt, w, h] of [...shapes, [1, 5, 1, 1584, 640], [1, 4, 1, 380, 500]] as const) {
      const lay = layMachine(machine(nodes, cores, smt), w, h);
      const [cell] = lay.cells as [Cell];
      const filled = Math.max(cell.h / cell.w / 2, lay.bounds.h / h);
      expect(filled, `${nodes}×${cores}×${smt}`).toBeGreaterThan(0.99);
      expect(Math.max(cell.w / cell.h / 1.6, lay.bounds.w / w), `${nodes}×${cores}×${smt}`).toBeGreaterThan(0.99);
    }
  });

  it('arranges eight nodes in full rows, without a hole', () => {
    for (const [w, h] of [
      [1190, 640],
      [1084, 640],
      [1584, 800],
      [374, 360],
    ] as const) {
      const nodes = layMachine(machine(8, 8, 1), w, h).areas.filter((a) => a.depth === 1);
      const [columns, rows] = [new Set(nodes.map((a) => a.x)).size, new Set(nodes.map((a) => a.y)).size];
      expect(columns * rows, `${w}×${h}: ${columns}×${rows}`).toBe(8);
    }
  });

  it('has space for the names of nodes on a phone, too', () => {
    const { areas } = layMachine(machine(8, 8, 1), 374, 360);
    const nodes = areas.filter((a) => a.depth === 1);
    expect(nodes.length).toBe(8);
    for (const a of nodes) {
      const size = a.bar * 0.55;
      expect(size).toBeGreaterThanOrEqual(LEGIBLE);
      expect(areaLabel(a.name, a.w - a.bar, size)).toMatch(/^(Node |N)\d/);
    }
    expect(areaLabel('Node 3 · LLC 24', 300, 10)).toBe('Node 3 · LLC 24');
    expect(areaLabel('Node 3 · LLC 24', 70, 10)).toBe('Node 3');
    expect(areaLabel('Node 13 · LLC 24', 24, 10)).toBe('N13');
    expect(areaLabel('Node 13 · LLC 24', 8, 10)).toBeNull();
  });

  it('leaves out levels that add no information', () => {
    expect(layMachine(machine(1, 2, 1), 800, 600).areas.map((a) => a.kind)).toEqual(['machine']);
    expect(layMachine(machine(2, 2, 1), 800, 600).areas.map((a) => a.name)).toEqual([
      'Machine',
      'Node 0 · LLC 0',
      'Node 1 · LLC 1',
    ]);
  });
});

describe('bubbles on their bubbleLayout', () => {
  it('are wide enough for their names where there is space', () => {
    const rows = [
      { id: 1, parent: null, name: 'kernel threads', kind: 'process' },
      { id: 2, parent: null, name: 'r', kind: 'process' },
    ];
    const members = [1, 1, 2, 2].map((bubble, utid) => ({ utid, bubble, start: 0, end: 9 }));
    const { bubbles } = layBubbles(rows, members, { x: 0, y: 0, w: 380, h: 600 });
    const [long, short] = [1, 2].map((id) => bubbles.find((b) => b.id === id)!);
    expect(long!.w).toBeGreaterThan(130);
    expect(short!.w).toBeLessThan(120);
  });

  it('give no place to two threads that live at the same time, and no more places than live at once', () => {
    for (let seed = 1; seed < 20; seed++) {
      const roll = seededRandom(seed);
      const members = Array.from({ length: 60 }, (_, utid) => {
        const start = Math.floor(roll() * 100);
        return { utid, bubble: 1, start, end: start + 1 + Math.floor(roll() * 30) };
      });
      const { placeOf, places: n } = places(members);
      let most = 0;
      for (let t = 0; t < 130; t++) {
        const live = members.filter((m) => m.start <= t && m.end > t).map((m) => placeOf[m.utid]!);
        expect(new Set(live).size).toBe(live.length);
        most = Math.max(most, live.length);
      }
      expect(n).toBe(most);
    }
  });

  it('lie within their parents and beside each other, all on the page', () => {
    const rows = [
      { id: 0, parent: null, name: '/', kind: 'cgroup' },
      { id: 1, parent: 0, name: 'a', kind: 'process' },
      { id: 2, parent: 0, name: 'b', kind: 'process' },
      { id: 3, parent: 2, name: 'empty', kind: 'process' },
      { id: 4, parent: 0, name: 'single', kind: 'process' },
    ];
    const members = Array.from({ length: 41 }, (_, i) => ({
      utid: i + 1,
      bubble: i < 20 ? 1 : i < 40 ? 2 : 4,
      start: 0,
      end: 1,
    }));
    const page = { x: 10, y: 20, w: 300, h: 200 };
    const bubbleLayout = layBubbles(rows, members, page);
    expect(bubbleLayout.bubbles.map((b) => b.name)).toEqual(['/', 'a', 'b']);
    const [root, a, b] = bubbleLayout.bubbles;
    expect(within(root!, page) && within(a!, root!) && within(b!, root!) && apart(a!, b!)).toBe(true);
    expect(root!.threads).toBe(41);
    for (let u = 1; u <= 41; u++) {
      const home = bubbleLayout.bubbles[bubbleLayout.bubbleOf[u]!]!;
      const r = bubbleLayout.slotR;
      expect(within({ x: bubbleLayout.x[u]! - r, y: bubbleLayout.y[u]! - r, w: 2 * r, h: 2 * r }, home)).toBe(true);
    }
    expect(bubbleLayout.bubbles[bubbleLayout.bubbleOf[41]!]!.name).toBe('/');
  });
});
