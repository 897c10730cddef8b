// What lies over the lanes: episodes as bands, moves as arcs, a followed thread as a path, the selection.

import type { Episode } from '../../api/types';
import { pathToken } from '../../logic/paths';
import type { Overlay } from '../../logic/place';
import { above } from '../../logic/timeline/chunks';
import type { TimelineLane } from '../../logic/timeline/lanes';
import { type PixelSpan, toX } from '../../logic/timeline/timescale';
import { duration } from '../../logic/units';
import { AXIS, type Band, laneOfCpu, type TimelineScene } from './scene';
import type { ArrowKind, Arrows } from './source';

export function bandOf(episode: Episode, chosen: boolean): Band {
  const idleTime = episode.idle_cpus.length * (episode.end_ns - episode.start_ns);
  return {
    episode,
    chosen,
    idle: new Set(episode.idle_cpus),
    share: idleTime > 0 ? Math.min(episode.total_core_ns / idleTime, 1) : 0,
  };
}

type Context = CanvasRenderingContext2D;
const ARROWS: readonly (Overlay & ArrowKind)[] = ['migrations', 'wakeups', 'attempts'];
/** Most arcs of a kind that are drawn: more cannot be distinguished, and are slow. */
const MAX_ARROWS = 700;

/** Episodes: a mark on top of the lanes for each, and for the chosen one its span and its CPUs. */
export function drawBands(context: Context, scene: TimelineScene, frame: PixelSpan): void {
  if (!scene.overlays.includes('episodes')) return;
  for (const { episode, chosen, idle } of scene.bands) {
    const left = toX(frame, episode.start_ns);
    const right = toX(frame, episode.end_ns);
    if (right < 0 || left > frame.width || !chosen) continue;
    const width = Math.max(right - left, 2);
    context.fillStyle = scene.ink.wasted;
    context.fillRect(left - 1, 0, 1.5, scene.lanes.height);
    context.fillRect(left + width, 0, 1.5, scene.lanes.height);
    const crowded = new Set(episode.overloaded_cpus);
    context.strokeStyle = scene.ink.wasted;
    context.lineWidth = 1.5;
    for (const [top, bottom] of runsOf(scene.lanes.lanes, idle)) context.strokeRect(left, top, width, bottom - top - 1);
    context.fillStyle = scene.ink.overload;
    for (const [top, bottom] of runsOf(scene.lanes.lanes, crowded)) {
      context.fillRect(left - 4, top, 3, bottom - top - 1);
      context.fillRect(left + width + 2, top, 3, bottom - top - 1);
    }
  }
}

/** Top and bottom of each run of neighbouring lanes that hold any of the CPUs. */
function runsOf(lanes: readonly TimelineLane[], cpus: ReadonlySet<number>): [number, number][] {
  const runs: [number, number][] = [];
  let open: [number, number] | null = null;
  for (const lane of lanes) {
    const inside = lane.cpus.some((cpu) => cpus.has(cpu));
    if (inside && open && lane.top - open[1] < 2) open[1] = lane.top + lane.height;
    else if (inside) {
      open = [lane.top, lane.top + lane.height];
      runs.push(open);
    } else open = null;
  }
  return runs;
}

/** Moves between CPUs, wakeups, load-balance attempts. Returns the kinds of which there are too many to draw. */
export function drawArrows(context: Context, scene: TimelineScene, frame: PixelSpan): ArrowKind[] {
  const kinds = ARROWS.filter((kind) => scene.overlays.includes(kind));
  const all = scene.source.arrowsIn(kinds, scene.span);
  const crowded: ArrowKind[] = [];
  const lanes = laneOfCpu(scene);
  for (const [kind, stretches] of all) {
    const inSight = stretches.reduce((sum, arrows) => sum + countIn(arrows, scene.span.start, scene.span.end), 0);
    if (inSight > MAX_ARROWS || stretches.some((arrows) => arrows.truncated)) {
      crowded.push(kind);
      continue;
    }
    for (const arrows of stretches) drawKind(context, kind, arrows, scene, frame, lanes);
  }
  return crowded;
}

