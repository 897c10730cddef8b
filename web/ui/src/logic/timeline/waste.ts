// What the page says about wasted time on a lane: the threads that waited, the episode it belongs to, and its cause.

import type { Episode } from '../../api/types';
import { gravity } from '../wastes';
import { causeWords, severityWords } from '../words';
import type { CpuIntervals } from './chunks';

/** A thread that waited beside an idle CPU, and on whose queue. */
export interface QueuedThread {
  utid: number;
  cpu: number;
}

/** The threads that waited beside an idle CPU at an instant, by the CPU they waited on. Intervals of a CPU are in order of their starts. */
export function waitingAt(avoidable: CpuIntervals, t: number): QueuedThread[] {
  const found: QueuedThread[] = [];
  for (let cpu = 0; cpu + 1 < avoidable.first.length; cpu++) {
    for (let row = avoidable.first[cpu] as number; row < (avoidable.first[cpu + 1] as number); row++) {
      if ((avoidable.start[row] as number) > t) break;
      if (t < (avoidable.end[row] as number)) found.push({ utid: avoidable.utid[row] as number, cpu });
    }
  }
  return found;
}

const MOST_NAMED = 3;

/** `hog 407 on CPU 0, hog 408 on CPU 1 and 2 more`. */
export function besideWords(threads: { label(utid: number): string }, waiting: readonly QueuedThread[]): string {
  const named = waiting.slice(0, MOST_NAMED).map(({ utid, cpu }) => `${threads.label(utid)} on CPU ${cpu}`);
  const more = waiting.length - named.length;
  return `${named.join(', ')}${more > 0 ? ` and ${more} more` : ''}` || 'threads that waited';
}

/** The gravest waste in which a CPU was idle between two instants (or at one); of equals the larger one. */
export function episodeAt(episodes: readonly Episode[], cpu: number, start: number, end: number): Episode | null {
  return worstAt(episodes, [cpu], start, Math.max(end, start + 1));
}

/** The gravest waste in which any of the CPUs was idle within [start, end): recurrent ones only where there is no other. */
export function worstAt(
  episodes: readonly Episode[],
  cpus: readonly number[],
  start: number,
  end: number,
): Episode | null {
  let best: Episode | null = null;
  for (const episode of episodes) {
    if (episode.start_ns >= end || episode.end_ns <= start) continue;
    if (!episode.idle_cpus.some((cpu) => cpus.includes(cpu))) continue;
    if (episode.part_of !== null) continue;
    if (best === null || compare(episode, best) < 0) best = episode;
  }
  return best;
}

const compare = (a: Episode, b: Episode): number =>
  Number(a.grade === 'recurrent') - Number(b.grade === 'recurrent') ||
  gravity(a.severity) - gravity(b.severity) ||
  b.total_core_ns - a.total_core_ns;

/** Rows of a tooltip about the episode that wasted time belongs to. */
export function episodeRows(episode: Episode | null): [string, string][] {
  if (!episode) return [['episode', 'none: a short interval (in flight or noise)']];
  return [
    ['episode', `${episode.episode_id}, ${severityWords(episode)}`],
    ['cause', causeWords(episode)],
  ];
}
