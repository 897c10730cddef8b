// Bubbles: closed ones are whole, burst ones are open outlines in which the places of threads on a CPU are empty.

import { fitted, outside, type ReplayFrame } from './frame';
import { LEGIBLE } from './legible';
import type { Pen } from './pen';
import { RIPPLE_MS } from './scene';

export function paintBubbles(pen: Pen, f: ReplayFrame): void {
  const { scene, camera, colours } = f;
  const { k, x: ox, y: oy } = camera;
  const { bubbles, slotR } = scene.bubbleLayout;
  const r = slotR * k;
  for (let i = 0; i < bubbles.length; i++) {
    const b = bubbles[i]!;
    const x = b.x * k + ox;
    const y = b.y * k + oy;
    const w = b.w * k;
    const h = b.h * k;
    if (outside(f, x, y, w, h)) continue;
    const out = scene.outside.out[i]!;
    const open = scene.holders.known ? scene.bodies.burst[i] === 1 : out > 0;
    const round = Math.min(w / 2, h / 2, 14, r * 2.4 + 3);
    pen.beginPath();
    pen.roundRect(x, y, w, h, round);
    pen.fillStyle = colours.areas[Math.min(b.depth + (open ? 0 : 1), colours.areas.length - 1)]!;
    pen.fill();
    pen.strokeStyle = i === f.focusBubble ? colours.accent : open ? colours.lineStrong : colours.line;
    pen.lineWidth = i === f.focusBubble ? 2 : open ? 1.2 : 1;
    if (open && i !== f.focusBubble) pen.setLineDash([4, 3]);
    pen.stroke();
    pen.setLineDash([]);
    const size = Math.min(12, b.head * k * 0.8);
    if (size >= LEGIBLE - 1 && w > 34) {
      const text = out > 0 ? `${out}/${b.threads}` : String(b.threads);
      const letters = (w - 16) / (size * 0.6);
      pen.textBaseline = 'middle';
      pen.textAlign = 'left';
      pen.font = `${b.depth === 0 ? 600 : 500} ${size}px ${colours.font}`;
      pen.fillStyle = colours.text2;
      const fits = letters > text.length + 5;
      pen.fillText(fitted(b.name, fits ? letters - text.length - 1 : letters), x + 7, y + b.head * k * 0.62 + r * 0.6);
      if (fits) {
        pen.textAlign = 'right';
        pen.fillStyle = out > 0 ? colours.accent : colours.text3;
        pen.fillText(text, x + w - 7, y + b.head * k * 0.62 + r * 0.6);
      }
    }
  }
  paintRipples(pen, f);
}

/** A burst runs outwards, a closing inwards. */
function paintRipples(pen: Pen, f: ReplayFrame): void {
  const { scene, camera, colours, wall } = f;
  const { k, x: ox, y: oy } = camera;
  const { ripples, bubbleLayout } = scene;
  pen.lineWidth = 2;
  for (let i = 0; i < ripples.born.length; i++) {
    const age = (wall - ripples.born[i]!) / RIPPLE_MS;
    const b = bubbleLayout.bubbles[ripples.bubble[i]!];
    if (age < 0 || age >= 1 || b === undefined) continue;
    const grow = (ripples.kind[i]! > 0 ? age : 1 - age) * 7;
    pen.globalAlpha = (1 - age) * 0.8;
    pen.strokeStyle = ripples.kind[i]! > 0 ? colours.accent : colours.text3;
    pen.beginPath();
    pen.roundRect(b.x * k + ox - grow, b.y * k + oy - grow, b.w * k + 2 * grow, b.h * k + 2 * grow, 8 + grow);
    pen.stroke();
  }
  pen.globalAlpha = 1;
}

/** Declared bubbles on the runqueues that hold them. */
export function paintBubbleBodies(pen: Pen, f: ReplayFrame): void {
  const { scene, camera, colours } = f;
  const { k, x: ox, y: oy } = camera;
  const { bodies } = scene;
  pen.textAlign = 'center';
  pen.textBaseline = 'middle';
  scene.bubbleLayout.bubbles.forEach((b, i) => {
    if (bodies.alpha[i]! < 0.03) return;
    const w = bodies.w[i]! * k;
    const h = bodies.r[i]! * 2 * k;
    const x = bodies.x[i]! * k + ox - w / 2;
    const y = bodies.y[i]! * k + oy - h / 2;
    pen.globalAlpha = bodies.alpha[i]!;
    pen.beginPath();
    pen.roundRect(x, y, w, h, h / 2);
    if (bodies.burst[i]) pen.setLineDash([3, 3]);
    else {
      pen.fillStyle = colours.areas[3]!;
      pen.fill();
    }
    pen.strokeStyle = i === f.focusBubble ? colours.accent : bodies.burst[i] ? colours.text3 : colours.text2;
    pen.lineWidth = 1.4;
    pen.stroke();
    pen.setLineDash([]);
    const size = Math.min(11, h * 0.62);
    if (size >= 7) {
      pen.fillStyle = bodies.burst[i] ? colours.text3 : colours.text;
      pen.font = `550 ${size}px ${colours.font}`;
      pen.fillText(fitted(b.name, (w - 6) / (size * 0.55)), x + w / 2, y + h / 2 + 0.5);
    }
  });
  pen.globalAlpha = 1;
  scene.layout.areas.forEach((a, i) => {
    const n = scene.unseated[i]!;
    if (n === 0 || a.bar * k < 10) return;
    pen.fillStyle = colours.waiting;
    pen.font = `650 ${Math.min(11, a.bar * k * 0.4)}px ${colours.font}`;
    pen.textAlign = 'left';
    const { right, y, r } = scene.seats[i]!;
    pen.fillText(`+${n}`, (right + r) * k + ox, y * k + oy);
  });
}
