// Wakeups of pinned threads and of the picked slice: an arrow from the waker to the woken thread, its wait, and where it ran.

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

type Context = CanvasRenderingContext2D;
type AnyLane = TimelineLane | ThreadLane;

/** Draws them. False where there are too many. */
export function drawFlows(context: Context, scene: TimelineScene, frame: PixelSpan): boolean {
  const chosen = scene.flow && isSeen(scene.flow, frame.start, frame.end) ? scene.flow : null;
  const { flows, truncated } = scene.overlays.includes('flows') ? flowsInSight(scene) : { flows: [], truncated: false };
  const crowded = truncated || flows.length > frame.width / PIXELS_PER_FLOW;
  context.font = `500 10px ${scene.ink.font}`;
  context.textBaseline = 'middle';
  if (!crowded) {
    const colour = scene.ink.paths['--path-wakeup'] ?? scene.ink.quiet;
    for (const flow of flows) if (flow.id !== chosen?.id) drawFlow(context, scene, frame, flow, colour, 1);
  }
  if (chosen) drawFlow(context, scene, frame, chosen, scene.ink.text, 1.75);
  return !crowded;
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
  const laneOfCpu = (cpu: number | null) => (cpu === null ? undefined : laneNamed(scene.lanes, String(cpu)));
  // Arrows to and from all lanes by process would cross each other: only pinned ones, and the lane that was picked.
  const laneOfThread = (utid: number | null) => {
    const lane = utid ? scene.lanes.threads.find(({ key }) => key === threadKey(utid)) : undefined;
    return lane && (lane.pinned || lane.key === scene.cursor?.lane) ? lane : undefined;
  };
  const own = laneOfThread(flow.utid);
  const from = laneOfThread(flow.waker) ?? laneOfCpu(flow.wakerCpu);
  const to = own ?? laneOfCpu(flow.target);
  if (!to) return;
  const x = (t: number) => Math.min(Math.max(toX(frame, t), -20), frame.width + 20);
  const [waking, wakeup] = [x(flow.waking), x(flow.wakeup)];
  // Beside the names on the lanes, not through them.
  const y = to.top + to.height - 4;
  context.strokeStyle = colour;
  context.fillStyle = colour;
  context.lineWidth = width;
  if (from && from !== to) curve(context, waking, middle(from), wakeup, y);
  else head(context, wakeup, y, -1);
  if (flow.run === null) return;
  const run = x(flow.run);
  context.setLineDash([3, 2]);
  line(context, wakeup, y, run, y);
  context.setLineDash([]);
  const on = laneOfCpu(flow.runCpu);
  if (on && on !== to) curve(context, run, y, run, middle(on));
  else head(context, run, y, -1);
  label(context, scene, duration(flow.run - flow.wakeup), wakeup, run, y);
}

const middle = (lane: AnyLane) => lane.top + lane.height / 2;

function line(context: Context, x0: number, y0: number, x1: number, y1: number): void {
  context.beginPath();
  context.moveTo(x0, y0);
  context.lineTo(x1, y1);
  context.stroke();
}

function curve(context: Context, x0: number, y0: number, x1: number, y1: number): void {
  const bow = Math.min(Math.abs(y1 - y0) / 4 + 4, 26);
  context.beginPath();
  context.moveTo(x0, y0);
  context.quadraticCurveTo(Math.max(x0, x1) + (x1 - x0 > bow ? 0 : bow), (y0 + y1) / 2, x1, y1);
  context.stroke();
  head(context, x1, y1, y1 < y0 ? 1 : -1);
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
