// One frame of the replay. Shapes of one colour are drawn together; nothing is allocated but labels' texts.

import { OTHERS } from '../logic/hues';
import { barLength } from './bubbleBodies';
import { GLOWS, type ReplayColours } from './colours';
import { fitted, outside, type ReplayFrame } from './frame';
import { LEGIBLE, NAMED_CELL, nameSize } from './legible';
import { type Cell, slotX, slotY, visible } from './machine';
import { paintBodies } from './paintBodies';
import { paintBubbleBodies, paintBubbles } from './paintBubbles';
import { paintPairs, paintTrails } from './paintTrails';
import type { Pen } from './pen';

export function paint(pen: Pen, f: ReplayFrame): void {
  const { colours, width, height } = f;
  pen.globalAlpha = 1;
  pen.setLineDash([]);
  pen.fillStyle = colours.ground;
  pen.fillRect(0, 0, width, height);
  paintBubbles(pen, f);
  paintAreas(pen, f);
  paintCells(pen, f);
  paintPairs(pen, f);
  paintTrails(pen, f);
  if (f.scene.holders.known) paintBubbleBodies(pen, f);
  paintBodies(pen, f);
  paintCounts(pen, f);
}

function paintAreas(pen: Pen, f: ReplayFrame): void {
  const { scene, camera, colours } = f;
  const { k, x: ox, y: oy } = camera;
  for (const a of scene.layout.areas) {
    const x = a.x * k + ox;
    const y = a.y * k + oy;
    const w = a.w * k;
    const h = a.h * k;
    if (outside(f, x, y, w, h)) continue;
    pen.fillStyle = colours.areas[Math.min(a.depth, colours.areas.length - 1)]!;
    pen.beginPath();
    pen.roundRect(x, y, w, h, Math.min(10 - 2 * a.depth, w / 12));
    pen.fill();
    if (w > 60) {
      pen.strokeStyle = colours.line;
      pen.lineWidth = 1;
      pen.stroke();
    }
    const bar = a.bar * k;
    if (bar < 2.5) continue;
    let busy = 0;
    let wasted = 0;
    let unobserved = 0;
    let waiting = 0;
    for (const c of a.cpus) {
      if (f.wasted[c]) wasted++;
      else if (f.unobserved[c]) unobserved++;
      else if (scene.state.running[c]! >= 0) busy++;
      waiting += scene.state.queued[c] ?? 0;
    }
    paintBar(pen, f, a.name, x, y, w, bar, a.cpus.length, busy, wasted, unobserved, waiting, a.depth);
  }
}

/** The runqueue of a level: how many of its CPUs run, are wasted, are not observed, are idle; how many wait below it. */
function paintBar(
  pen: Pen,
  f: ReplayFrame,
  name: string,
  x: number,
  y: number,
  w: number,
  bar: number,
  cpus: number,
  busy: number,
  wasted: number,
  unobserved: number,
  waiting: number,
  depth: number,
): void {
  const { colours } = f;
  const size = Math.min(13, bar * 0.55);
  const pad = Math.min(12, bar * 0.5);
  const words = size >= LEGIBLE ? areaLabel(name, w - 2 * pad, size) : null;
  // A narrow area has its name or, where that does not fit either, its bar.
  const narrow = w <= 90;
  const text = words !== null;
  const thick = Math.max(2, Math.min(6, bar * 0.24));
  const long = text && !narrow ? barLength(w, f.scene.holders.known) : w - 2 * pad;
  const left = x + w - pad - long;
  const mid = y + bar * 0.62;
  if (text && narrow) {
    paintAreaName(pen, f, words, x + pad, mid, size, depth, wasted > 0);
    return;
  }
  pen.fillStyle = colours.idleFill;
  pen.strokeStyle = colours.lineStrong;
  pen.lineWidth = 1;
  pen.beginPath();
  pen.roundRect(left, mid - thick / 2, long, thick, thick / 2);
  pen.fill();
  pen.stroke();
  const unit = long / Math.max(1, cpus);
  if (busy > 0) {
    pen.fillStyle = colours.busyFill;
    pen.beginPath();
    pen.roundRect(left, mid - thick / 2, busy * unit, thick, thick / 2);
    pen.fill();
  }
  if (wasted > 0) {
    pen.fillStyle = colours.wastedFill;
    pen.beginPath();
    pen.roundRect(left + busy * unit, mid - thick / 2, wasted * unit, thick, thick / 2);
    pen.fill();
  }
  if (unobserved > 0) {
    pen.fillStyle = colours.unobserved;
    pen.beginPath();
    pen.roundRect(left + (busy + wasted) * unit, mid - thick / 2, unobserved * unit, thick, thick / 2);
    pen.fill();
  }
  if (!text) return;
  paintAreaName(pen, f, words, x + pad, mid, size, depth, false);
  if (w < 260) return;
  pen.textAlign = 'right';
  pen.font = `500 ${size * 0.92}px ${colours.font}`;
  if (wasted > 0) {
    pen.fillStyle = colours.wasted;
    pen.fillText(`${wasted} wasted`, left - 10, mid);
  } else if (waiting > 0 && !f.scene.holders.known) {
    pen.fillStyle = colours.waiting;
    pen.fillText(`${waiting} waiting`, left - 10, mid);
  }
}

