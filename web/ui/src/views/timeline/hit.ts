// What is at a point of the last frame: a slice, a bin with its threads, or data that is still loading.

import { TASK_STATE } from '../../../../../schemas/ts/schema';
import { rowAt } from '../../logic/timeline/chunks';
import { isThreadLane, laneUnder, placeOfLane, type ThreadLane, type TimelineLane } from '../../logic/timeline/lanes';
import { tileSpan } from '../../logic/timeline/pyramid';
import { toTime } from '../../logic/timeline/timescale';
import { besideWords, episodeAt, episodeRows, waitingAt, worstAt } from '../../logic/timeline/waste';
import { duration, moment, percent, significant } from '../../logic/units';
import type { FrameResult } from './frameResult';
import { withInterrupts } from './interruptOverlay';
import { withJob } from './jobOverlay';
import { withPower } from './powerOverlay';
import { withScans } from './scanOverlay';
import { AXIS, type TimelineScene } from './scene';
import type { RawPiece } from './source';
import { threadHit } from './threadHit';
import type { TimelineHit } from './timelineHit';

const STATES: Record<string, string> = {
  R: 'runnable: moved aside',
  'R+': 'preempted',
  S: 'slept',
  D: 'blocked, uninterruptibly',
  X: 'ended',
  Z: 'ended',
  I: 'idle kernel thread',
};

const stateWords = (code: number): string => {
  const state = TASK_STATE[code];
  return state === undefined ? 'not known' : (STATES[state] ?? state);
};

/** At canvas pixels x, y; null off the lanes. */
export function hitAt(scene: TimelineScene, drawn: FrameResult, x: number, y: number): TimelineHit | null {
  if (y < AXIS) return null;
  const lane = laneUnder(scene.lanes, y - AXIS + scene.scroll);
  return lane ? hitOf(scene, drawn, lane, toTime(drawn.frame, x)) : null;
}

/** On a lane at a time. */
export function hitOf(
  scene: TimelineScene,
  drawn: Pick<FrameResult, 'pieces' | 'chunks'>,
  lane: TimelineLane | ThreadLane,
  t: number,
): TimelineHit | null {
  if (isThreadLane(lane)) return withJob(scene, threadHit(scene, drawn.chunks, lane, t), t);
  const cpu = lane.cpus[0] as number;
  const piece = drawn.pieces.find((item) => t >= item.part.start && t < item.part.end);
  const nothing = nothingAt(lane, t);
  if (!piece || piece.kind === 'none')
    return piece?.failed ? { ...nothing, rows: [['', 'could not be loaded']] } : nothing;
  if (piece.kind === 'raw' && lane.cpus.length === 1)
    return withOverlays(scene, lane, sliceHit(scene, lane, cpu, t, piece)) ?? { ...nothing, rows: [] };
  if (piece.kind !== 'tile') return { ...nothing, rows: [['', 'unfold to see single CPUs']] };
  return withOverlays(scene, lane, binHit(scene, lane, t, piece.level, piece.x)) ?? nothing;
}

/** With what the overlays that are on draw in it. */
const withOverlays = (scene: TimelineScene, { cpus }: TimelineLane, hit: TimelineHit | null): TimelineHit | null =>
  hit && withScans(scene, withInterrupts(scene, withPower(scene, hit, cpus), cpus), cpus);

/** On the lane of one CPU, the whole slice or wasted stretch at an instant: the same at every zoom, in sight or not. */
export function instantHit(scene: TimelineScene, lane: TimelineLane, t: number): TimelineHit {
  const cpu = lane.cpus[0] as number;
  const piece = scene.source.instant(cpu, t);
  const known = piece && withOverlays(scene, lane, sliceHit(scene, lane, cpu, t, piece));
  return known ?? { ...nothingAt(lane, t), ...(piece ? { rows: [] } : {}) };
}

/** Nothing is known yet. */
const nothingAt = (lane: TimelineLane, t: number): TimelineHit => ({
  lane,
  place: placeOfLane(lane),
  t,
  title: laneName(lane),
  rows: [['', 'on its way …']],
  utid: null,
  start: t,
  end: t,
  wasted: false,
  episode: null,
  exact: false,
});

export const laneName = (lane: TimelineLane): string => (lane.cpus.length === 1 ? `CPU ${lane.name}` : lane.name);

