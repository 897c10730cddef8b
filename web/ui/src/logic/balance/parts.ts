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

/** What a part means, as the server has it. */
export const meaningOfPart = (part: Part, { parts }: Pick<ParallelApplication, 'parts'>): string =>
  parts.find((of) => of.part === part)?.meaning ?? '';

export const nsOf = (rank: RankTimes, part: Part): number => rank[`${part}_ns`];

/** The parts that are worth a column, as in the terminal. */
export const shownParts = ({ parts }: Pick<ParallelApplication, 'parts'>): Part[] =>
  PARTS.filter((part) => parts.some((of) => of.part === part && of.is_shown));

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