function countIn(arrows: Arrows, start: number, end: number): number {
  const { ts } = arrows;
  return above(ts, end - 1, 0, ts.length) - above(ts, start - 1, 0, ts.length);
}

function drawKind(
  context: Context,
  kind: ArrowKind,
  arrows: Arrows,
  scene: TimelineScene,
  frame: PixelSpan,
  lanes: Map<number, TimelineLane>,
): void {
  const paths = new Map<string, Path2D>();
  const heads = new Map<string, Path2D>();
  const faded = scene.followed !== null;
  for (let i = above(arrows.ts, scene.span.start - 1, 0, arrows.ts.length); i < arrows.ts.length; i++) {
    const t = arrows.ts[i] as number;
    if (t >= scene.span.end) break;
    if (faded && scene.followed?.utid !== arrows.utid[i]) continue;
    const to = lanes.get(arrows.to[i] as number);
    const from = lanes.get(arrows.from[i] as number);
    if (!to) continue;
    const colour =
      scene.ink.paths[
        kind === 'wakeups'
          ? '--path-wakeup'
          : kind === 'attempts'
            ? '--path-newidle'
            : pathToken(arrows.path[i] ?? null)
      ] ?? scene.ink.quiet;
    const path = paths.get(colour) ?? new Path2D();
    const head = heads.get(colour) ?? new Path2D();
    paths.set(colour, path);
    heads.set(colour, head);
    const x = toX(frame, t);
    const y = to.top + to.height / 2;
    if (from && from !== to) {
      const y0 = from.top + from.height / 2;
      const bow = Math.min(Math.abs(y - y0) / 3 + 6, 34);
      path.moveTo(x, y0);
      path.quadraticCurveTo(x + bow, (y + y0) / 2, x, y);
      const up = y < y0 ? 1 : -1;
      head.moveTo(x, y);
      head.lineTo(x + 5, y + up * 6);
      head.lineTo(x - 1, y + up * 6);
      head.closePath();
    } else {
      head.moveTo(x, to.top);
      head.lineTo(x + 3, to.top - 3);
      head.lineTo(x - 3, to.top - 3);
      head.closePath();
    }
  }
  context.lineWidth = kind === 'migrations' ? 1.5 : 1;
  context.setLineDash(kind === 'wakeups' ? [2, 2] : []);
  for (const [colour, path] of paths) {
    context.strokeStyle = colour;
    context.stroke(path);
    context.fillStyle = colour;
    context.fill(heads.get(colour) as Path2D);
  }
  context.setLineDash([]);
}

/** The way of a thread over the lanes: solid where it ran, thin where it waited, and its moves between them. */
export function drawFollowed(context: Context, scene: TimelineScene, frame: PixelSpan): void {
  const { followed } = scene;
  if (!followed) return;
  const lanes = laneOfCpu(scene);
  const runs = new Path2D();
  const waits = new Path2D();
  const moves = new Path2D();
  let before: { x: number; y: number } | null = null;
  for (let i = 0; i < followed.start.length; i++) {
    if ((followed.end[i] as number) < scene.span.start) continue;
    if ((followed.start[i] as number) > scene.span.end) break;
    const lane = lanes.get(followed.cpu[i] as number);
    if (!lane) continue;
    const left = Math.max(toX(frame, followed.start[i] as number), -10);
    const right = Math.min(toX(frame, followed.end[i] as number), frame.width + 10);
    const y = lane.top + lane.height * (lane.height > 20 ? 0.62 : 0.5); // below the names on slices
    if (before && before.y !== y) {
      moves.moveTo(before.x, before.y);
      moves.lineTo(left, y);
    }
    const path = followed.phase[i] === 0 ? runs : waits;
    path.moveTo(left, y);
    path.lineTo(Math.max(right, left + 0.75), y);
    before = { x: right, y };
  }
  context.strokeStyle = scene.ink.surface;
  context.lineWidth = 7;
  context.stroke(runs);
  context.strokeStyle = scene.ink.accent;
  context.lineWidth = 1;
  context.stroke(moves);
  context.setLineDash([3, 2]);
  context.lineWidth = 2;
  context.stroke(waits);
  context.setLineDash([]);
  context.lineWidth = 4;
  context.stroke(runs);
}

