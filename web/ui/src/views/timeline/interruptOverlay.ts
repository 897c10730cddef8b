// Interrupt work: a band along the top of the lane of its CPU.

import { IRQ_KIND } from '../../../../../schemas/ts/schema';
import { type Interrupt, type Interrupts, interruptRows, interruptsWithin } from '../../logic/timeline/interrupts';
import { laneAt, type TimelineLane } from '../../logic/timeline/lanes';
import { nsPerPixel, type PixelSpan, toTime, toX } from '../../logic/timeline/timescale';
import type { TimelineScene } from './scene';
import { bandHeight, eachDrawn, fillPaths, LEAST_WIDTH, type ShownSpans, shownSpans, withSpans } from './spanOverlay';
import type { TimelineHit } from './timelineHit';

type Context = CanvasRenderingContext2D;

/** Pixels from a span within which the pointer is on it. */
const NEAR = 3;

/** Draws them. False where there are too many. */
export function drawInterrupts(
  context: Context,
  scene: TimelineScene,
  frame: PixelSpan,
  visible: readonly TimelineLane[],
): boolean {
  const { stretches, crowded } = shownInterrupts(scene, frame);
  if (stretches.length === 0) return !crowded;
  const bands = { ground: new Path2D(), hard: new Path2D(), soft: new Path2D() };
  for (const lane of visible) {
    for (const cpu of lane.cpus) for (const spans of stretches) addBands(bands, spans, cpu, lane, frame);
  }
  fillPaths(context, [
    [bands.ground, scene.ink.surface],
    [bands.soft, scene.ink.softirq],
    [bands.hard, scene.ink.hardirq],
  ]);
  drawShown(context, scene, frame);
  return true;
}

const shownInterrupts = (scene: TimelineScene, frame: PixelSpan): ShownSpans<Interrupts> =>
  shownSpans(scene, frame, 'interrupts', (span) => scene.source.interruptsIn(span));

interface Bands {
  /** Parts them from the colours of the lane. */
  ground: Path2D;
  hard: Path2D;
  soft: Path2D;
}

/** Those of a CPU. A span that two stretches hold is drawn twice, in the same place. */
function addBands(bands: Bands, spans: Interrupts, cpu: number, lane: TimelineLane, frame: PixelSpan): void {
  const height = bandHeight(lane);
  eachDrawn(spans, cpu, frame, (row, left, width) => {
    const kind = IRQ_KIND[spans.kind[row] as number];
    if (lane.height > 5) bands.ground.rect(left - 0.5, lane.top, width + 1, height + 1);
    if (kind === 'hardirq') bands.hard.rect(left, lane.top, width, height);
    else if (kind === 'softirq') bands.soft.rect(left, lane.top, width, height);
    else {
      bands.hard.rect(left, lane.top, width, height / 2);
      bands.soft.rect(left, lane.top + height / 2, width, height / 2);
    }
  });
}

/** A frame around the lane at the span whose tooltip is shown. */
function drawShown(context: Context, scene: TimelineScene, frame: PixelSpan): void {
  const span = scene.shown?.kind === 'interrupt' ? scene.shown.interrupt : null;
  const lane = span && scene.lanes.lanes.find(({ cpus }) => cpus.includes(span.cpu));
  if (!span || !lane) return;
  const left = Math.max(toX(frame, span.start), -4);
  const width = Math.max(Math.min(toX(frame, span.end), frame.width + 4) - left, LEAST_WIDTH);
  context.strokeStyle = scene.ink.text;
  context.lineWidth = 1.5;
  context.strokeRect(left - 1.5, lane.top - 1, width + 3, lane.height + 1);
}

/** The spans that a frame draws, in order of time. */
export function drawnInterrupts(scene: TimelineScene, frame: PixelSpan): Interrupt[] {
  const { stretches } = shownInterrupts(scene, frame);
  if (stretches.length === 0) return [];
  const { start, end } = scene.span;
  const cpus = scene.lanes.lanes.flatMap((lane) => lane.cpus);
  return cpus
    .flatMap((cpu) => interruptsWithin(stretches, cpu, start, end))
    .sort((a, b) => a.start - b.start || a.cpu - b.cpu);
}

/** The span that is drawn within a few pixels of a point; y counted from the top of the lanes. */
export function interruptAt(scene: TimelineScene, frame: PixelSpan, x: number, y: number): Interrupt | null {
  if (!scene.overlays.includes('interrupts')) return null;
  const lane = scene.lanes.lanes[laneAt(scene.lanes.lanes, y)];
  if (!lane || y > lane.top + bandHeight(lane) + 2) return null;
  const { stretches } = shownInterrupts(scene, frame);
  const t = toTime(frame, x);
  const near = NEAR * nsPerPixel(frame);
  const far = ({ start, end }: Interrupt) => Math.max(start - t, t - end, 0);
  const found = lane.cpus.flatMap((cpu) => interruptsWithin(stretches, cpu, t - near, t + near));
  return found.sort((a, b) => far(a) - far(b))[0] ?? null;
}

/** A hit on the lane of a CPU, with the interrupt work in it where that is drawn. */
export function withInterrupts(scene: TimelineScene, hit: TimelineHit, cpus: readonly number[]): TimelineHit {
  const [cpu] = cpus;
  if (cpu === undefined || cpus.length > 1) return hit;
  return withSpans(
    scene,
    hit,
    'interrupts',
    (span) => scene.source.interruptsIn(span),
    (stretches, picked) =>
      interruptRows(interruptsWithin(stretches, cpu, picked.start, picked.end), picked, scene.origin),
  );
}
