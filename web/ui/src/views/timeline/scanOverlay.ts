// At the instant of a placement or, beside their arcs, a load-balance attempt: a mark on each lane whose CPU was scanned, a stronger one on the chosen one.

import type { Span } from '../../logic/place';
import type { TimelineLane } from '../../logic/timeline/lanes';
import { decidedFacts, joinedScans, type Scan, type Scans, type ScansOf } from '../../logic/timeline/scans';
import { type PixelSpan, toX } from '../../logic/timeline/timescale';
import { laneOfCpu, type TimelineScene } from './scene';
import type { TimelineHit } from './timelineHit';

type Context = CanvasRenderingContext2D;

/** Pixels for each scan: marks that lie closer cannot be distinguished. */
const PIXELS_PER_SCAN = 5;
/** Most marks of a frame, over all lanes. */
const MOST_MARKS = 6000;
/** Pixels beyond a mark within which the pointer is on it. */
const NEAR = 3;

type CrowdedScans = 'scans' | 'attemptScans';

/** What is drawn, and the kinds of which there are too many. */
interface ScansInSight {
  scans: readonly Scan[];
  crowded: CrowdedScans[];
}

/** A mark: its middle, half its width, and whether its lane has the CPU that was chosen. */
interface ScanMark {
  x: number;
  y: number;
  radius: number;
  chosen: boolean;
}

/** Draws them. Returns the kinds of which there are too many. */
export function drawScans(context: Context, scene: TimelineScene, frame: PixelSpan): CrowdedScans[] {
  if (!scene.overlays.includes('scans')) return [];
  const { scans, crowded } = drawnScans(scene, frame);
  const lanes = laneOfCpu(scene);
  const shown = scene.shown?.kind === 'scan' ? scene.shown.scan.id : null;
  const isBold = ({ id }: Scan) => id === scene.scan?.id || id === shown;
  drawAll(context, scene, frame, lanes, scans.filter((scan) => !isBold(scan)), false); // biome-ignore format: short
  drawAll(context, scene, frame, lanes, scans.filter(isBold), true);
  return crowded;
}

/** What a frame draws, in order of time: that of the picked slice's wakeup, and all in sight unless there are too many. */
export function drawnScans(scene: TimelineScene, frame: PixelSpan): ScansInSight {
  if (!scene.overlays.includes('scans')) return { scans: [], crowded: [] };
  const { scans, crowded } = scansInSight(scene, frame.width);
  const { scan } = scene;
  if (!scan || scan.t < frame.start || scan.t >= frame.end || scans.some(({ id }) => id === scan.id))
    return { scans, crowded };
  return { scans: [...scans, scan].sort((a, b) => a.id - b.id), crowded };
}

/** What is marked: placements, and attempts where these are shown. */
const markedKinds = ({ overlays }: TimelineScene): ScansOf[] =>
  overlays.includes('attempts') ? ['placements', 'attempts'] : ['placements'];

/** Those in sight; none of a kind that would make them too many. */
function scansInSight(scene: TimelineScene, width: number): ScansInSight {
  let shown: Scans[] = [];
  const crowded: CrowdedScans[] = [];
  for (const of of markedKinds(scene)) {
    const stretches = scene.source.scansIn(of, scene.span);
    const more = [...shown, ...stretches.map((stretch) => within(stretch, scene.span))];
    if (stretches.some(({ truncated }) => truncated) || tooMany(joinedScans(more), width))
      crowded.push(of === 'attempts' ? 'attemptScans' : 'scans');
    else shown = more;
  }
  return { scans: joinedScans(shown), crowded };
}

const within = (stretch: Scans, { start, end }: Span): Scans => ({
  ...stretch,
  rows: stretch.rows.filter(({ t }) => t >= start && t < end),
});

function tooMany(scans: readonly Scan[], width: number): boolean {
  const marks = scans.reduce((sum, { scanned }) => sum + (scanned?.length ?? 0) + 1, 0);
  return scans.length > width / PIXELS_PER_SCAN || marks > MOST_MARKS;
}

