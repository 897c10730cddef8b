// Threads: at rest in their bubble, waiting on a queue, running in a core. Bodies of one hue and kind are one path.

import { OTHERS } from '../logic/hues';
import type { ReplayColours } from './colours';
import type { ReplayFrame } from './frame';
import { placed, RUNNING } from './moves';
import type { Pen } from './pen';

const REST = 0;
const WAIT = 1;
const RUN = 2;

const SOLID = 0;
const DIM = 1;
const FAINT = 2;

/** Bodies that appear or disappear are translucent. */
const SEEN = 0.6;
const DIMMED = 0.22;

const kindOf = (phase: number): number => (phase === RUNNING ? RUN : placed(phase) ? WAIT : REST);

export function paintBodies(pen: Pen, f: ReplayFrame): void {
  const cell = (f.scene.layout.cells[0]?.w ?? 0) * f.camera.k;
  const dims = anySeen(f);
  for (let kind = REST; kind <= RUN; kind++) {
    // At rest in an area too small to see them, or queued in cells too small for bodies: only counts are drawn.
    if (kind === REST ? f.scene.bubbleLayout.slotR * f.camera.k < 0.8 : cell < 14) continue;
    for (let hue = 0; hue < f.colours.hues.length; hue++) {
      for (let how = SOLID; how <= FAINT; how++) {
        if (how === DIM && !dims) continue;
        const colour = kind === REST ? f.colours.restHues[hue]! : f.colours.hues[hue]!;
        if (path(pen, f, kind, hue, how, colour, dims)) fill(pen, f.colours, kind, how, colour, cell);
      }
    }
  }
  paintFocus(pen, f);
}

/** Others are dimmed only while a selected thread is visible. */
function anySeen(f: ReplayFrame): boolean {
  for (const u of f.focus) if ((f.scene.alpha[u] ?? 0) > 0.3) return true;
  return false;
}

/** Collects the bodies of one sort; faint ones are drawn at once, each with its own opacity. True when there is a path. */
function path(
  pen: Pen,
  f: ReplayFrame,
  kind: number,
  hue: number,
  how: number,
  colour: string,
  dims: boolean,
): boolean {
  const { scene, hueOf, focus } = f;
  const { k, x: ox, y: oy } = f.camera;
  const { state } = scene;
  let any = false;
  for (const u of state.known) {
    const alpha = scene.alpha[u]!;
    if (alpha < 0.02 || (hueOf[u] ?? OTHERS) !== hue || kindOf(state.phase[u]!) !== kind) continue;
    const dim = dims && !focus.has(u);
    if (how !== (alpha < SEEN ? FAINT : dim ? DIM : SOLID)) continue;
    const r = Math.max(0.6, scene.r[u]! * k);
    const x = scene.x[u]! * k + ox;
    const y = scene.y[u]! * k + oy;
    if (x + r < 0 || y + r < 0 || x - r > f.width || y - r > f.height) continue;
    if (how === FAINT) {
      pen.globalAlpha = dim ? alpha * DIMMED : alpha;
      pen.fillStyle = colour;
      pen.beginPath();
      pen.arc(x, y, r, 0, 7);
      pen.fill();
      pen.globalAlpha = 1;
      continue;
    }
    if (!any) pen.beginPath();
    any = true;
    pen.moveTo(x + r, y);
    pen.arc(x, y, r, 0, 7);
  }
  return any;
}

function fill(pen: Pen, colours: ReplayColours, kind: number, how: number, colour: string, cell: number): void {
  pen.globalAlpha = how === DIM ? DIMMED : 1;
  pen.fillStyle = colour;
  pen.fill();
  if (how === SOLID && kind === WAIT && cell > 44) {
    pen.strokeStyle = colours.waiting;
    pen.lineWidth = Math.min(1.6, cell / 60);
    pen.stroke();
  }
  if (how === SOLID && kind === RUN && cell > 30) {
    pen.strokeStyle = colours.dark ? '#ffffff' : colours.text;
    pen.globalAlpha = colours.dark ? 0.75 : 0.5;
    pen.lineWidth = Math.min(2, cell / 50);
    pen.stroke();
  }
  pen.globalAlpha = 1;
}

/** A ring around selected threads. */
function paintFocus(pen: Pen, f: ReplayFrame): void {
  if (f.focus.size === 0) return;
  const { scene, colours } = f;
  const { k, x: ox, y: oy } = f.camera;
  pen.strokeStyle = colours.accent;
  pen.lineWidth = 2;
  pen.beginPath();
  for (const u of f.focus) {
    if ((scene.alpha[u] ?? 0) < 0.5) continue;
    const r = scene.r[u]! * k + 3;
    pen.moveTo(scene.x[u]! * k + ox + r, scene.y[u]! * k + oy);
    pen.arc(scene.x[u]! * k + ox, scene.y[u]! * k + oy, r, 0, 7);
  }
  pen.stroke();
}
