// Colours of lanes: schemes are data, from utid or figures to a packed pixel (0xAABBGGRR, as canvas wants it).

import type { Scheme } from '../place';

export type Pixel = number;

/** Colours that the tokens give, packed. */
export interface Palette {
  idle: Pixel;
  busy: Pixel;
  overload: Pixel;
  wasted: Pixel;
  waiting: Pixel;
  /** States of threads that hold no CPU and want none: in lanes of threads. */
  blocked: Pixel;
  stopped: Pixel;
  throttled: Pixel;
  unobserved: Pixel;
  ground: Pixel;
  accent: Pixel;
  /** Ramp of the heat maps, from nothing to most. */
  heat: readonly Pixel[];
  /** Colours of the groups of threads with a hue of their own (`logic/hues`). */
  kinds: readonly Pixel[];
}

/** `#rrggbb` packed, opaque. Throws for anything else: tokens are written that way. */
export function pack(hex: string): Pixel {
  const match = /^#([0-9a-f]{6})$/i.exec(hex.trim());
  if (!match) throw new Error(`not a colour #rrggbb: ${hex}`);
  const rgb = Number.parseInt(match[1] as string, 16);
  return (0xff000000 | ((rgb & 0xff) << 16) | (rgb & 0xff00) | (rgb >> 16)) >>> 0;
}

export const unpack = (pixel: Pixel): string =>
  `#${(((pixel & 0xff) << 16) | (pixel & 0xff00) | ((pixel >> 16) & 0xff)).toString(16).padStart(6, '0')}`;

/** `a` with `share` (0..1) of `b` in it. */
export function mix(a: Pixel, b: Pixel, share: number): Pixel {
  if (share <= 0) return a;
  if (share >= 1) return b;
  const red = (a & 0xff) + ((b & 0xff) - (a & 0xff)) * share;
  const green = ((a >> 8) & 0xff) + (((b >> 8) & 0xff) - ((a >> 8) & 0xff)) * share;
  const blue = ((a >> 16) & 0xff) + (((b >> 16) & 0xff) - ((a >> 16) & 0xff)) * share;
  return (0xff000000 | (blue << 16) | (green << 8) | red) >>> 0;
}

/** Whether black text reads better on it than white. */
export const isLight = (pixel: Pixel): boolean =>
  (pixel & 0xff) * 0.299 + ((pixel >> 8) & 0xff) * 0.587 + ((pixel >> 16) & 0xff) * 0.114 > 140;

/** What a CPU was like over a stretch of time. Shares of it 0..1; `waiting` in threads. */
export interface Load {
  busy: number;
  unobserved: number;
  waiting: number;
  /** Share in which it was idle and matched to a thread that waited elsewhere. */
  wasted: number;
}

/** Colour of the schemes that do not distinguish threads. */
export function loadColour(scheme: Scheme, load: Load, palette: Palette): Pixel {
  const { busy, waiting, unobserved, wasted } = load;
  let colour: Pixel;
  if (scheme === 'queue') colour = ramp(palette, busy + waiting);
  else if (scheme === 'wait') colour = ramp(palette, waiting === 0 ? 0 : waiting + 0.5);
  else {
    colour = mix(palette.idle, palette.busy, busy);
    colour = mix(colour, palette.overload, Math.min(waiting, 1) * Math.max(busy, 0.25));
  }
  // Waste has one colour, whatever else the lanes are coloured by.
  colour = mix(colour, palette.wasted, wasted);
  return mix(colour, palette.unobserved, unobserved);
}

/** The heat map's colour of `value` threads: the ramp's steps are 0, 1, 2, 4, 8 … threads. */
export function ramp({ heat }: Palette, value: number): Pixel {
  const at = value <= 1 ? value : 1 + Math.log2(value);
  const low = Math.min(Math.floor(at), heat.length - 1);
  return mix(heat[low] as Pixel, heat[Math.min(low + 1, heat.length - 1)] as Pixel, at - low);
}

export const distinguishesThreads = (scheme: Scheme): boolean =>
  scheme === 'thread' || scheme === 'process' || scheme === 'cgroup' || scheme === 'bubble';

/** Labels and hues of threads, by utid. */
export interface Names {
  /** Text that a slice carries. */
  label(utid: number): string;
  /** The hue of the thread's group under the scheme: an index into the palette's kinds. */
  hue(utid: number, scheme: Scheme): number;
  most: number;
}

/** The colour of every utid under a scheme; 0 (idle) included. `dimmed` threads fade into the ground. */
export function threadColours(
  names: Names,
  scheme: Scheme,
  palette: Palette,
  dimmed: (utid: number) => boolean,
): Uint32Array {
  const colours = new Uint32Array(names.most + 1);
  const apart = distinguishesThreads(scheme);
  for (let utid = 1; utid <= names.most; utid++) {
    const full = apart ? (palette.kinds[names.hue(utid, scheme)] as Pixel) : palette.busy;
    colours[utid] = dimmed(utid) ? mix(full, palette.idle, 0.82) : full;
  }
  colours[0] = palette.idle;
  return colours;
}
