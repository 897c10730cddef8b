// A lane of CPUs as a row of pixels: colours copied from the bins of tiles, else figures per pixel from tiles, raw slices, and episodes where
// tiles do not know the waste.

import type { Span } from '../../logic/place';
import type { TimelineLane } from '../../logic/timeline/lanes';
import { tileSpan } from '../../logic/timeline/pyramid';
import { blank, type CoveredPixels, PixelRow } from '../../logic/timeline/raster';
import { binsOfPixels, copyBins, type TileColours } from '../../logic/timeline/tileColours';
import { type PixelSpan, toX } from '../../logic/timeline/timescale';
import type { TimelineScene } from './scene';
import type { Piece } from './source';

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

/** Which pixels of a frame a part of its time has. */
function pixelsOf(part: Span, frame: PixelSpan): CoveredPixels {
  const at = (t: number) => Math.min(Math.max(Math.round(toX(frame, t)), 0), frame.width);
  return { from: at(part.start), to: at(part.end) };
}

/**
 * The rows of a frame. Bins of tiles have their colours, so that lanes of one CPU copy them; what is read from slices, or of several CPUs, is
 * added up per pixel (`fillRow`). Where slices are here for a part of the frame only, that part alone is.
 */
export class LaneRows {
  /** Figures per pixel of the row filled last; those of waiting threads are whole where they were asked for. */
  row = new PixelRow(0);
  /** The bin of each pixel, for all lanes. */
  private bins = new Int32Array(0);
  private frame: PixelSpan = { start: 0, end: 1, width: 0 };
  private pieces: readonly Piece[] = [];
  private raw: readonly Piece[] = [];
  /** By piece: its pixels. */
  private covered: readonly CoveredPixels[] = [];

  constructor(private readonly colours: TileColours) {}

  /** Begins a frame. */
  begin({ source: { meta } }: Pick<TimelineScene, 'source'>, frame: PixelSpan, pieces: readonly Piece[]): void {
    if (this.row.width !== frame.width) {
      this.row = new PixelRow(frame.width);
      this.bins = new Int32Array(frame.width);
    }
    this.frame = frame;
    this.pieces = pieces;
    this.raw = pieces.filter((piece) => piece.kind === 'raw');
    this.covered = pieces.map((piece) => {
      if (piece.kind !== 'tile') return pixelsOf(piece.part, frame);
      return binsOfPixels(meta.columns, tileSpan(meta, piece.level, piece.x), piece.part, frame, this.bins);
    });
  }

  /** The row of a lane, into `pixels` from `offset` on. False where there is nothing in it. */
  fill(
    scene: Pick<TimelineScene, 'source' | 'paint' | 'bands'>,
    lane: Pick<TimelineLane, 'cpus'>,
    pixels: Uint32Array,
    offset: number,
    withWaiting: boolean,
  ): boolean {
    const { row, frame } = this;
    if (lane.cpus.length > 1 || !scene.source.meta.wasted_known || this.raw.length === this.pieces.length) {
      fillRow(row, scene, frame, lane, this.pieces);
      row.colours(pixels, offset, scene.paint);
      return !row.isEmpty;
    }
    row.clear();
    pixels.fill(blank(scene.paint), offset, offset + frame.width);
    let any = false;
    if (this.raw.length > 0) {
      fillRow(row, scene, frame, lane, this.raw);
      any = !row.isEmpty;
      this.pieces.forEach(({ kind }, index) => {
        if (kind === 'raw') row.colours(pixels, offset, scene.paint, this.covered[index]);
      });
    }
    const waiting = withWaiting ? row.writableWaiting() : null;
    return this.copyBins(scene, lane.cpus[0] as number, pixels, offset, waiting) || any;
  }

  /** What the tiles have of a CPU; `waiting` gets the figures of waiting threads. False where that is nothing. */
  private copyBins(
    { source, paint }: Pick<TimelineScene, 'source' | 'paint'>,
    cpu: number,
    pixels: Uint32Array,
    offset: number,
    waiting: Float32Array | null,
  ): boolean {
    const [y, lane] = source.lane(cpu);
    let any = false;
    for (const [index, piece] of this.pieces.entries()) {
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
