// On the lanes of threads with deadlines: an arrow up at each release, one down at each deadline, a dot at the end, lateness in red.

import { above } from '../../logic/timeline/chunks';
import { jobAt, jobFacts, type ThreadJobs } from '../../logic/timeline/jobs';
import type { ThreadLane } from '../../logic/timeline/lanes';
import { type PixelSpan, toX } from '../../logic/timeline/timescale';
import type { TimelineScene } from './scene';
import type { TimelineHit } from './timelineHit';

type Context = CanvasRenderingContext2D;

/** Pixels from release to deadline from which on a job has arrows and a dot. */
const LEGIBLE = 9;
/** Half the width of an arrow's head. */
const HEAD = 3;
/** Height of the line from release to deadline, and of the time after it. */
const LINE = 2;
const LATE = 5;
/** Least width of what is late, so that none is missed at any zoom. */
const LEAST = 2;

/** Draws them. False where only the missed ones came, or not even all of those. */
export function drawJobs(
  context: Context,
  scene: TimelineScene,
  frame: PixelSpan,
  isSeen: (lane: ThreadLane) => boolean,
): boolean {
  const lanes = scene.overlays.includes('jobs')
    ? scene.lanes.threads.filter((lane) => lane.utid !== null && isSeen(lane))
    : [];
  if (lanes.length === 0) return true;
  const pieces = scene.source.jobsIn(scene.tasks, scene.span);
  for (const lane of lanes) {
    const marks = {
      lines: new Path2D(),
      arrows: new Path2D(),
      ends: new Path2D(),
      late: new Path2D(),
      missed: new Path2D(),
    };
    for (const { byThread } of pieces) {
      const jobs = byThread.get(lane.utid as number);
      if (jobs) addJobs(marks, jobs, lane, frame);
    }
    context.fillStyle = scene.ink.accent;
    context.fill(marks.lines);
    context.fillStyle = scene.ink.missed;
    context.fill(marks.late);
    context.strokeStyle = scene.ink.text;
    context.fillStyle = scene.ink.text;
    context.lineWidth = 1;
    context.stroke(marks.arrows);
    context.fill(marks.arrows);
    context.strokeStyle = scene.ink.missed;
    context.fillStyle = scene.ink.missed;
    context.stroke(marks.missed);
    context.fill(marks.missed);
    context.fillStyle = scene.ink.text;
    context.fill(marks.ends);
  }
  return !pieces.some(({ isPart }) => isPart);
}

interface Marks {
  lines: Path2D;
  arrows: Path2D;
  ends: Path2D;
  late: Path2D;
  /** Arrows of the deadlines that were missed. */
  missed: Path2D;
}

function addJobs(marks: Marks, jobs: ThreadJobs, lane: ThreadLane, frame: PixelSpan): void {
  const last = above(jobs.released, frame.end, 0, jobs.released.length);
  const [top, bottom] = [lane.top, lane.top + lane.height - 2];
  for (let row = 0; row < last; row++) {
    const deadline = jobs.deadline[row] as number;
    const ended = jobs.end[row] as number;
    // What was under way at the end is late up to there.
    const end = Number.isNaN(ended) ? deadline + (jobs.tardiness[row] as number) : ended;
    if (Math.max(end, deadline) < frame.start) continue;
    const x0 = Math.max(toX(frame, jobs.released[row] as number), -20);
    const x1 = Math.min(toX(frame, deadline), frame.width + 20);
    const isLegible = x1 - x0 >= LEGIBLE;
    if (x1 > x0) marks.lines.rect(x0, bottom - LINE, x1 - x0, LINE);
    if (isLegible) {
      arrow(marks.arrows, x0, bottom, top);
      arrow(jobs.missed[row] ? marks.missed : marks.arrows, x1, top, bottom);
    }
    const xe = toX(frame, end);
    if (jobs.missed[row]) {
      const from = Math.max(toX(frame, deadline), -20);
      marks.late.rect(from, bottom - LATE, Math.max(Math.min(xe, frame.width + 20) - from, LEAST), LATE);
    }
    if (isLegible && !Number.isNaN(ended) && xe > -20 && xe < frame.width + 20) {
      marks.ends.moveTo(xe + 3, bottom - 3);
      marks.ends.arc(xe, bottom - 3, 3, 0, 2 * Math.PI);
    }
  }
}

function arrow(path: Path2D, x: number, from: number, to: number): void {
  const back = to < from ? 5 : -5;
  path.moveTo(x, from);
  path.lineTo(x, to);
  path.lineTo(x - HEAD, to + back);
  path.lineTo(x + HEAD, to + back);
  path.lineTo(x, to);
}

/** A hit on a lane of a thread, with the job that the instant belongs to where jobs are drawn. */
export function withJob(scene: TimelineScene, hit: TimelineHit | null, t: number): TimelineHit | null {
  if (!hit || hit.utid === null || !scene.overlays.includes('jobs')) return hit;
  for (const { byThread } of scene.source.jobsIn(scene.tasks, scene.span)) {
    const jobs = byThread.get(hit.utid);
    const row = jobs ? jobAt(jobs, t) : -1;
    if (jobs && row >= 0) return { ...hit, rows: [...hit.rows, ...jobFacts(jobs, row, scene.origin)] };
  }
  return hit;
}
