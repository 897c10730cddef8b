// Episodes as wastes: one row for each, whatever its grades.
//
// The checker lists an episode a grade, and recurrent ones beside them; a timed one that another contains lies `within` it.
// How bad a row is says its `severity`.

import { GRADE_WORST_FIRST } from '../../../../schemas/ts/schema';
import type { Episode } from '../api/types';

export type ListedEpisode = Pick<Episode, 'episode_id' | 'grade' | 'severity' | 'within' | 'total_core_ns'>;

export interface Waste<E extends ListedEpisode> {
  episode: E;
  /** Episodes of higher grades within it, whose waste is part of its own; the gravest first. */
  parts: E[];
}

/** Place in the order of grades, 0 the gravest. */
export const gravity = (grade: string): number => {
  const at = (GRADE_WORST_FIRST as readonly string[]).indexOf(grade);
  return at < 0 ? GRADE_WORST_FIRST.length : at;
};

/** The wastes of a list, in its order; an episode within a waste that is not in the list is a row of its own. */
export function wastesOf<E extends ListedEpisode>(episodes: readonly E[]): Waste<E>[] {
  const found = new Map<number, Waste<E>>();
  const known = new Set(episodes.map((episode) => episode.episode_id));
  const isPart = (episode: E) => episode.within !== null && known.has(episode.within);
  for (const episode of episodes) if (!isPart(episode)) found.set(episode.episode_id, { episode, parts: [] });
  for (const episode of episodes) if (isPart(episode)) found.get(episode.within as number)?.parts.push(episode);
  for (const { parts } of found.values()) parts.sort((a, b) => gravity(a.grade) - gravity(b.grade));
  return [...found.values()];
}
