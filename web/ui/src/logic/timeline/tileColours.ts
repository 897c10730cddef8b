// The colours of a tile's bins, mixed once: a bin looks the same at every zoom, so a frame copies them.

import type { Span } from '../place';
import type { MixedTile, Tile } from './chunks';
import { distinguishesThreads } from './colour';
import { type CoveredPixels, mixLoads, type Paint, PixelRow } from './raster';
import { nsPerPixel, type PixelSpan } from './timescale';

let lastNumber = 0;
const numbers = new WeakMap<Paint, number>();

/** Another one for each paint: what was mixed elsewhere says by it what it was mixed with. */
export function numberOf(paint: Paint): number {
  const known = numbers.get(paint) ?? ++lastNumber;
  numbers.set(paint, known);
  return known;
}

/** Colours of tiles: the worker has mixed them, or they are mixed when a frame asks, once. */
export class TileColours {
  private paint: Paint | null = null;
  private known = new WeakMap<Tile, MixedTile>();

  /** Those of its bins; those of another paint are dropped. */
  of(tile: Tile, paint: Paint): MixedTile {
    const number = numberOf(paint);
    if (tile.mixed?.paint === number) return tile.mixed;
    if (paint !== this.paint) {
      this.paint = paint;
      this.known = new WeakMap();
    }
    let mixed = this.known.get(tile);
    if (!mixed) {
      mixed = mixedTile(tile, paint, number);
      this.known.set(tile, mixed);
    }
    return mixed;
  }
}

let row = new PixelRow(0);

/** The colours of a tile in a paint of that number. */
export function mixedTile(tile: Tile, paint: Paint, number: number): MixedTile {
  const { columns } = tile;
  if (!distinguishesThreads(paint.scheme) && !paint.highlight) return mixedLoads(tile, paint, number);
  if (row.width !== columns) row = new PixelRow(columns);
  const span = { start: 0, end: columns };
  const frame = { ...span, width: columns };
  const colours = new Uint32Array(tile.busy.length);
  const empty = new Uint8Array(Math.ceil(colours.length / columns));
  for (let lane = 0; lane * columns < colours.length; lane++) {
    row.clear();
    row.addTile(tile, lane, span, span, frame, paint, 1);
    row.colours(colours, lane * columns, paint);
    empty[lane] = Number(row.isEmpty);
  }
  return { paint: number, colours, empty };
}

/** Where threads are not distinguished a bin's colour is that of its figures. */
function mixedLoads(tile: Tile, paint: Paint, number: number): MixedTile {
  const { columns, busy, unobserved, waiting, wasted } = tile;
  const colours = new Uint32Array(busy.length);
  mixLoads(tile, 0, busy.length, colours, 0, paint);
  const empty = new Uint8Array(Math.ceil(busy.length / columns)).fill(1);
  for (let at = 0; at < busy.length; at++)
    if (busy[at] !== 0 || unobserved[at] !== 0 || waiting[at] !== 0 || wasted[at] !== 0)
      empty[Math.floor(at / columns)] = 0;
  return { paint: number, colours, empty };
}

/**
 * Which bin each pixel shows, into `bins`: of a tile that covers `span`, as far as it lies in `part`. The same for all lanes; the
 * pixels are those of `PixelRow.addTile`.
 */
export function binsOfPixels(
  columns: number,
  span: Span,
  part: Span,
  frame: PixelSpan,
  bins: Int32Array,
): CoveredPixels {
  const width = (span.end - span.start) / columns;
  const scale = 1 / nsPerPixel(frame);
  const begin = Math.max(frame.start, part.start);
  const end = Math.min(frame.end, part.end);
  const least = Math.max(Math.round((begin - frame.start) * scale), 0);
  const most = Math.min(Math.round((end - frame.start) * scale), frame.width);
  const first = Math.max(Math.floor((begin - span.start) / width), 0);
  const last = Math.min(Math.ceil((end - span.start) / width), columns);
  const covered = { from: most, to: least };
  for (let bin = first; bin < last; bin++) {
    const left = Math.max(Math.round((span.start + bin * width - frame.start) * scale), least);
    const right = Math.min(Math.round((span.start + (bin + 1) * width - frame.start) * scale), most);
    for (let x = left; x < right; x++) bins[x] = bin;
    if (left < right) {
      covered.from = Math.min(covered.from, left);
      covered.to = Math.max(covered.to, right);
    }
  }
  return covered;
}

/** Copies what a lane's bins hold (`values`, from `first` on) to the pixels of a row, which starts at `at` in `out`. */
export function copyBins<T extends Uint32Array | Float32Array>(
  values: T,
  first: number,
  bins: Int32Array,
  { from, to }: CoveredPixels,
  out: T,
  at: number,
): void {
  for (let x = from; x < to; x++) out[at + x] = values[first + (bins[x] as number)] as number;
}
