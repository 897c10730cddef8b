// Where a job is on the timeline: its time, with the lane of its thread and its marks.

import type { LockWait, MissedDeadline, PassedOver, TraceSummary } from '../../api/types';
import { OVERLAYS, type Place } from '../../logic/place';
import { threadKey } from '../../logic/timeline/threadRows';
import { windowAround } from '../../logic/windowAround';

type Here = Pick<Place, 'overlays' | 'pins'>;

const withLane = ({ overlays, pins }: Here, utid: number): Partial<Place> => ({
  view: 'timeline',
  pins: [...new Set([...pins, threadKey(utid)])],
  overlays: OVERLAYS.filter((item) => item === 'jobs' || overlays.includes(item)),
  selection: null,
});

/** A missed job, at its deadline. */
export function placeOfMiss(miss: MissedDeadline, trace: TraceSummary, here: Here): Partial<Place> {
  const end = miss.end_ns ?? miss.deadline_ns + miss.tardiness_ns;
  const { utid } = miss.thread;
  return {
    ...withLane(here, utid),
    window: windowAround(miss.activation_ns, end - miss.activation_ns, trace),
    params: { slice: `${threadKey(utid)}@${miss.deadline_ns}` },
  };
}

/** A time for which a thread was passed over: what the CPU did that it might have used. */
export function placeOfPassedOver(row: PassedOver, trace: TraceSummary, here: Here): Partial<Place> {
  return {
    ...withLane(here, row.thread.utid),
    window: windowAround(row.start_ns, row.end_ns - row.start_ns, trace),
    params: { slice: `${row.cpu}@${Math.floor((row.start_ns + row.end_ns) / 2)}` },
  };
}

/** A wait for a lock: who held it has a lane, too. */
export function placeOfLockWait(row: LockWait, trace: TraceSummary, here: Here): Partial<Place> {
  const lane = threadKey(row.thread.utid);
  const of = withLane(here, row.thread.utid);
  return {
    ...of,
    pins: [...new Set([...(of.pins ?? []), ...(row.held_by ? [threadKey(row.held_by.utid)] : [])])],
    window: windowAround(row.start_ns, row.end_ns - row.start_ns, trace),
    params: { slice: `${lane}@${Math.floor((row.start_ns + row.end_ns) / 2)}` },
  };
}

/** All jobs of a task. */
export const placeOfTask = (utid: number, here: Here): Partial<Place> => ({ ...withLane(here, utid), params: {} });
