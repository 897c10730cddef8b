// Where the replay opens, and which episode an instant belongs to.

import { gravity } from '../../logic/wastes';
import { hasEpisode } from './stretches';
import type { EpisodeMark } from './useReplayData';

/** The costliest of the gravest severity, a waste as a whole; in a report of those that it carries. Undefined: there is none. */
export function worstOf(episodes: readonly EpisodeMark[], trace: string): EpisodeMark | undefined {
  return episodes
    .filter((e) => !e.isPart && hasEpisode(trace, e.id))
    .reduce<EpisodeMark | undefined>((worst, e) => (worst && !isWorse(e, worst) ? worst : e), undefined);
}

const isWorse = (a: EpisodeMark, b: EpisodeMark): boolean =>
  gravity(a.severity) - gravity(b.severity) < 0 || (a.severity === b.severity && a.core_ns > b.core_ns);