/** The brushed span, over axis and lanes; with chosen CPUs it covers theirs only. */
export function drawSelection(context: Context, scene: TimelineScene, frame: PixelSpan, height: number): void {
  const { selection, ink } = scene;
  if (!selection) return;
  const left = toX(frame, selection.start);
  const width = Math.max(toX(frame, selection.end) - left, 1);
  context.fillStyle = ink.accent;
  context.globalAlpha = 0.14;
  if (selection.cpus) {
    const chosen = new Set(selection.cpus);
    for (const lane of scene.lanes.lanes) {
      if (lane.cpus.some((cpu) => chosen.has(cpu)))
        context.fillRect(left, AXIS + lane.top - scene.scroll, width, lane.height);
    }
  } else if (selection.lanes) {
    for (const lane of scene.lanes.threads) {
      if (selection.lanes.includes(lane.key))
        context.fillRect(left, AXIS + lane.top - scene.scroll, width, lane.height);
    }
  } else context.fillRect(left, AXIS, width, height);
  context.globalAlpha = 1;
  context.fillRect(left, AXIS, 1, height);
  context.fillRect(left + width - 1, AXIS, 1, height);
}

/** The event that was searched for: a line at its instant, its number in the axis. */
export function drawEvent(context: Context, scene: TimelineScene, frame: PixelSpan, height: number): void {
  const { event, ink } = scene;
  if (!event) return;
  const x = toX(frame, event.t);
  if (x < 0 || x > frame.width) return;
  context.fillStyle = ink.accent;
  context.fillRect(x - 0.75, 0, 1.5, height);
  tag(context, scene, frame, `event ${event.id}`, x, ink.accent);
}

/** What is measured: a line at each end, and the time between them in the axis. */
export function drawMeasure(context: Context, scene: TimelineScene, frame: PixelSpan, height: number): void {
  const { measure, ink } = scene;
  if (!measure) return;
  context.fillStyle = ink.text;
  const from = toX(frame, measure.from);
  context.fillRect(from - 0.5, AXIS - 9, 1, height);
  if (measure.to === null) return;
  const to = toX(frame, measure.to);
  context.fillRect(to - 0.5, AXIS - 9, 1, height);
  const [left, right] = [Math.min(from, to), Math.max(from, to)];
  context.fillRect(left, AXIS - 9, right - left, 1.5);
  tag(context, scene, frame, duration(Math.abs(measure.to - measure.from)), (left + right) / 2, ink.text);
}

/** A line and a flag with its name at each bookmark in sight. */
export function drawBookmarks(context: Context, scene: TimelineScene, frame: PixelSpan, height: number): void {
  const { ink } = scene;
  for (const { t, text } of scene.bookmarks) {
    const x = toX(frame, t);
    if (x < -1 || x > frame.width + 1) continue;
    context.fillStyle = ink.certain;
    context.fillRect(x - 0.5, 0, 1, height);
    context.beginPath();
    context.moveTo(x, 1);
    context.lineTo(x + 9, 5);
    context.lineTo(x, 9);
    context.closePath();
    context.fill();
    if (text === '') continue;
    context.font = `500 10px ${ink.font}`;
    const width = context.measureText(text).width + 4;
    context.fillStyle = ink.surface;
    context.fillRect(x + 10, 0, width, 12);
    context.fillStyle = ink.text;
    context.fillText(text, x + 12, 6);
  }
}

/** A text on a ground of `colour` in the axis, about `x` and within the frame. */
function tag(context: Context, scene: TimelineScene, frame: PixelSpan, text: string, x: number, colour: string): void {
  context.font = `600 11px ${scene.ink.font}`;
  context.textBaseline = 'middle';
  const width = context.measureText(text).width + 10;
  const left = Math.min(Math.max(x - width / 2, 0), frame.width - width);
  context.fillStyle = colour;
  context.fillRect(left, 2, width, 17);
  context.fillStyle = scene.ink.surface;
  context.fillText(text, left + 5, 11);
}
