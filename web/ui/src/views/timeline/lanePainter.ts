// Draws the lanes of threads: rows of pixels, and what the states are where they are wide enough.

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
import type { Screen } from './screen';

/** Rows of pixels of a lane: its states, and the waiting threads of a group. */
const ROWS = 2;
/** Height of a group's row of waiting threads. */
const WAIT_PIXELS = 4;
/** Share of its time for which a bin has to be of one state to carry its name. */
const ALONE = 0.9;

interface SeenLane {
  lane: ThreadLane;
  /** Its number in the chunk's answers. */
  at: number;
  pieces: readonly LanePiece[];
}

export class LanePainter {
  private pixels = new Uint32Array(0);
  private row = new StateRow(0);
  private readonly runs = new Runs();
  /** The lanes of this frame, in the order of their rows. */
  private seen: readonly SeenLane[] = [];

  constructor(private readonly context: CanvasRenderingContext2D) {}

  /** Fills the lanes for which `isSeen`; `device` in pixels of the canvas, of which `ratio` are one of CSS. */
  fill(
    screen: Screen,
    scene: TimelineScene,
    device: PixelSpan,
    ratio: number,
    chunks: readonly LaneChunk[],
    isSeen: (lane: ThreadLane) => boolean,
  ): void {
    this.seen = chunks.flatMap(({ lanes, pieces }) =>
      lanes.flatMap((lane, at) => (isSeen(lane) ? [{ lane, at, pieces }] : [])),
    );
    const { width } = device;
    if (this.row.width !== width) this.row = new StateRow(width);
    const size = this.seen.length * ROWS * width;
    if (this.pixels.length < size) this.pixels = new Uint32Array(size);
    const on = (y: number) => Math.round((y - scene.scroll) * ratio);
    this.seen.forEach(({ lane, at, pieces }, index) => {
      const isGroup = lane.utid === null;
      this.fillRow(device, at, pieces, isGroup);
      const offset = index * ROWS * width;
      if (lane.utid === null) this.row.loads(this.pixels, offset, offset + width, scene.ink.palette);
      else this.row.colours(this.pixels, offset, coloursOf(scene, lane.utid), scene.ink.palette.ground);
      const bottom = lane.top + lane.height - 2;
      const main = isGroup ? bottom - WAIT_PIXELS : bottom;
      screen.stretch(this.pixels, offset, on(lane.top), on(main));
      if (isGroup) screen.stretch(this.pixels, offset + width, on(main), on(bottom));
    });
  }

  /** Names the states of the lanes that were filled; `frame` in CSS pixels. */
  drawLabels(scene: TimelineScene, frame: PixelSpan, ratio: number): void {
    this.context.font = `500 11px ${scene.ink.font}`;
    this.context.textBaseline = 'middle';
    this.seen.forEach(({ lane, at, pieces }, index) => {
      if (lane.utid === null) return;
      this.fillRuns(frame, at, pieces);
      this.labelRuns(frame, lane, index * ROWS * this.row.width, ratio);
    });
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