function sliceHit(
  scene: TimelineScene,
  lane: TimelineLane,
  cpu: number,
  t: number,
  piece: RawPiece,
): TimelineHit | null {
  const { slices, waits } = piece;
  const waste = rowAt(piece.wasted, cpu, t);
  if (waste >= 0) return wasteHit(scene, lane, cpu, t, piece, waste);
  const row = rowAt(slices, cpu, t);
  if (row < 0) return null;
  const start = slices.start[row] as number;
  const end = slices.end[row] as number;
  const utid = slices.utid[row] as number;
  const rows: [string, string][] = [
    ['CPU', lane.name],
    ['from', moment(start - scene.origin, 1000)],
    ['for', duration(end - start)],
  ];
  if (utid > 0) rows.push(['then', stateWords(slices.code[row] as number)]);
  const waiting: string[] = [];
  for (let w = waits?.first[cpu] ?? 0; waits && w < (waits.first[cpu + 1] ?? 0); w++) {
    if ((waits.start[w] as number) <= t && t < (waits.end[w] as number))
      waiting.push(scene.threads.label(waits.utid[w] as number));
  }
  if (waiting.length > 0)
    rows.push([
      'waiting',
      waiting.slice(0, 4).join(', ') + (waiting.length > 4 ? ` and ${waiting.length - 4} more` : ''),
    ]);
  const title = utid > 0 ? scene.threads.label(utid) : utid === 0 ? 'idle' : 'not observed';
  const place = String(cpu);
  const whole = { start, end, wasted: false, episode: null, exact: true };
  return { lane, place, t, title, rows, utid: utid > 0 ? utid : null, ...whole };
}

/** Idle while a thread that may run here waited: for how long, which thread, and in which episode with which cause. */
function wasteHit(
  scene: TimelineScene,
  lane: TimelineLane,
  cpu: number,
  t: number,
  piece: RawPiece,
  row: number,
): TimelineHit {
  const start = piece.wasted.start[row] as number;
  const end = piece.wasted.end[row] as number;
  const episode = episodeAt(scene.episodes, cpu, t, t);
  const rows: [string, string][] = [
    ['CPU', `${lane.name}: idle`],
    ['from', moment(start - scene.origin, 1000)],
    ['for', duration(end - start)],
    ['beside', piece.avoidable ? besideWords(scene.threads, waitingAt(piece.avoidable, t)) : 'on its way …'],
    ...episodeRows(episode),
  ];
  return {
    lane,
    place: String(cpu),
    t,
    title: 'Wasted',
    rows,
    utid: null,
    start,
    end,
    wasted: true,
    episode,
    exact: true,
  };
}

/** null while a tile of the lane's is not there: its share would be missing from the figures. */
function binHit(scene: TimelineScene, lane: TimelineLane, t: number, level: number, x: number): TimelineHit | null {
  const { meta } = scene.source;
  const width = meta.base_ns * 2 ** level;
  const span = tileSpan(meta, level, x);
  const bin = Math.min(Math.floor((t - span.start) / width), meta.columns - 1);
  const sums = { busy: 0, waiting: 0, wasted: 0, unobserved: 0, migrations: 0 };
  const threads = new Map<number, number>();
  for (const cpu of lane.cpus) {
    const [y, row] = scene.source.lane(cpu);
    const tile = scene.source.tile(level, x, y);
    if (!tile) return null;
    const at = row * tile.columns + bin;
    for (const name of Object.keys(sums) as (keyof typeof sums)[]) sums[name] += tile[name][at] as number;
    for (let rank = at * 4; rank < at * 4 + 4; rank++) {
      const utid = tile.utids[rank] as number;
      if (utid > 0) threads.set(utid, (threads.get(utid) ?? 0) + (tile.shares[rank] as number));
    }
  }
  const n = lane.cpus.length;
  const top = [...threads].sort((a, b) => b[1] - a[1]).slice(0, 4);
  const start = span.start + bin * width;
  const rows: [string, string][] = [
    ['this pixel', `${duration(width)} from ${moment(start - scene.origin, Math.max(width / 10, 1))}`],
    ['busy', percent(sums.busy / n)],
  ];
  if (sums.waiting > 0) rows.push(['waiting', `${significant(sums.waiting / n)} threads on average`]);
  const episode = sums.wasted > 0 ? worstAt(scene.episodes, lane.cpus, start, start + width) : null;
  if (sums.wasted > 0) rows.push(['wasted', percent(sums.wasted / n)], ...episodeRows(episode));
  if (sums.unobserved > 0.0005 * n) rows.push(['not observed', percent(sums.unobserved / n)]);
  if (sums.migrations > 0) rows.push(['arrivals', String(sums.migrations)]);
  for (const [utid, share] of top) rows.push([percent(share / n), scene.threads.label(utid)]);
  return {
    lane,
    place: placeOfLane(lane),
    t,
    title: sums.wasted > 0 ? `${laneName(lane)}: wasted ${percent(sums.wasted / n)} in this pixel` : laneName(lane),
    rows,
    utid: top[0]?.[0] ?? null,
    start,
    end: start + width,
    wasted: sums.wasted > 0,
    episode,
    exact: false,
  };
}
