// The tile pyramid: which tiles show a window, and which coarser ones are drawn while those are loading.
//
// Level L has bins of base_ns · 2^L; tile x covers bins [64 x, 64 x + 64), tile y lanes [64 y, 64 y + 64). Below level 0
// the same grid goes on with halves: at level -1, -2, … a "tile" is a stretch of raw slices of all CPUs.

import type { TilesMeta } from '../../api/types';
import type { Span } from '../place';

export type Grid = Pick<TilesMeta, 'base_ns' | 'levels' | 'start_ns' | 'end_ns' | 'columns' | 'lanes'>;

/** Stretches are not halved beyond this level. */
export const FINEST_LEVEL = -24;

/** Level whose bins are at least one pixel wide; -1 when raw slices are due. */
export function levelFor(grid: Grid, nsPerPixel: number): number {
  if (nsPerPixel < grid.base_ns) return -1;
  return Math.min(Math.ceil(Math.log2(nsPerPixel / grid.base_ns)), grid.levels - 1);
}

/** Width of a tile at a level, in ns. Raw stretches of level -1 are as wide as tiles of level 0. */
export const tileWidth = (grid: Grid, level: number): number =>
  level >= 0 ? grid.base_ns * grid.columns * 2 ** level : grid.base_ns * grid.columns * 2 ** (level + 1);

/** The tile's span. */
export function tileSpan(grid: Grid, level: number, x: number): Span {
  const width = tileWidth(grid, level);
  return { start: grid.start_ns + x * width, end: grid.start_ns + (x + 1) * width };
}

/** First and last tile that meet a window inside the trace; null when none does. */
export function tileRange(grid: Grid, level: number, window: Span): [number, number] | null {
  const width = tileWidth(grid, level);
  const end = Math.min(window.end, grid.end_ns);
  const first = Math.max(Math.floor((window.start - grid.start_ns) / width), 0);
  const last = Math.ceil((end - grid.start_ns) / width) - 1;
  return first <= last ? [first, last] : null;
}

/** The raw level whose stretches are about as wide as the window: two or three of them cover it. */
export function rawLevel(grid: Grid, window: Span): number {
  const widths = Math.log2(tileWidth(grid, -1) / (window.end - window.start));
  return -1 - Math.max(Math.floor(widths), 0);
}

/** The tile one level up that contains this one. */
export const parentOf = (level: number, x: number): [level: number, x: number] => [
  level + 1,
  level === -1 ? x : x >> 1,
];
