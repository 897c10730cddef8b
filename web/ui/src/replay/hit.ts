// What lies under a point of the picture.

import type { Camera } from './camera';
import type { Scene } from './scene';

export type ReplayHit =
  | { kind: 'thread'; utid: number }
  | { kind: 'cpu'; cpu: number }
  | { kind: 'bubble'; bubble: number }
  | { kind: 'area'; area: number };

/** Threads first, within `reach` CSS pixels of their outline; then what they are in. */
export function hit(scene: Scene, camera: Camera, px: number, py: number, reach = 3): ReplayHit | null {
  const wx = (px - camera.x) / camera.k;
  const wy = (py - camera.y) / camera.k;
  let best = -1;
  let near = reach / camera.k;
  for (const u of scene.state.known) {
    if (scene.alpha[u]! < 0.1) continue;
    const d = Math.hypot(wx - scene.x[u]!, wy - scene.y[u]!) - scene.r[u]!;
    if (d < near) {
      near = d;
      best = u;
    }
  }
  if (best >= 0) return { kind: 'thread', utid: best };
  const inside = (r: { x: number; y: number; w: number; h: number }): boolean =>
    wx >= r.x && wy >= r.y && wx < r.x + r.w && wy < r.y + r.h;
  for (const c of scene.layout.cells) if (inside(c)) return { kind: 'cpu', cpu: c.cpu };
  for (let i = scene.bubbleLayout.bubbles.length - 1; i >= 0; i--) {
    if (inside(scene.bubbleLayout.bubbles[i]!)) return { kind: 'bubble', bubble: i };
  }
  for (let i = scene.layout.areas.length - 1; i >= 0; i--)
    if (inside(scene.layout.areas[i]!)) return { kind: 'area', area: i };
  return null;
}
