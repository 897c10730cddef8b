// Episodes that are layers of one waste: long waits, and the shorter ones between them in the same time on the same CPUs.
//
// A grade's episode begins and ends where waste of that grade or a graver one does, so one waste shows up once a grade, with
// the same span and CPUs. It is listed once, under its gravest grade; the others are told with it.

import type { Episode } from '../api/types';
import { GRADE_ORDER } from './words';

export type Layer = Pick<
  Episode,
  'episode_id' | 'grade' | 'start_ns' | 'end_ns' | 'core_ns' | 'total_core_ns' | 'idle_cpus'
>;

export interface Layered<E extends Layer> {
  episode: E;
  /** Less grave waits of the same waste, the gravest first: each wasted `core_ns` on top. */
  shorter: E[];
}

/** A less grave episode is a layer of a graver one that covers this much of its span. */
const SAME = 0.8;

const rank = (grade: string): number => (GRADE_ORDER as readonly string[]).indexOf(grade);

/** Whether `shorter` is the same waste as `graver`, of a lesser grade. Recurrent waste is listed for itself. */
function isLayer(graver: Layer, shorter: Layer): boolean {
  if (graver.grade === 'recurrent' || shorter.grade === 'recurrent' || rank(shorter.grade) <= rank(graver.grade))
    return false;
  if (shorter.total_core_ns === shorter.core_ns) return false; // nothing graver in it
  const common = Math.min(graver.end_ns, shorter.end_ns) - Math.max(graver.start_ns, shorter.start_ns);
  if (common < SAME * (shorter.end_ns - shorter.start_ns)) return false;
  return shorter.idle_cpus.some((cpu) => graver.idle_cpus.includes(cpu));
}

/** `episodes` in their order, with those that are layers of another folded into it. */
export function layered<E extends Layer>(episodes: readonly E[]): Layered<E>[] {
  const byGravity = [...episodes].sort((a, b) => rank(a.grade) - rank(b.grade) || b.core_ns - a.core_ns);
  const under = new Map<number, E>();
  for (const episode of byGravity) {
    const graver = byGravity.find((other) => !under.has(other.episode_id) && isLayer(other, episode));
    if (graver) under.set(episode.episode_id, graver);
  }
  const found = new Map<number, Layered<E>>();
  for (const episode of episodes)
    if (!under.has(episode.episode_id)) found.set(episode.episode_id, { episode, shorter: [] });
  for (const episode of byGravity) {
    const graver = under.get(episode.episode_id);
    if (graver) found.get(graver.episode_id)?.shorter.push(episode);
  }
  return [...found.values()];
}