/** The scan that has a mark within a few pixels of a point; y counted from the top of the lanes. */
export function scanAt(scene: TimelineScene, frame: PixelSpan, x: number, y: number): Scan | null {
  if (!scene.overlays.includes('scans')) return null;
  const lanes = laneOfCpu(scene);
  let nearest: Scan | null = null;
  let least = Number.POSITIVE_INFINITY;
  for (const scan of drawnScans(scene, frame).scans) {
    if (Math.abs(toX(frame, scan.t) - x) > 10) continue;
    for (const mark of marksOf(scan, frame, lanes)) {
      const far = Math.hypot(mark.x - x, mark.y - y);
      if (far > mark.radius + NEAR || far >= least) continue;
      least = far;
      nearest = scan;
    }
  }
  return nearest;
}

/** Its marks, one for each lane; a folded lane has one for all of its CPUs. */
export function marksOf(scan: Scan, frame: PixelSpan, lanes: ReadonlyMap<number, TimelineLane>): ScanMark[] {
  const x = toX(frame, scan.t);
  const chosen = scan.chosen === null ? undefined : lanes.get(scan.chosen);
  const marked = new Set<TimelineLane>(chosen ? [chosen] : []);
  for (const cpu of scan.scanned ?? []) {
    const lane = lanes.get(cpu);
    if (lane) marked.add(lane);
  }
  return [...marked].map((lane) => ({
    x,
    y: lane.top + lane.height / 2,
    radius: (lane.height >= 12 ? 3 : lane.height >= 7 ? 2 : 1.25) + (lane === chosen ? 1 : 0),
    chosen: lane === chosen,
  }));
}

/** Outlines on all, the chosen one filled; attempts as squares. A line joins the marks of one scan. */
function drawAll(
  context: Context,
  scene: TimelineScene,
  frame: PixelSpan,
  lanes: ReadonlyMap<number, TimelineLane>,
  scans: readonly Scan[],
  bold: boolean,
): void {
  if (scans.length === 0) return;
  const [lines, scanned, chosen] = [new Path2D(), new Path2D(), new Path2D()];
  for (const scan of scans) {
    const marks = marksOf(scan, frame, lanes);
    if (marks.length === 0) continue;
    const heights = marks.map(({ y }) => y);
    const x = (marks[0] as ScanMark).x;
    lines.moveTo(x, Math.min(...heights));
    lines.lineTo(x, Math.max(...heights));
    for (const mark of marks) addMark(mark.chosen ? chosen : scanned, mark, scan.made === 'attempt', bold ? 1.5 : 0);
  }
  const { ink } = scene;
  context.setLineDash([]);
  context.strokeStyle = ink.surface;
  context.lineWidth = bold ? 4 : 3;
  if (bold) context.stroke(lines);
  context.stroke(scanned);
  context.stroke(chosen);
  context.strokeStyle = ink.text;
  context.lineWidth = bold ? 1.5 : 0.75;
  context.globalAlpha = bold ? 1 : 0.45;
  context.stroke(lines);
  context.globalAlpha = 1;
  context.fillStyle = ink.surface;
  context.fill(scanned);
  context.lineWidth = bold ? 2 : 1.25;
  context.stroke(scanned);
  context.fillStyle = bold ? ink.accent : ink.text;
  context.fill(chosen);
  if (bold) context.stroke(chosen);
}

function addMark(path: Path2D, { x, y, radius }: ScanMark, square: boolean, more: number): void {
  const size = radius + more;
  if (square) return path.rect(x - size, y - size, 2 * size, 2 * size);
  path.moveTo(x + size, y);
  path.arc(x, y, size, 0, 2 * Math.PI);
}

/** A hit on a lane of CPUs, with what they decided in it where scans are drawn. */
export function withScans(scene: TimelineScene, hit: TimelineHit, cpus: readonly number[]): TimelineHit {
  if (!scene.overlays.includes('scans') || hit.end <= hit.start) return hit;
  const kinds = markedKinds(scene).map((of) => scene.source.scansIn(of, scene.span));
  const stretches = kinds.filter((kind) => !kind.some(({ truncated }) => truncated)).flat();
  const { start, end, t } = hit;
  const facts = decidedFacts(joinedScans(stretches), { cpus, start, end, t }, (utid) => scene.threads.label(utid), scene.origin); // biome-ignore format: a line
  return facts.length === 0 ? hit : { ...hit, rows: [...hit.rows, ...facts] };
}
