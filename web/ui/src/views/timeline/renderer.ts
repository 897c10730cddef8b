// Draws a frame of the timeline: lanes as rows of pixels, and what lies over them as lines. Touches no network.

import { addSliceRuns, addTileRuns, Runs } from '../../logic/timeline/borders';
import { isLight } from '../../logic/timeline/colour';
import { drawLabel, partsOfLabel } from '../../logic/timeline/labels';
import { type LaneLayout, laneNamed, NAMED_HEIGHT, type TimelineLane } from '../../logic/timeline/lanes';
import { levelFor, rawLevel, tileSpan } from '../../logic/timeline/pyramid';
import { TileColours } from '../../logic/timeline/tileColours';
import { nsPerPixel, type PixelSpan, ticks, toX } from '../../logic/timeline/timescale';
import { fitLabel, LETTER, NAMED, WIDEST } from './fit';
import { drawFlows } from './flowOverlay';
import type { CrowdedKind, FrameResult } from './frameResult';
import { hitOf } from './hit';
import { drawInterrupts } from './interruptOverlay';
import { drawJobs } from './jobOverlay';
import { LanePainter } from './lanePainter';
import { gapOf, rowsPerLane, STACK, stackHeight, stackPixels } from './laneParts';
import { LaneRows } from './laneRow';
import type { LaneChunk, LanePiece } from './laneSource';
import { drawArrows, drawBands, drawBookmarks, drawEvent, drawFollowed, drawMeasure, drawSelection } from './overlays';
import type { CanvasColours } from './palette';
import { drawFrequencies, drawIdleStates } from './powerOverlay';
import { drawScans } from './scanOverlay';
import { AXIS, type TimelineScene } from './scene';
import type { Piece, Source } from './source';

/** Pixels between the lines of what is not loaded. */
const HATCH = 8;

export class Renderer {
  private readonly context: CanvasRenderingContext2D;
  private readonly rows = document.createElement('canvas');
  private readonly rowContext: CanvasRenderingContext2D;
  private image: ImageData | null = null;
  private pixels = new Uint32Array(0);
  /** Of each visible lane of one CPU, found once a frame for its borders and its names. */
  private readonly runs: Runs[] = [];
  private readonly lanePainter: LanePainter;
  /** Of tiles; the map of all CPUs has the same. */
  readonly tileColours = new TileColours();
  private readonly laneRows = new LaneRows(this.tileColours);
  private hatch: { colour: string; pattern: CanvasPattern } | null = null;

  constructor(private readonly canvas: HTMLCanvasElement) {
    const context = canvas.getContext('2d', { alpha: false });
    const rowContext = this.rows.getContext('2d');
    if (!context || !rowContext) throw new Error('this browser gives no canvas to draw on');
    this.context = context;
    this.rowContext = rowContext;
    this.lanePainter = new LanePainter(context);
  }

  /** Draws; `width` and `height` in CSS pixels. */
  draw(scene: TimelineScene, width: number, height: number): FrameResult {
    const ratio = window.devicePixelRatio || 1;
    this.resize(Math.round(width * ratio), Math.round(height * ratio));
    const context = this.context;
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.fillStyle = scene.ink.surface;
    context.fillRect(0, 0, width, height);

    const frame: PixelSpan = { ...scene.span, width };
    const device: PixelSpan = { ...scene.span, width: this.canvas.width };
    const visible = visibleLanes(scene.lanes, scene.scroll, height - AXIS);
    const level = levelFor(scene.source.meta, nsPerPixel(device));
    const grid = level < 0 ? rawLevel(scene.source.meta, scene.span) : level;
    const pieces = scene.source.pieces(grid, scene.span, tileRows(scene.source, visible));

    const isSeen = (lane: { top: number; height: number }) =>
      lane.top + lane.height > scene.scroll && lane.top < scene.scroll + height - AXIS;
    const chunks = scene.source.threads.chunks(grid, scene.span, scene.lanes, isSeen);

    context.save();
    context.beginPath();
    context.rect(0, AXIS, width, height - AXIS);
    context.clip();
    context.translate(0, AXIS - scene.scroll);
    this.drawLanes(scene, device, visible, pieces, ratio, width);
    this.drawMissing(scene, frame, visible, pieces);
    this.lanePainter.draw(scene, frame, device, chunks, isSeen);
    for (const { lanes, pieces: own } of chunks) this.drawMissing(scene, frame, lanes.filter(isSeen), own);
    const isFrequencyDrawn = drawFrequencies(context, scene, frame, visible);
    this.drawLabels(scene, frame, visible, ratio);
    const isIdleDrawn = drawIdleStates(context, scene, frame, visible);
    const isInterruptsDrawn = drawInterrupts(context, scene, frame, visible);
    drawBands(context, scene, frame);
    const crowded: CrowdedKind[] = drawArrows(context, scene, frame);
    if (!drawFlows(context, scene, frame)) crowded.push('flows');
    if (!isInterruptsDrawn) crowded.push('interrupts');
    if (!isIdleDrawn) crowded.push('idle');
    if (!isFrequencyDrawn) crowded.push('frequency');
    crowded.push(...drawScans(context, scene, frame));
    if (!drawJobs(context, scene, frame, isSeen)) crowded.push('jobs');
    drawFollowed(context, scene, frame);
    this.drawCursor(scene, frame, pieces, chunks);
    context.restore();
    drawSelection(context, scene, frame, height);
    drawAxis(context, scene, frame);
    drawBookmarks(context, scene, frame, height);
    drawMeasure(context, scene, frame, height);
    drawEvent(context, scene, frame, height);
    const all = [pieces, ...chunks.map((chunk) => chunk.pieces)];
    const hatched = all.some((part) => part.some((piece) => piece.kind === 'none' && piece.failed));
    return { frame, level, pieces, chunks, crowded, missing: { error: scene.source.error, hatched } };
  }

