// A lane of CPUs as a row of pixels: colours copied from the bins of tiles, else figures per pixel from tiles, raw slices, and episodes where
// tiles do not know the waste.

import type { TimelineLane } from '../../logic/timeline/lanes';
import { tileSpan } from '../../logic/timeline/pyramid';
import { blank, type PixelRow } from '../../logic/timeline/raster';
import { binsOfPixels, type CoveredPixels, copyBins, type TileColours } from '../../logic/timeline/tileColours';
import type { PixelSpan } from '../../logic/timeline/timescale';
import type { TimelineScene } from './scene';
import type { Piece, Source } from './source';

/** Clears the row and adds what the pieces have of the lane's CPUs, on average. */
export function fillRow(
  row: PixelRow,
  { source, paint, bands }: Pick<TimelineScene, 'source' | 'paint' | 'bands'>,
  frame: PixelSpan,
  lane: Pick<TimelineLane, 'cpus'>,
  pieces: readonly Piece[],
): void {
  row.clear();
  const weight = 1 / lane.cpus.length;
  for (const cpu of lane.cpus) {
    const [y, at] = source.lane(cpu);
    for (const piece of pieces) {
      if (piece.kind === 'none') continue;
      if (piece.kind === 'tile') {
        const tile = piece.tiles[y];
        const span = tileSpan(source.meta, piece.level, piece.x);
        if (tile) row.addTile(tile, at, span, piece.part, frame, paint, weight);
        continue;
      }
      row.addSlices(piece.slices, cpu, piece.part, frame, paint, weight);
      if (piece.waits) row.addWaits(piece.waits, cpu, piece.part, frame, weight);
      row.addWasted(piece.wasted, cpu, piece.part, frame, weight);
    }
  }
  if (source.meta.wasted_known) return;
  for (const { episode, idle, share } of bands) {
    if (episode.end_ns < frame.start || episode.start_ns > frame.end) continue;
    const among = lane.cpus.reduce((n, cpu) => n + Number(idle.has(cpu)), 0);
    const span = { start: episode.start_ns, end: episode.end_ns };
    if (among > 0) row.addWastedIdle(span, share * among * weight, frame);
  }
}

/** Bins of tiles have their colours; what is read from slices, or of several CPUs, is added up per pixel (`fillRow`). */
export const isBinned = ({ meta }: Pick<Source, 'meta'>, pieces: readonly Piece[]): boolean =>
  meta.wasted_known && pieces.every((piece) => piece.kind !== 'raw');

/** Rows of single CPUs whose pieces are tiles. */
export class BinnedRows {
  /** The bin of each pixel, for all lanes. */
  private bins = new Int32Array(0);
  private covered: readonly CoveredPixels[] = [];

  constructor(private readonly colours: TileColours) {}

  /** Begins a frame: which pixels each piece covers. */
  cover({ meta }: Source, frame: PixelSpan, pieces: readonly Piece[]): void {
    if (this.bins.length !== frame.width) this.bins = new Int32Array(frame.width);
    this.covered = pieces.map((piece) => {
      if (piece.kind !== 'tile') return { from: 0, to: 0 };
      const span = tileSpan(meta, piece.level, piece.x);
      return binsOfPixels(meta.columns, span, piece.part, frame, this.bins);
    });
  }

  /**
   * The row of a CPU, into `pixels` from `offset` on; the figures of waiting threads into `waiting`, where they are shown. False where
   * there is nothing in it.
   */
  copy(
    { source, paint }: Pick<TimelineScene, 'source' | 'paint'>,
    cpu: number,
    pieces: readonly Piece[],
    pixels: Uint32Array,
    offset: number,
    waiting: Float32Array | null,
  ): boolean {
    const [y, lane] = source.lane(cpu);
    pixels.fill(blank(paint), offset, offset + this.bins.length);
    waiting?.fill(0);
    let any = false;
    for (const [index, piece] of pieces.entries()) {
      const tile = piece.kind === 'tile' && piece.tiles[y];
      if (!tile) continue;
      const { colours, empty } = this.colours.of(tile, paint);
      if (empty[lane] === 1) continue;
      any = true;
      const first = lane * tile.columns;
      const covered = this.covered[index] as CoveredPixels;
      copyBins(colours, first, this.bins, covered, pixels, offset);
      if (waiting) copyBins(tile.waiting, first, this.bins, covered, waiting, 0);
    }
    return any;
  }
}
