// Wakeups of pinned threads and of the picked slice: an arrow from the waker to the woken thread, its wait, and where it ran.

import { bowOf, distanceTo, type FlowShape, type Point } from '../../logic/timeline/flowShape';
import { type Flow, isSeen } from '../../logic/timeline/flows';
import { laneNamed, type ThreadLane, type TimelineLane } from '../../logic/timeline/lanes';
import { threadKey } from '../../logic/timeline/threadRows';
import { type PixelSpan, toX } from '../../logic/timeline/timescale';
import { duration } from '../../logic/units';
import { LETTER } from './fit';
import type { TimelineScene } from './scene';

/** Pixels for each flow: more of them cannot be distinguished. */
const PIXELS_PER_FLOW = 12;
/** Waits narrower than their text carry none. */
const PADDING = 12;
const HEAD = 5;
/** Pixels from an arrow within which the pointer is on it. */
const NEAR = 4;

type Context = CanvasRenderingContext2D;
type AnyLane = TimelineLane | ThreadLane;

/** Draws them. False where there are too many. */
export function drawFlows(context: Context, scene: TimelineScene, frame: PixelSpan): boolean {
  const { flows, crowded } = drawnFlows(scene, frame);
  const shown = scene.shown?.kind === 'flow' ? scene.shown.flow.id : null;
  const isBold = ({ id }: Flow) => id === scene.flow?.id || id === shown;
  context.font = `500 10px ${scene.ink.font}`;
  context.textBaseline = 'middle';
  const colour = scene.ink.paths['--path-wakeup'] ?? scene.ink.quiet;
  for (const flow of flows) if (!isBold(flow)) drawFlow(context, scene, frame, flow, colour, 1);
  for (const flow of flows) if (isBold(flow)) drawFlow(context, scene, frame, flow, scene.ink.text, 1.75);
  return !crowded;
}

/** What a frame draws, in order of time: the flow of the picked slice, and those of pinned lanes unless there are too many. */
export function drawnFlows(scene: TimelineScene, frame: PixelSpan): { flows: Flow[]; crowded: boolean } {
  const picked = scene.flow && isSeen(scene.flow, frame.start, frame.end) ? scene.flow : null;
  const { flows, truncated } = scene.overlays.includes('flows') ? flowsInSight(scene) : { flows: [], truncated: false };
  const crowded = truncated || flows.length > frame.width / PIXELS_PER_FLOW;
  const shown = crowded ? [] : flows.filter(({ id }) => id !== picked?.id);
  return { flows: [...shown, ...(picked ? [picked] : [])].sort((a, b) => a.wakeup - b.wakeup), crowded };
}

/** The flow that is drawn within a few pixels of a point; y counted from the top of the lanes. */
export function flowAt(scene: TimelineScene, frame: PixelSpan, x: number, y: number): Flow | null {
  let nearest: Flow | null = null;
  let least = NEAR;
  for (const flow of drawnFlows(scene, frame).flows) {
    const shape = shapeOf(scene, frame, flow);
    const far = shape ? distanceTo(shape, { x, y }) : Number.POSITIVE_INFINITY;
    if (far > least) continue;
    least = far;
    nearest = flow;
  }
  return nearest;
}

/** The flows of pinned lanes in sight. */
function flowsInSight(scene: TimelineScene): { flows: Flow[]; truncated: boolean } {
  const pinned = scene.lanes.threads.filter((lane) => lane.pinned).map((lane) => lane.key);
  const { flows, truncated } = scene.source.threads.flowsIn(pinned, scene.span);
  return { flows: flows.filter((flow) => isSeen(flow, scene.span.start, scene.span.end)), truncated };
}

function drawFlow(
  context: Context,
  scene: TimelineScene,
  frame: PixelSpan,
  flow: Flow,
  colour: string,
  width: number,
): void {
  const shape = shapeOf(scene, frame, flow);
  if (!shape) return;
  const { wakeup, from, run } = shape;
  context.strokeStyle = colour;
  context.fillStyle = colour;
  context.lineWidth = width;
  if (from) curve(context, from, wakeup);
  else head(context, wakeup.x, wakeup.y, -1);
  if (run === null || flow.run === null) return;
  context.setLineDash([3, 2]);
  line(context, wakeup.x, wakeup.y, run.x, run.y);
  context.setLineDash([]);
  if (shape.on) curve(context, run, shape.on);
  else head(context, run.x, run.y, -1);
  label(context, scene, duration(flow.run - flow.wakeup), wakeup.x, run.x, wakeup.y);
}

/** Where a flow is drawn, y counted from the top of the lanes; null: not at all. */
export function shapeOf(scene: TimelineScene, frame: PixelSpan, flow: Flow): FlowShape | null {
  const laneOfCpu = (cpu: number | null) => (cpu === null ? undefined : laneNamed(scene.lanes, String(cpu)));
  // Arrows to and from all lanes by process would cross each other: only pinned ones, and the lane that was picked.
  const laneOfThread = (utid: number | null) => {
    const lane = utid ? scene.lanes.threads.find(({ key }) => key === threadKey(utid)) : undefined;
    return lane && (lane.pinned || lane.key === scene.cursor?.lane) ? lane : undefined;
  };
  const own = laneOfThread(flow.utid);
  const from = laneOfThread(flow.waker) ?? laneOfCpu(flow.wakerCpu);
  const to = own ?? laneOfCpu(flow.target);
  if (!to) return null;
  const x = (t: number) => Math.min(Math.max(toX(frame, t), -20), frame.width + 20);
  // Beside the names on the lanes, not through them.
  const y = to.top + to.height - 4;
  const on = flow.run === null ? undefined : laneOfCpu(flow.runCpu);
  const run = flow.run === null ? null : { x: x(flow.run), y };
  return {
    from: from && from !== to ? { x: x(flow.waking), y: middle(from) } : null,
    wakeup: { x: x(flow.wakeup), y },
    run,
    on: run && on && on !== to ? { x: run.x, y: middle(on) } : null,
  };
}

const middle = (lane: AnyLane) => lane.top + lane.height / 2;

function line(context: Context, x0: number, y0: number, x1: number, y1: number): void {
  context.beginPath();
  context.moveTo(x0, y0);
  context.lineTo(x1, y1);
  context.stroke();
}

function curve(context: Context, from: Point, to: Point): void {
  const by = bowOf(from, to);
  context.beginPath();
  context.moveTo(from.x, from.y);
  context.quadraticCurveTo(by.x, by.y, to.x, to.y);
  context.stroke();
  head(context, to.x, to.y, to.y < from.y ? 1 : -1);
}

/** A head that points up (1: it comes from below) or down. */
function head(context: Context, x: number, y: number, from: 1 | -1): void {
  context.beginPath();
  context.moveTo(x, y);
  context.lineTo(x + HEAD - 1, y + from * HEAD);
  context.lineTo(x - HEAD + 1, y + from * HEAD);
  context.closePath();
  context.fill();
}

/** The length of a wait on its line, where there is space. */
function label(context: Context, scene: TimelineScene, text: string, x0: number, x1: number, y: number): void {
  const width = text.length * LETTER + 6;
  if (x1 - x0 < width + PADDING) return;
  const left = (x0 + x1 - width) / 2;
  const before = context.fillStyle;
  context.fillStyle = scene.ink.surface;
  context.fillRect(left, y - 7, width, 13);
  context.fillStyle = scene.ink.text;
  context.fillText(text, left + 3, y);
  context.fillStyle = before;
}
