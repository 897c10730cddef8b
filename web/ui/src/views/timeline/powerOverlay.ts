// Idle states of CPUs as a band along the bottom of their lanes, and their frequencies as a line of steps within them. Lanes of several
// CPUs have neither.

import type { TimelineLane } from '../../logic/timeline/lanes';
import {
  frequencyRows,
  idleStateRows,
  type PowerOf,
  type PowerSpans,
  powerWithin,
  shadeOf,
} from '../../logic/timeline/power';
import { type PixelSpan, toX } from '../../logic/timeline/timescale';
import { bodyHeight } from './laneParts';
import type { TimelineScene } from './scene';
import { bandHeight, eachDrawn, fillPaths, LEAST_WIDTH, shownSpans, withSpans } from './spanOverlay';
import type { TimelineHit } from './timelineHit';

type Context = CanvasRenderingContext2D;

/** Steps cannot be seen in lower lanes. */
const LEAST_HEIGHT = 6;

/** Draws the idle states. False where there are too many. */
export function drawIdleStates(
  context: Context,
  scene: TimelineScene,
  frame: PixelSpan,
  visible: readonly TimelineLane[],
): boolean {
  const { stretches, crowded } = shownSpans(scene, frame, 'idle', powerOf(scene, 'idle_state'));
  if (stretches.length === 0) return !crowded;
  const ground = new Path2D();
  const bands = new Map<number, Path2D>();
  for (const lane of visible) {
    const [cpu] = lane.cpus;
    if (cpu === undefined || lane.cpus.length > 1) continue;
    const height = bandHeight(lane);
    const top = lane.top + bodyHeight(scene, lane) - height;
    for (const spans of stretches) {
      eachDrawn(spans, cpu, frame, (row, left, width) => {
        const state = spans.value[row] as number;
        const band = bands.get(state) ?? new Path2D();
        bands.set(state, band);
        ground.rect(left, top - 1, width, height + 1);
        band.rect(left, top, width, height);
      });
    }
  }
  const shades = [...bands].map(([state, band]) => {
    return [band, scene.ink.idleState, shadeOf(state, scene.power.deepest ?? state)] as const;
  });
  // The surface parts them from the colours of the lane.
  fillPaths(context, [[ground, scene.ink.surface], ...shades]);
  return true;
}

/** Draws the frequencies, the highest of the trace at the top of the lane. False where there are too many. */
export function drawFrequencies(
  context: Context,
  scene: TimelineScene,
  frame: PixelSpan,
  visible: readonly TimelineLane[],
): boolean {
  const { stretches, crowded } = shownSpans(scene, frame, 'frequency', powerOf(scene, 'frequency'));
  if (stretches.length === 0) return !crowded;
  const steps = { ground: new Path2D(), line: new Path2D() };
  for (const lane of visible) addSteps(steps, stretches, lane, scene, frame);
  fillPaths(context, [
    [steps.ground, scene.ink.surface],
    [steps.line, scene.ink.frequency],
  ]);
  return true;
}

interface Steps {
  /** Parts the line from the colours of the lane. */
  ground: Path2D;
  line: Path2D;
}

/** Those of a lane, as rectangles: strokes of one pixel are not sharp everywhere. */
function addSteps(
  { ground, line }: Steps,
  stretches: readonly PowerSpans[],
  lane: TimelineLane,
  scene: TimelineScene,
  frame: PixelSpan,
): void {
  const [cpu] = lane.cpus;
  const height = bodyHeight(scene, lane);
  if (cpu === undefined || lane.cpus.length > 1 || height < LEAST_HEIGHT) return;
  const highest = scene.power.highest || 1;
  const add = (left: number, top: number, width: number, high: number) => {
    line.rect(left, top, width, high);
    ground.rect(left - 1, top - 1, width + 2, high + 2);
  };
  let before: { end: number; y: number } | null = null;
  for (const { start, end, value } of powerWithin(stretches, cpu, frame.start, frame.end)) {
    const y = lane.top + height - 2 - Math.round(Math.min(value / highest, 1) * (height - 3));
    const left = Math.max(toX(frame, start), -2);
    add(left, y, Math.max(Math.min(toX(frame, end), frame.width + 2) - left, LEAST_WIDTH), 1);
    if (before?.end === start) add(left, Math.min(y, before.y), 1, Math.abs(y - before.y) + 1);
    before = { end, y };
  }
}

/** A hit on the lane of a CPU, with its idle states and frequencies in it where those are drawn. */
export function withPower(scene: TimelineScene, hit: TimelineHit, cpus: readonly number[]): TimelineHit {
  const [cpu] = cpus;
  if (cpu === undefined || cpus.length > 1) return hit;
  const idle = withSpans(scene, hit, 'idle', powerOf(scene, 'idle_state'), (stretches, picked) =>
    idleStateRows(powerWithin(stretches, cpu, picked.start, picked.end), picked, scene.origin),
  );
  return withSpans(scene, idle, 'frequency', powerOf(scene, 'frequency'), (stretches, picked) =>
    frequencyRows(powerWithin(stretches, cpu, picked.start, picked.end), picked, scene.origin),
  );
}

const powerOf =
  ({ source }: TimelineScene, of: PowerOf) =>
  (span: TimelineScene['span']) =>
    source.powerIn(of, span);
