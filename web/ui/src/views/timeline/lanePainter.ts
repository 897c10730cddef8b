// Draws the lanes of threads: rows of pixels that the canvas stretches, and what the states are where they are wide enough.

import { Runs } from '../../logic/timeline/borders';
import { above } from '../../logic/timeline/chunks';
import { distinguishesThreads, isLight } from '../../logic/timeline/colour';
import { drawLabel, partsOfLabel } from '../../logic/timeline/labels';
import type { ThreadLane } from '../../logic/timeline/lanes';
import { type LaneState, StateRow } from '../../logic/timeline/stateRaster';
import { type PixelSpan, toX } from '../../logic/timeline/timescale';
import { fit, NAMED, WIDEST } from './fit';
import type { LaneChunk, LanePiece } from './laneSource';
import { labelCode, laneLabel } from './laneWords';
import type { TimelineScene } from './scene';

/** Rows of pixels of a lane: its states, and the waiting threads of a group. */
const ROWS = 2;
/** Height of a group's row of waiting threads. */
const WAIT_PIXELS = 4;
/** Share of its time for which a bin has to be of one state to carry its name. */
const ALONE = 0.9;

export class LanePainter {
  private readonly canvas = document.createElement('canvas');
  private readonly rowContext: CanvasRenderingContext2D;
  private image: ImageData | null = null;
  private pixels = new Uint32Array(0);
  private row = new StateRow(0);
  private readonly runs = new Runs();

  constructor(private readonly context: CanvasRenderingContext2D) {
    const rowContext = this.canvas.getContext('2d');
    if (!rowContext) throw new Error('this browser gives no canvas to draw on');
    this.rowContext = rowContext;
  }

  /** Draws the lanes for which `isSeen`; `frame` in CSS pixels, `device` in those of the canvas. */
  draw(
    scene: TimelineScene,
    frame: PixelSpan,
    device: PixelSpan,
    chunks: readonly LaneChunk[],
    isSeen: (lane: ThreadLane) => boolean,
  ): void {
    const ratio = device.width / frame.width;
    const seen = chunks.flatMap(({ lanes, pieces }) =>
      lanes.flatMap((lane, at) => (isSeen(lane) ? [{ lane, at, pieces }] : [])),
    );
    if (seen.length === 0) return;
    this.imageFor(device.width, seen.length * ROWS);
    seen.forEach(({ lane, at, pieces }, index) => {
      this.fillRow(device, at, pieces, lane.utid === null);
      const offset = index * ROWS * device.width;
      if (lane.utid === null) this.row.loads(this.pixels, offset, offset + device.width, scene.ink.palette);
      else this.row.colours(this.pixels, offset, coloursOf(scene, lane.utid), scene.ink.palette.ground);
    });
    if (!this.image) return;
    this.rowContext.putImageData(this.image, 0, 0);
    this.context.imageSmoothingEnabled = false;
    seen.forEach(({ lane }, index) => {
      const { width } = frame;
      const full = lane.height - 2;
      const main = lane.utid === null ? full - WAIT_PIXELS : full;
      this.context.drawImage(this.canvas, 0, index * ROWS, device.width, 1, 0, lane.top, width, main);
      if (lane.utid !== null) return;
      const y = lane.top + main;
      this.context.drawImage(this.canvas, 0, index * ROWS + 1, device.width, 1, 0, y, width, WAIT_PIXELS);
    });
    this.context.font = `500 11px ${scene.ink.font}`;
    this.context.textBaseline = 'middle';
    seen.forEach(({ lane, at, pieces }, index) => {
      if (lane.utid === null) return;
      this.fillRuns(frame, at, pieces);
      this.labelRuns(frame, lane, index * ROWS * device.width, ratio);
    });
  }

  private imageFor(width: number, rows: number): void {
    if (this.row.width !== width) this.row = new StateRow(width);
    if (this.image && this.image.width === width && this.image.height >= rows) return;
    this.canvas.width = width;
    this.canvas.height = rows;
    this.image = new ImageData(width, rows);
    this.pixels = new Uint32Array(this.image.data.buffer);
  }

  private fillRow(device: PixelSpan, at: number, pieces: readonly LanePiece[], overlap: boolean): void {
    this.row.clear();
    for (const piece of pieces) {
      if (piece.kind === 'tile') this.row.addTile(piece.tile, at, piece.span, piece.part, device);
      else if (piece.kind === 'states') this.row.addStates(piece.states, at, piece.part, device, overlap);
    }
  }

  /** Stretches of one state, by `labelCode`; those of no name part what is beside them. */
  private fillRuns(frame: PixelSpan, at: number, pieces: readonly LanePiece[]): void {
    this.runs.clear();
    for (const piece of pieces) {
      if (piece.kind === 'none') continue;
      const begin = Math.max(piece.part.start, frame.start);
      const end = Math.min(piece.part.end, frame.end);
      if (piece.kind === 'states') {
        const { states } = piece;
        const low = states.first[at] ?? 0;
        const high = states.first[at + 1] ?? low;
        const last = above(states.start, end, low, high);
        for (let row = Math.max(above(states.start, begin, low, high) - 1, low); row < last; row++) {
          const from = Math.max(states.start[row] as number, begin);
          const to = Math.min(states.end[row] as number, end);
          const code = labelCode(states.phase[row] as number, states.cpu[row] as number);
          if (to > from && code > 0) this.runs.add(toX(frame, from), toX(frame, to), code);
        }
        continue;
      }
      const { tile, span } = piece;
      const width = (span.end - span.start) / tile.columns;
      const first = Math.max(Math.floor((begin - span.start) / width), 0);
      const last = Math.min(Math.ceil((end - span.start) / width), tile.columns);
      for (let bin = first; bin < last; bin++) {
        const cell = at * tile.columns + bin;
        const code = (tile.cpuShare[cell] as number) >= ALONE ? labelCode(0, tile.cpu[cell] as number) : 0;
        if (code === 0) continue;
        const from = Math.max(span.start + bin * width, begin);
        const to = Math.min(span.start + (bin + 1) * width, end);
        this.runs.add(toX(frame, from), toX(frame, to), code);
      }
    }
  }

  private labelRuns(frame: PixelSpan, lane: ThreadLane, offset: number, ratio: number): void {
    const { runs } = this;
    const middle = lane.top + (lane.height - 2) / 2 + 0.5;
    for (let run = 0; run < runs.size; run++) {
      const left = Math.max(runs.from[run] as number, 0);
      const right = Math.min(runs.to[run] as number, frame.width);
      if (right - left < NAMED) continue;
      const text = fit(laneLabel(runs.utid[run] as number), right - left - 10);
      if (!text) continue;
      const light = (pixel: number) => isLight(this.pixels[offset + pixel] as number);
      const end = Math.min(right - 3, left + 9 + text.length * WIDEST);
      drawLabel(this.context, text, left + 5, middle, partsOfLabel(left + 3, end, ratio, light));
    }
  }
}

function coloursOf({ ink, paint }: TimelineScene, utid: number): Record<LaneState, number> {
  const { palette } = ink;
  const running = distinguishesThreads(paint.scheme) ? (paint.threads[utid] ?? palette.busy) : palette.busy;
  const { waiting, blocked, stopped, throttled } = palette;
  return { running, waiting, blocked, stopped, throttled, sleeping: palette.idle };
}
