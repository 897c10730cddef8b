// Moves between CPUs as lines in the colour of their path, and lines between a thread that waits and the core it could use.

import type { ReplayFrame } from './frame';
import { placed, RUNNING } from './moves';
import type { Pen } from './pen';
import { TRAIL_MS } from './scene';

export function paintTrails(pen: Pen, f: ReplayFrame): void {
  const { scene, camera, colours, wall } = f;
  const { k, x: ox, y: oy } = camera;
  const { trails, layout } = scene;
  for (let i = 0; i < trails.born.length; i++) {
    const age = (wall - trails.born[i]!) / TRAIL_MS;
    if (age < 0 || age >= 1) continue;
    const a = layout.cells[layout.cellOf[trails.from[i]!] ?? -1];
    const b = layout.cells[layout.cellOf[trails.to[i]!] ?? -1];
    if (a === undefined || b === undefined || a === b) continue;
    const x1 = (a.x + a.w / 2) * k + ox;
    const y1 = (a.y + a.h * 0.6) * k + oy;
    const x2 = (b.x + b.w / 2) * k + ox;
    const y2 = (b.y + b.h * 0.6) * k + oy;
    const far = Math.hypot(x2 - x1, y2 - y1);
    const bend = Math.min(60, far * 0.18);
    const cx = (x1 + x2) / 2 - ((y2 - y1) / Math.max(1, far)) * bend;
    const cy = (y1 + y2) / 2 + ((x2 - x1) / Math.max(1, far)) * bend;
    pen.globalAlpha = (1 - age) ** 1.5 * 0.9;
    pen.strokeStyle = colours.paths[trails.path[i]!]!;
    pen.lineWidth = Math.max(1.2, Math.min(2.5, (a.w * k) / 50));
    pen.beginPath();
    pen.moveTo(x1, y1);
    pen.quadraticCurveTo(cx, cy, x2, y2);
    pen.stroke();
    // A dot at the end it went to.
    pen.fillStyle = colours.paths[trails.path[i]!]!;
    pen.beginPath();
    pen.arc(x2, y2, pen.lineWidth * 1.8, 0, 7);
    pen.fill();
  }
  pen.globalAlpha = 1;
}

/** Only what holds at this very instant: the thread waits there and the core is idle. */
export function paintPairs(pen: Pen, f: ReplayFrame): void {
  if (f.pairs.length === 0) return;
  const { scene, camera, colours } = f;
  const { k, x: ox, y: oy } = camera;
  pen.strokeStyle = colours.wastedFill;
  pen.lineWidth = 1.5;
  pen.setLineDash([4, 4]);
  pen.beginPath();
  for (const p of f.pairs) {
    const phase = scene.state.phase[p.utid];
    if (phase === undefined || phase === RUNNING || !placed(phase) || scene.state.cpu[p.utid] !== p.waited_on) continue;
    if (!f.wasted[p.idle_cpu]) continue;
    const c = scene.layout.cells[scene.layout.cellOf[p.idle_cpu] ?? -1];
    if (c === undefined) continue;
    pen.moveTo(scene.x[p.utid]! * k + ox, scene.y[p.utid]! * k + oy);
    pen.lineTo((c.x + c.w / 2) * k + ox, (c.y + c.h / 2) * k + oy);
  }
  // The more lines there are, the fainter each is.
  pen.globalAlpha = Math.max(0.3, 0.9 - f.pairs.length * 0.04);
  pen.stroke();
  pen.globalAlpha = 1;
  pen.setLineDash([]);
}
