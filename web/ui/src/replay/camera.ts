// The camera: page = world × k + (x, y), in CSS pixels.

import type { Rect } from './machine';

export interface Camera {
  k: number;
  x: number;
  y: number;
}

export const CLOSEST = 24;

/** The whole of `world` in the middle of a page. */
export function whole(world: Rect, width: number, height: number, margin = 8): Camera {
  const k = Math.min((width - 2 * margin) / Math.max(world.w, 1), (height - 2 * margin) / Math.max(world.h, 1));
  return { k, x: (width - world.w * k) / 2 - world.x * k, y: (height - world.h * k) / 2 - world.y * k };
}

/** Closer by `factor` around a point of the page that stays where it is. */
export function zoomAt(c: Camera, px: number, py: number, factor: number, least: number): Camera {
  const k = Math.min(CLOSEST, Math.max(least, c.k * factor));
  const f = k / c.k;
  return { k, x: px - (px - c.x) * f, y: py - (py - c.y) * f };
}

/** Parts of the page that a key pans by, and how much closer or farther one gets. */
const PAN = 0.1;
const ZOOM = 1.25;

/** What keys do to the camera: zoom around the middle of the page, and look left, right, up and down. */
export const CAMERA_KEYS = ['w', 's', 'a', 'd', 'ArrowUp', 'ArrowDown'] as const;
export type CameraKey = (typeof CAMERA_KEYS)[number];

export function cameraByKey(c: Camera, key: CameraKey, width: number, height: number, least: number): Camera {
  switch (key) {
    case 'w':
      return zoomAt(c, width / 2, height / 2, ZOOM, least);
    case 's':
      return zoomAt(c, width / 2, height / 2, 1 / ZOOM, least);
    case 'a':
      return { ...c, x: c.x + width * PAN };
    case 'd':
      return { ...c, x: c.x - width * PAN };
    case 'ArrowUp':
      return { ...c, y: c.y + height * PAN };
    case 'ArrowDown':
      return { ...c, y: c.y - height * PAN };
  }
}

/** Keeps some of the world on the page. */
export function hold(c: Camera, world: Rect, width: number, height: number): Camera {
  const keep = 0.25;
  const w = world.w * c.k;
  const h = world.h * c.k;
  const left = world.x * c.k;
  const top = world.y * c.k;
  return {
    k: c.k,
    x: Math.min(width - Math.min(w, width) * keep - left, Math.max(Math.min(w, width) * keep - left - w, c.x)),
    y: Math.min(height - Math.min(h, height) * keep - top, Math.max(Math.min(h, height) * keep - top - h, c.y)),
  };
}

/** A step towards having a point of the world in the middle; `part` of the way (1: at once). */
export function towards(
  c: Camera,
  wx: number,
  wy: number,
  k: number,
  width: number,
  height: number,
  part: number,
): Camera {
  const next = c.k + (k - c.k) * part;
  const mx = (width / 2 - c.x) / c.k;
  const my = (height / 2 - c.y) / c.k;
  const nx = mx + (wx - mx) * part;
  const ny = my + (wy - my) * part;
  return { k: next, x: width / 2 - nx * next, y: height / 2 - ny * next };
}