/** An area's name as long as fits: `Node 3 · LLC 24`, `Node 3`, `N3`; null: none does. */
export function areaLabel(name: string, w: number, size: number): string | null {
  const first = name.split(' · ')[0] as string;
  const short = first.replace(/^([A-Z])\S* (\d+)$/, '$1$2');
  // Beside the bar, where there is space for one.
  const space = w > 90 ? w * 0.55 : w;
  return [name, first, short].find((words) => words.length * LETTER * size <= space) ?? null;
}

function paintAreaName(
  pen: Pen,
  f: ReplayFrame,
  words: string,
  x: number,
  y: number,
  size: number,
  depth: number,
  wasted: boolean,
): void {
  const { colours } = f;
  pen.textBaseline = 'middle';
  pen.textAlign = 'left';
  pen.font = `${depth < 2 ? 600 : 500} ${size}px ${colours.font}`;
  pen.fillStyle = wasted ? colours.wasted : depth < 2 ? colours.text2 : colours.text3;
  pen.fillText(words, x, y);
}

function paintCells(pen: Pen, f: ReplayFrame): void {
  const { scene, camera, colours } = f;
  const { k, x: ox, y: oy } = camera;
  const { state, layout } = scene;
  for (const c of layout.cells) {
    const x = c.x * k + ox;
    const y = c.y * k + oy;
    const w = c.w * k;
    const h = c.h * k;
    if (outside(f, x, y, w, h)) continue;
    const runner = state.running[c.cpu]!;
    const glow = Math.round(scene.glow[c.cpu]! * GLOWS);
    const waiting = scene.queue(c.cpu).length;
    const unobserved = f.unobserved[c.cpu] === 1;
    const gap = w > 14 ? Math.min(1.5, w * 0.03) : 0.5;
    const round = Math.min(7, w * 0.1);
    pen.fillStyle = unobserved
      ? colours.unobserved
      : colours.cells[f.hueOf[scene.lastRunner[c.cpu]!] ?? OTHERS]![glow]!;
    pen.beginPath();
    pen.roundRect(x + gap, y + gap, w - 2 * gap, h - 2 * gap, round);
    pen.fill();
    if (runner < 0 && !unobserved && w > 12) {
      // An idle cell is hardly darker than what is around it.
      pen.strokeStyle = colours.lineStrong;
      pen.lineWidth = 1;
      pen.stroke();
    }
    if (f.wasted[c.cpu]) paintWasted(pen, colours, x + gap, y + gap, w - 2 * gap, h - 2 * gap, round);
    if (waiting > 0) {
      // The bar under a queue thickens with it.
      const thick = Math.min(h * 0.08, (1.2 + Math.min(waiting, 12) * 0.22) * Math.max(0.7, Math.min(1.6, w / 90)));
      pen.fillStyle = colours.waitingFill;
      pen.beginPath();
      pen.roundRect(x + w * 0.05, y + h - w * 0.06, w * 0.9, thick, thick / 2);
      pen.fill();
    } else if (w >= 40 && !unobserved) {
      pen.fillStyle = runner >= 0 ? colours.lineStrong : colours.offText;
      pen.globalAlpha = 0.35;
      pen.fillRect(x + w * 0.06, y + h - w * 0.06, w * 0.88, 1);
      pen.globalAlpha = 1;
    }
    if (w >= 26) paintLabels(pen, f, c, x, y, w, runner, waiting, unobserved);
  }
}

/** A wasted core, in the colour that waste has in every view. */
function paintWasted(
  pen: Pen,
  colours: ReplayColours,
  x: number,
  y: number,
  w: number,
  h: number,
  round: number,
): void {
  pen.fillStyle = colours.wastedCell;
  pen.strokeStyle = colours.wastedFill;
  pen.lineWidth = Math.min(2.5, Math.max(1, w / 30));
  pen.beginPath();
  pen.roundRect(x, y, w, h, round);
  pen.fill();
  pen.stroke();
}

/** Mean width of a letter, as a part of the size of its font; wide enough for bold ones. */
const LETTER = 0.62;

/** The same of words in small letters. */
const SMALL_LETTER = 0.57;

