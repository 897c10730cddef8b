// Where the replay opens, and which episode an instant belongs to.

import { gravity } from '../../logic/wastes';
import { hasEpisode } from './stretches';
import type { CurveData, EpisodeMark } from './useReplayData';

/** The costliest of the gravest severity, a waste as a whole; in a report of those that it carries. Undefined: there is none. */
export function worstOf(episodes: readonly EpisodeMark[], trace: string): EpisodeMark | undefined {
  return episodes
    .filter((e) => !e.isPart && hasEpisode(trace, e.id))
    .reduce<EpisodeMark | undefined>((worst, e) => (worst && !isWorse(e, worst) ? worst : e), undefined);
}

const isWorse = (a: EpisodeMark, b: EpisodeMark): boolean =>
  gravity(a.severity) - gravity(b.severity) < 0 || (a.severity === b.severity && a.core_ns > b.core_ns);

/** Share of the most wasted cores from which on an instant shows what the episode is. */
const NEARLY_ALL = 0.9;

/** When in an episode nearly as many cores are wasted as ever in it: the first such bin of the curve. Its start, where no bin is within it. */
export function fullInstant({ start, end }: { start: number; end: number }, curve: CurveData): number {
  let peak = 0;
  const within: [number, number][] = [];
  for (let i = 0; i + 1 < curve.start.length; i++) {
    const [from, to] = [curve.start[i] as number, curve.start[i + 1] as number];
    if (from < start || to > end) continue;
    const wasted = curve.wasted[i] as number;
    peak = Math.max(peak, wasted);
    within.push([(from + to) / 2, wasted]);
  }
  return Math.round(within.find(([, wasted]) => wasted >= NEARLY_ALL * peak)?.[0] ?? start);
}