  private resize(width: number, height: number): void {
    if (this.canvas.width !== width || this.canvas.height !== height) {
      this.canvas.width = width;
      this.canvas.height = height;
    }
  }

  /** Pixels of the rows of all visible lanes, kept from frame to frame. */
  private imageFor(width: number, rows: number): void {
    if (this.image && this.image.width === width && this.image.height >= rows) return;
    this.rows.width = width;
    this.rows.height = rows;
    this.image = new ImageData(width, rows);
    this.pixels = new Uint32Array(this.image.data.buffer);
  }

  private drawLanes(
    scene: TimelineScene,
    device: PixelSpan,
    visible: readonly TimelineLane[],
    pieces: readonly Piece[],
    ratio: number,
    width: number,
  ): void {
    const each = rowsPerLane(scene, visible);
    const stacked = each > 1;
    this.imageFor(device.width, Math.max(visible.length * each, 1));
    this.laneRows.begin(scene, device, pieces);
    visible.forEach((lane, index) => {
      const offset = index * each * device.width;
      const any = this.laneRows.fill(scene, lane, this.pixels, offset, stacked);
      const runs = this.runsOf(index);
      runs.clear();
      if (any && lane.cpus.length === 1) {
        fillRuns(runs, scene, { ...scene.span, width }, lane.cpus[0] as number, pieces);
        this.drawBorders(runs, ratio, scene.ink.palette.ground, offset, device.width);
      }
      for (let depth = 0; stacked && depth < STACK; depth++) {
        this.laneRows.row.stack(this.pixels, offset + (1 + depth) * device.width, depth, scene.ink.palette.waiting);
      }
    });
    if (!this.image) return;
    this.rowContext.putImageData(this.image, 0, 0);
    const context = this.context;
    context.imageSmoothingEnabled = false;
    const pixels = stackPixels(visible);
    const stack = stackHeight(scene, visible);
    visible.forEach((lane, index) => {
      const main = lane.height - stack - gapOf(lane.height);
      context.drawImage(this.rows, 0, index * each, device.width, 1, 0, lane.top, width, main);
      for (let depth = 0; stacked && depth < STACK; depth++) {
        const y = lane.top + main + 1 + depth * pixels;
        context.drawImage(this.rows, 0, index * each + 1 + depth, device.width, 1, 0, y, width, pixels - 1 / ratio);
      }
    });
  }

  /** Time without data is blank while it is loading, and hatched where it could not be loaded. */
  private drawMissing(
    scene: TimelineScene,
    frame: PixelSpan,
    visible: readonly { top: number; height: number }[],
    pieces: readonly (Piece | LanePiece)[],
  ): void {
    const { context } = this;
    for (const piece of pieces) {
      if (piece.kind !== 'none') continue;
      const left = Math.max(toX(frame, piece.part.start), 0);
      const right = Math.min(toX(frame, Math.min(piece.part.end, scene.source.meta.end_ns)), frame.width);
      if (right <= left) continue;
      for (const lane of visible) {
        const height = lane.height - gapOf(lane.height);
        context.fillStyle = scene.ink.surface;
        context.fillRect(left, lane.top, right - left, height);
        if (!piece.failed) continue;
        context.fillStyle = this.hatching(scene.ink);
        context.fillRect(left, lane.top, right - left, height);
      }
    }
  }

  /** Oblique lines, as `--hatching` of the legend has them. */
  private hatching(ink: CanvasColours): CanvasPattern | string {
    if (this.hatch?.colour === ink.strong) return this.hatch.pattern;
    const tile = document.createElement('canvas');
    tile.width = tile.height = HATCH;
    const context = tile.getContext('2d');
    if (!context) return ink.strong;
    context.strokeStyle = ink.strong;
    context.lineWidth = 1.5;
    for (const x of [-HATCH, 0, HATCH]) {
      context.moveTo(x - 1, HATCH + 1);
      context.lineTo(x + HATCH + 1, -1);
    }
    context.stroke();
    const pattern = this.context.createPattern(tile, 'repeat');
    if (!pattern) return ink.strong;
    this.hatch = { colour: ink.strong, pattern };
    return pattern;
  }