/** The first of the words that fits into a cell `w` wide beside the CPU's number; null: none does. */
export function wordBeside(number: string, words: readonly string[], w: number, size: number): string | null {
  const space = w * 0.86 - (number.length + 1) * LETTER * size;
  return words.find((word) => word.length * SMALL_LETTER * size * 0.94 <= space) ?? null;
}

/** Left and right edge of the name of a running thread in a cell, in pixels: beside the queue where that lies at its height. */
export function nameSpace(c: Cell, waiting: number, k: number): [left: number, right: number] {
  const w = c.w * k;
  const bottom = nameTop(c, k) + nameSize(w);
  if (waiting === 0 || bottom <= (slotY(c, 0) - c.slotR - c.y) * k) return [w * 0.05, w * 0.95];
  const seen = visible(c, waiting);
  const places = Math.min(seen < waiting ? seen + 2 : seen, c.columns);
  return places === 0 ? [w * 0.05, w * 0.95] : [(slotX(c, places - 1) + c.slotR * 1.8 - c.x) * k, w * 0.95];
}

/** Below the running thread, from the top of its cell. */
const nameTop = (c: Cell, k: number): number => (c.runY + c.runR - c.y) * k + nameSize(c.w * k) * 0.2;

function paintLabels(
  pen: Pen,
  f: ReplayFrame,
  cell: Cell,
  x: number,
  y: number,
  w: number,
  runner: number,
  waiting: number,
  unobserved: boolean,
): void {
  const { colours } = f;
  const { cpu } = cell;
  const lit = f.scene.glow[cpu]! > 0.5;
  const size = nameSize(w);
  pen.textBaseline = 'top';
  pen.textAlign = 'left';
  pen.font = `550 ${size}px ${colours.font}`;
  pen.fillStyle = f.wasted[cpu]
    ? colours.wastedText
    : unobserved
      ? colours.text
      : lit
        ? colours.litText
        : colours.offText;
  // In a small cell the number lies where a running thread does, and gives way to it.
  const number = w >= 74 ? `CPU ${cpu}` : String(cpu);
  if (w >= NAMED_CELL || runner < 0) pen.fillText(number, x + w * 0.07, y + w * 0.06);
  if (w < NAMED_CELL) return;
  pen.textAlign = 'right';
  pen.font = `500 ${size * 0.94}px ${colours.font}`;
  if (f.wasted[cpu]) pen.fillStyle = colours.wastedText;
  const state = f.wasted[cpu] ? ['wasted'] : unobserved ? ['not observed', '?'] : runner < 0 ? ['idle'] : [];
  // The same words in all cells: by the widest number.
  const widest = number.replace(/\d+$/, String(f.scene.layout.cellOf.length - 1));
  const word = wordBeside(widest, state, w, size);
  if (word) pen.fillText(word, x + w * 0.93, y + w * 0.06);
  if (runner < 0 || f.scene.glow[cpu]! < 0.3) return;
  const [left, right] = nameSpace(cell, waiting, f.camera.k);
  const letters = (right - left) / (size * 0.56);
  if (letters < 4) return;
  pen.textAlign = 'center';
  pen.fillStyle = colours.text;
  pen.font = `550 ${size}px ${colours.font}`;
  pen.fillText(fitted(f.nameOf(runner), letters), x + (left + right) / 2, y + nameTop(cell, f.camera.k));
}

/** Crowds become counts: those that do not fit a queue, and all where cells are small. */
function paintCounts(pen: Pen, f: ReplayFrame): void {
  const { scene, camera, colours } = f;
  const { k, x: ox, y: oy } = camera;
  pen.textAlign = 'center';
  pen.textBaseline = 'middle';
  for (const c of scene.layout.cells) {
    const n = scene.queue(c.cpu).length;
    if (n === 0) continue;
    const w = c.w * k;
    const x = c.x * k + ox;
    const y = c.y * k + oy;
    if (outside(f, x, y, w, c.h * k)) continue;
    if (w < 26) {
      if (w < 13) continue;
      pen.fillStyle = colours.text;
      pen.font = `650 ${Math.min(11, w * 0.5)}px ${colours.font}`;
      pen.fillText(n > 99 ? '99+' : String(n), x + w / 2, y + c.h * k * 0.5);
      continue;
    }
    const seen = visible(c, n);
    if (n <= seen) continue;
    pen.fillStyle = colours.waiting;
    pen.font = `650 ${Math.max(8, Math.min(12, c.slotR * k * 1.7))}px ${colours.font}`;
    pen.textAlign = 'left';
    pen.fillText(`+${n - seen}`, (slotX(c, seen) - c.slotR) * k + ox, slotY(c, seen) * k + oy);
    pen.textAlign = 'center';
  }
}
