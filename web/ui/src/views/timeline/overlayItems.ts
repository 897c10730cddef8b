// What overlays draw singly, each with a tooltip of its own: arrows of wakeups, CPUs scanned, interrupts.

import type { Point } from '../../logic/timeline/flowShape';
import { flowFacts } from '../../logic/timeline/flows';
import { interruptFacts } from '../../logic/timeline/interrupts';
import { scanFacts } from '../../logic/timeline/scans';
import { type PixelSpan, toX } from '../../logic/timeline/timescale';
import { drawnFlows, flowAt, shapeOf } from './flowOverlay';
import { drawnInterrupts, interruptAt } from './interruptOverlay';
import { drawnScans, marksOf, scanAt } from './scanOverlay';
import { laneOfCpu, type OverlayItem, type TimelineScene } from './scene';
import { bandHeight } from './spanOverlay';
import type { TooltipContent } from './Tooltip';

/** All that a frame draws, in order of time. */
export function itemsInSight(scene: TimelineScene, frame: PixelSpan): OverlayItem[] {
  const items: [number, OverlayItem][] = [
    ...drawnFlows(scene, frame).flows.map((flow): [number, OverlayItem] => [flow.wakeup, { kind: 'flow', flow }]),
    ...drawnScans(scene, frame).scans.map((scan): [number, OverlayItem] => [scan.t, { kind: 'scan', scan }]),
    ...drawnInterrupts(scene, frame).map((interrupt): [number, OverlayItem] => [
      interrupt.start,
      { kind: 'interrupt', interrupt },
    ]),
  ];
  return items.sort((a, b) => a[0] - b[0]).map(([, item]) => item);
}

/** What is drawn at a point; y counted from the top of the lanes. */
export function itemAt(scene: TimelineScene, frame: PixelSpan, x: number, y: number): OverlayItem | null {
  const scan = scanAt(scene, frame, x, y);
  if (scan) return { kind: 'scan', scan };
  const interrupt = interruptAt(scene, frame, x, y);
  if (interrupt) return { kind: 'interrupt', interrupt };
  const flow = flowAt(scene, frame, x, y);
  return flow && { kind: 'flow', flow };
}

/** The same item has the same key in each frame. */
export function keyOf(item: OverlayItem | null): string | null {
  if (item === null) return null;
  if (item.kind === 'interrupt') return `interrupt ${item.interrupt.cpu}@${item.interrupt.start}`;
  return item.kind === 'flow' ? `flow ${item.flow.id}` : `scan ${item.scan.id}`;
}

export function factsOf(scene: TimelineScene, item: OverlayItem): TooltipContent {
  const labelOf = (utid: number) => scene.threads.label(utid);
  if (item.kind === 'flow') return flowFacts(item.flow, labelOf, scene.origin);
  return item.kind === 'scan'
    ? scanFacts(item.scan, labelOf, scene.origin)
    : interruptFacts(item.interrupt, scene.origin);
}

/** Where its tooltip is, y counted from the top of the lanes; null where it is not drawn. */
export function pointOf(scene: TimelineScene, frame: PixelSpan, item: OverlayItem): Point | null {
  if (item.kind === 'flow') return shapeOf(scene, frame, item.flow)?.wakeup ?? null;
  const lanes = laneOfCpu(scene);
  if (item.kind === 'interrupt') {
    const lane = lanes.get(item.interrupt.cpu);
    return lane ? { x: toX(frame, item.interrupt.start), y: lane.top + bandHeight(lane) } : null;
  }
  const marks = marksOf(item.scan, frame, lanes);
  return marks.find(({ chosen }) => chosen) ?? marks[0] ?? null;
}
