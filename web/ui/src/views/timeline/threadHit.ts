// What is at a point of a lane of threads: a state, a bin with the shares of states, or data that is still loading.

import { above, type LaneStates, type LaneTile } from '../../logic/timeline/chunks';
import type { ThreadLane } from '../../logic/timeline/lanes';
import { LANE_STATES, type LaneState } from '../../logic/timeline/stateRaster';
import { duration, moment, percent, plural, significant } from '../../logic/units';
import type { LaneChunk } from './laneSource';
import { PHASE_WORDS } from './laneWords';
import type { TimelineScene } from './scene';
import type { TimelineHit } from './timelineHit';

const MOST_NAMED = 4;

/** On a lane of the last frame at a time. */
export function threadHit(
  scene: TimelineScene,
  chunks: readonly LaneChunk[],
  lane: ThreadLane,
  t: number,
): TimelineHit | null {
  const chunk = chunks.find(({ lanes }) => lanes.some((item) => item.key === lane.key));
  const piece = chunk?.pieces.find(({ part }) => t >= part.start && t < part.end);
  const at = chunk?.lanes.findIndex((item) => item.key === lane.key) ?? -1;
  const nothing = hitAround(lane, t, [['', 'on its way …']]);
  if (!piece || at < 0) return nothing;
  if (piece.kind === 'none') return piece.failed ? { ...nothing, rows: [['', 'could not be loaded']] } : nothing;
  if (piece.kind === 'states') return statesHit(scene, piece.states, at, lane, t);
  const width = (piece.span.end - piece.span.start) / piece.tile.columns;
  const bin = Math.min(Math.floor((t - piece.span.start) / width), piece.tile.columns - 1);
  const cell = at * piece.tile.columns + bin;
  return binHit(scene, piece.tile, cell, lane, t, piece.span.start + bin * width, width);
}

/** On a lane at an instant, whole states: the same at every zoom, in sight or not. */
export function threadInstantHit(scene: TimelineScene, lane: ThreadLane, t: number): TimelineHit {
  const states = scene.source.threads.instant(lane.key, t);
  return states ? statesHit(scene, states, 0, lane, t) : hitAround(lane, t, [['', 'on its way …']]);
}

const hitAround = (lane: ThreadLane, t: number, rows: [string, string][]): TimelineHit => ({
  lane,
  place: lane.key,
  t,
  title: lane.name,
  rows,
  utid: lane.utid,
  start: t,
  end: t,
  wasted: false,
  episode: null,
  exact: false,
});

/** Rows of the states of a lane that hold an instant. */
function rowsAt(states: LaneStates, lane: number, t: number): number[] {
  const low = states.first[lane] ?? 0;
  const last = above(states.start, t, low, states.first[lane + 1] ?? low);
  const found: number[] = [];
  for (let row = low; row < last; row++) if (t < (states.end[row] as number)) found.push(row);
  return found;
}

function statesHit(scene: TimelineScene, states: LaneStates, at: number, lane: ThreadLane, t: number): TimelineHit {
  const rows = rowsAt(states, at, t);
  if (lane.utid === null) return groupHit(scene, states, rows, lane, t);
  const row = rows[0];
  if (row === undefined) return hitAround(lane, t, [['state', absence(scene, lane.utid, t)]]);
  const start = states.start[row] as number;
  const end = states.end[row] as number;
  const cpu = states.cpu[row] as number;
  const phase = states.phase[row] as number;
  const facts: [string, string][] = [
    ['state', PHASE_WORDS[phase] ?? 'not known'],
    ...(cpu >= 0 && (phase < 3 || phase === 7) ? [['CPU', String(cpu)] as [string, string]] : []),
    ['from', moment(start - scene.origin, 1000)],
    ['for', duration(end - start)],
  ];
  return { ...hitAround(lane, t, facts), start, end, exact: true };
}

/** Why a thread has no state at an instant. */
function absence(scene: TimelineScene, utid: number, t: number): string {
  const thread = scene.threads.get(utid);
  if (thread?.start_ns != null && t < thread.start_ns) return 'not created yet';
  if (thread?.end_ns != null && t >= thread.end_ns) return 'ended';
  return 'not known: no event of it was recorded until then';
}

function groupHit(
  scene: TimelineScene,
  states: LaneStates,
  rows: readonly number[],
  lane: ThreadLane,
  t: number,
): TimelineHit {
  const inPhase = (...phases: number[]) => rows.filter((row) => phases.includes(states.phase[row] as number));
  const named = (found: readonly number[], of: (row: number) => string) =>
    found.slice(0, MOST_NAMED).map(of).join(', ') +
    (found.length > MOST_NAMED ? ` and ${found.length - MOST_NAMED} more` : '');
  const label = (row: number) => scene.threads.label(states.utid[row] as number);
  const facts: [string, string][] = [['threads', `${lane.members}, ${rows.length} of known state`]];
  const running = inPhase(0);
  const waiting = inPhase(1, 2);
  const blocked = inPhase(4);
  if (running.length > 0) facts.push(['running', named(running, (row) => `${label(row)} on CPU ${states.cpu[row]}`)]);
  if (waiting.length > 0) facts.push(['waiting', named(waiting, (row) => `${label(row)} on CPU ${states.cpu[row]}`)]);
  if (blocked.length > 0) facts.push(['blocked', named(blocked, label)]);
  if (running.length + waiting.length + blocked.length === 0) facts.push(['state', 'all asleep']);
  return {
    ...hitAround(lane, t, facts),
    utid: (running[0] ?? -1) >= 0 ? (states.utid[running[0] as number] as number) : null,
  };
}

const STATE_WORDS: Record<LaneState, string> = {
  running: 'running',
  waiting: 'waiting',
  blocked: 'blocked',
  stopped: 'stopped',
  throttled: 'no quota',
  sleeping: 'asleep',
};

function binHit(
  scene: TimelineScene,
  tile: LaneTile,
  cell: number,
  lane: ThreadLane,
  t: number,
  start: number,
  width: number,
): TimelineHit {
  const facts: [string, string][] = [
    ['this pixel', `${duration(width)} from ${moment(start - scene.origin, Math.max(width / 10, 1))}`],
  ];
  for (const state of LANE_STATES) {
    const value = tile[state][cell] as number;
    if (value <= 0) continue;
    const words = lane.utid === null ? `${significant(value)} threads on average` : percent(value);
    facts.push([STATE_WORDS[state], words]);
  }
  const cpu = tile.cpu[cell] as number;
  if (cpu >= 0) facts.push(['mostly on', `CPU ${cpu}`]);
  if (facts.length === 1) facts.push(['state', lane.utid === null ? 'not known' : absence(scene, lane.utid, t)]);
  if (lane.utid === null) facts.unshift(['', plural(lane.members, 'thread')]);
  return { ...hitAround(lane, t, facts), start, end: start + width };
}