  /**
   * A line where a thread takes over from another, at every zoom: in the lane's row of pixels, since thousands of lines on
   * the canvas take longer than all else.
   */
  private drawBorders(runs: Runs, ratio: number, colour: number, offset: number, width: number): void {
    for (const x of runs.borders()) {
      const at = Math.round(x * ratio);
      if (at >= 0 && at < width) this.pixels[offset + at] = colour;
    }
  }

  /** Names of the runs that are wide enough, in lanes that are high enough. */
  private drawLabels(scene: TimelineScene, frame: PixelSpan, visible: readonly TimelineLane[], ratio: number): void {
    const context = this.context;
    context.font = `500 11px ${scene.ink.font}`;
    context.textBaseline = 'middle';
    const each = rowsPerLane(scene, visible);
    const stack = stackHeight(scene, visible);
    for (const [index, lane] of visible.entries()) {
      if (lane.cpus.length !== 1 || lane.height - stack < NAMED_HEIGHT) continue;
      const middle = lane.top + (lane.height - stack - 1) / 2 + 0.5;
      this.labelRuns(this.runsOf(index), scene, frame, middle, index * each * this.canvas.width, ratio);
    }
  }

  /** Those of the lane that is the `index`-th of the visible ones. */
  private runsOf(index: number): Runs {
    let runs = this.runs[index];
    if (!runs) {
      runs = new Runs();
      this.runs[index] = runs;
    }
    return runs;
  }

  /** Names of a lane's runs; `offset` is where its row of pixels starts. */
  private labelRuns(
    runs: Runs,
    scene: TimelineScene,
    frame: PixelSpan,
    middle: number,
    offset: number,
    ratio: number,
  ): void {
    for (let run = 0; run < runs.size; run++) {
      const left = Math.max(runs.from[run] as number, 0);
      const right = Math.min(runs.to[run] as number, frame.width);
      if (right - left < NAMED || !runs.alone(run)) continue;
      const utid = runs.utid[run] as number;
      const text = fitLabel(scene.threads.label(utid), scene.threads.get(utid)?.name, right - left - 10);
      if (!text) continue;
      const light = (pixel: number) => isLight(this.pixels[offset + pixel] as number);
      const end = Math.min(right - 3, left + 9 + text.length * WIDEST);
      drawLabel(this.context, text, left + 5, middle, partsOfLabel(left + 3, end, ratio, light));
    }
  }

  /** The slice at the cursor, which the keyboard or a click sets. */
  private drawCursor(
    scene: TimelineScene,
    frame: PixelSpan,
    pieces: readonly Piece[],
    chunks: readonly LaneChunk[],
  ): void {
    if (!scene.cursor) return;
    const { t } = scene.cursor;
    const lane = laneNamed(scene.lanes, scene.cursor.lane);
    if (!lane) return;
    const hit = hitOf(scene, { pieces, chunks }, lane, t);
    const [start, end] = hit?.exact ? [hit.start, hit.end] : [t, t];
    const left = Math.max(toX(frame, start), -4);
    const right = Math.min(toX(frame, end), frame.width + 4);
    this.context.strokeStyle = scene.ink.text;
    this.context.lineWidth = 2;
    this.context.strokeRect(left - 1, lane.top - 1, Math.max(right - left, 1) + 2, lane.height + 1);
  }
}

function fillRuns(
  runs: Runs,
  { source }: TimelineScene,
  frame: PixelSpan,
  cpu: number,
  pieces: readonly Piece[],
): void {
  const [y, row] = source.lane(cpu);
  for (const piece of pieces) {
    if (piece.kind === 'raw') addSliceRuns(runs, piece.slices, cpu, piece.part, frame);
    const tile = piece.kind === 'tile' && piece.tiles[y];
    if (piece.kind === 'tile' && tile)
      addTileRuns(runs, tile, row, tileSpan(source.meta, piece.level, piece.x), piece.part, frame);
  }
}

function visibleLanes(lanes: LaneLayout, scroll: number, height: number): TimelineLane[] {
  return lanes.lanes.filter((lane) => lane.top + lane.height > scroll && lane.top < scroll + height);
}

function tileRows(source: Source, visible: readonly TimelineLane[]): number[] {
  const rows = new Set<number>();
  for (const lane of visible) for (const cpu of lane.cpus) rows.add(source.lane(cpu)[0]);
  return [...rows];
}

function drawAxis(context: CanvasRenderingContext2D, scene: TimelineScene, frame: PixelSpan): void {
  const { ink } = scene;
  context.fillStyle = ink.surface;
  context.fillRect(0, 0, frame.width, AXIS);
  context.fillStyle = ink.line;
  context.fillRect(0, AXIS - 1, frame.width, 1);
  context.font = `400 11px ${ink.font}`;
  context.textBaseline = 'middle';
  for (const tick of ticks(frame, scene.origin)) {
    const x = Math.round(toX(frame, tick.t));
    context.fillStyle = ink.strong;
    context.fillRect(x, AXIS - 7, 1, 6);
    if (x + 4 + tick.label.length * LETTER > frame.width) continue;
    context.fillStyle = ink.quiet;
    context.fillText(tick.label, x + 4, AXIS - 11);
  }
}
