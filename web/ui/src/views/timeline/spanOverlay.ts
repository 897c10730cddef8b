// What overlays that draw spans of CPUs have in common.

import type { Overlay } from '../../logic/place';
import type { CpuSpans } from '../../logic/timeline/cpuSpans';
import { rowsBetween } from '../../logic/timeline/cpuSpans';
import { type PixelSpan, toX } from '../../logic/timeline/timescale';
import type { TimelineScene } from './scene';
import type { TimelineHit } from './timelineHit';

/** Pixels for each span of a lane: a band of more would look like one span. */
const PIXELS_PER_SPAN = 3;
/** Least width of a span, so that none is missed. */
export const LEAST_WIDTH = 1;

/** Height of a band on a lane. */
export const bandHeight = (lane: { height: number }): number => Math.min(Math.max(Math.round(lane.height / 5), 1), 5);

/** Calls `draw` with the row and the pixels of each span of a CPU that a frame shows. */
export function eachDrawn(
  spans: CpuSpans,
  cpu: number,
  frame: PixelSpan,
  draw: (row: number, left: number, width: number) => void,
): void {
  const [low, high] = rowsBetween(spans, cpu, frame.start, frame.end);
  for (let row = low; row < high; row++) {
    const end = toX(frame, spans.end[row] as number);
    if (end <= 0) continue;
    const left = Math.max(toX(frame, spans.start[row] as number), -2);
    draw(row, left, Math.max(Math.min(end, frame.width + 2) - left, LEAST_WIDTH));
  }
}

/** What a frame shows of an overlay: nothing where it is off, `crowded` where there is too much of it. */
export interface ShownSpans<Spans> {
  stretches: readonly Spans[];
  crowded: boolean;
}

/** The stretches of an overlay's spans that a frame draws. */
export function shownSpans<Spans extends CpuSpans>(
  scene: TimelineScene,
  frame: PixelSpan,
  overlay: Overlay,
  inSight: (span: TimelineScene['span']) => readonly Spans[],
): ShownSpans<Spans> {
  if (!scene.overlays.includes(overlay)) return { stretches: [], crowded: false };
  const stretches = inSight(scene.span);
  const crowded = isCrowded(stretches, scene, frame.width);
  return { stretches: crowded ? [] : stretches, crowded };
}

/** Fills paths one after the other, each in its colour and with its opacity. */
export function fillPaths(
  context: CanvasRenderingContext2D,
  paths: readonly (readonly [path: Path2D, colour: string, alpha?: number])[],
): void {
  for (const [path, colour, alpha = 1] of paths) {
    context.globalAlpha = alpha;
    context.fillStyle = colour;
    context.fill(path);
  }
  context.globalAlpha = 1;
}

/** A hit with rows about the spans of an overlay in it, as far as it is in sight; none where the overlay is off or not all came. */
export function withSpans<Spans extends CpuSpans>(
  scene: TimelineScene,
  hit: TimelineHit,
  overlay: Overlay,
  inSight: (span: TimelineScene['span']) => readonly Spans[],
  rowsOf: (stretches: readonly Spans[], picked: PickedSpan) => TimelineHit['rows'],
): TimelineHit {
  if (!scene.overlays.includes(overlay) || hit.end <= hit.start) return hit;
  const stretches = inSight(scene.span);
  if (stretches.some(({ truncated }) => truncated)) return hit;
  const picked = { t: hit.t, start: Math.max(hit.start, scene.span.start), end: Math.min(hit.end, scene.span.end) };
  const rows = rowsOf(stretches, picked);
  return rows.length === 0 ? hit : { ...hit, rows: [...hit.rows, ...rows] };
}

/** The part of a hit that is in sight, and the instant that was picked. */
export interface PickedSpan {
  t: number;
  start: number;
  end: number;
}

/** Not all came, or a CPU has more than can be distinguished. */
function isCrowded(stretches: readonly CpuSpans[], scene: TimelineScene, width: number): boolean {
  if (stretches.some(({ truncated }) => truncated)) return true;
  const { start, end } = scene.span;
  return scene.lanes.lanes.some(({ cpus }) => {
    const counts = cpus.map((cpu) =>
      stretches.reduce((sum, spans) => {
        const [low, high] = rowsBetween(spans, cpu, start, end);
        return sum + high - low;
      }, 0),
    );
    return Math.max(...counts) > width / PIXELS_PER_SPAN;
  });
}
