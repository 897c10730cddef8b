// What the time of a rank goes to: the parts that the analyzer has, and the three groups by which cells are coloured.

import type { BalanceCells, ParallelApplication, RankTimes } from '../../api/types';

export const PARTS = [
  'compute',
  'preempted',
  'queued',
  'irq',
  'throttled',
  'spin',
  'wait',
  'blocked',
  'other',
] as const;
export type Part = (typeof PARTS)[number];

/** What each part means, as docs/semantics.md (Balance) defines it. */
export const PART_MEANINGS: Readonly<Record<Part, string>> = {
  compute: 'On a CPU, outside of calls that wait',
  preempted: 'Runnable after a preemption: another thread ran on its CPU',
  queued: 'Runnable after a wakeup, not yet on a CPU',
  irq: 'Its CPU did interrupt work',
  throttled: 'Runnable, and its cgroup had no quota',
  spin: 'On a CPU inside a call: it waits and looks busy',
  wait: 'Asleep: it waits for other ranks, messages or a timer',
  blocked: 'Uninterruptible sleep: I/O, page faults',
  other: 'Stopped, not alive, or not known',
};

export const nsOf = (rank: RankTimes, part: Part): number => rank[`${part}_ns`];

/** Parts of less than this share of the time of every rank have no column, as in the terminal. */
const LEAST_SHOWN = 0.0005;

/** The parts that are worth a column: computing, and what some rank has enough of. */
export const shownParts = (app: ParallelApplication): Part[] =>
  PARTS.filter((part) => part === 'compute' || app.rank.some((rank) => nsOf(rank, part) >= LEAST_SHOWN * app.run_ns));

/** A part in words: where the balance is not visible, computing may be spinning. */
export const partWords = (part: Part, app: Pick<ParallelApplication, 'state'>): string =>
  part === 'compute' && app.state === 'not_visible' ? 'compute or spin' : part;

export const GROUPS = ['computing', 'taken', 'waiting', 'unknown'] as const;
export type Group = (typeof GROUPS)[number];

export function groupWords(group: Group, app: Pick<ParallelApplication, 'state'>): string {
  if (group === 'computing') return app.state === 'not_visible' ? 'Computing or spinning' : 'Computing';
  return { taken: 'Taken by others', waiting: 'Waiting', unknown: 'Not known' }[group];
}

export const GROUP_MEANINGS: Readonly<Record<Group, string>> = {
  computing: 'On a CPU, outside of calls that wait',
  taken: 'Preempted, queued, interrupt work, without quota',
  waiting: 'Asleep, blocked, or spinning in a call',
  unknown: 'Stopped, not alive, or not known',
};

/** What cells are coloured by: all groups by their share of the cell, or one of them on a scale. */
export const COLOURINGS = ['parts', 'computing', 'waiting', 'taken'] as const;
export type Colouring = (typeof COLOURINGS)[number];

/** ns of a group, of one rank in one column. */
export const cellNs = (cells: BalanceCells, group: Group, rank: number, column: number): number =>
  cells[`${group}_ns`][rank]?.[column] ?? 0;

/** ns of a part, of one rank in one column; parts of which there is none are not sent. */
export const partNs = (cells: BalanceCells, part: Part, rank: number, column: number): number =>
  cells.parts[part]?.[rank]?.[column] ?? 0;
