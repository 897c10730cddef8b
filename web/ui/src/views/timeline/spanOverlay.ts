// What overlays that draw spans of CPUs have in common.

import type { CpuSpans } from '../../logic/timeline/cpuSpans';
import { rowsBetween } from '../../logic/timeline/cpuSpans';
import { type PixelSpan, toX } from '../../logic/timeline/timescale';
import type { TimelineScene } from './scene';

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

/** Not all came, or a CPU has more than can be distinguished. */
export function isCrowded(stretches: readonly CpuSpans[], scene: TimelineScene, width: number): boolean {
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
