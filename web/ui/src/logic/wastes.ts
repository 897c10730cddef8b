// Episodes as wastes: one row for each, whatever its grades.
//
// The checker lists an episode a grade; one that is the same waste as another of a lower grade is a part of it (`part_of`).
// The amount of a waste is its `total_core_ns`, how bad it is its `severity`.

import type { Episode } from '../api/types';
import { GRADE_ORDER } from './words';

export type Listed = Pick<Episode, 'episode_id' | 'grade' | 'severity' | 'part_of' | 'total_core_ns'>;

export interface Waste<E extends Listed> {
  episode: E;
  /** The same waste seen from higher thresholds, the gravest first: what of it single gaps of that grade make up. */
  parts: E[];
}

/** Place in the order of grades, 0 the gravest. */
export const gravity = (grade: string): number => {
  const at = (GRADE_ORDER as readonly string[]).indexOf(grade);
  return at < 0 ? GRADE_ORDER.length : at;
};

/** The wastes of a list, in its order; a part whose waste is not in the list stands for itself. */
export function wastesOf<E extends Listed>(episodes: readonly E[]): Waste<E>[] {
  const found = new Map<number, Waste<E>>();
  const known = new Set(episodes.map((episode) => episode.episode_id));
  const isPart = (episode: E) => episode.part_of !== null && known.has(episode.part_of);
  for (const episode of episodes) if (!isPart(episode)) found.set(episode.episode_id, { episode, parts: [] });
  for (const episode of episodes) if (isPart(episode)) found.get(episode.part_of as number)?.parts.push(episode);
  for (const { parts } of found.values()) parts.sort((a, b) => gravity(a.grade) - gravity(b.grade));
  return [...found.values()];
}
