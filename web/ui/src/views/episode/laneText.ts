// What is known of a CPU's time in an episode, and what a lane says where it is pointed at.

import { duration, percent, plural, significant } from '../../logic/units';
import type { CpuLane } from '../../replay/lanes';

export type Interval = readonly [start: number, end: number];

/** All that is known of a CPU's time. */
export interface EpisodeLane extends CpuLane {
  wasted: readonly Interval[];
  unobserved: readonly Interval[];
}

/** What a lane shows at `at`: the run or wasted stretch; where a pixel holds several, its shares. */
export function laneTextAt(lane: EpisodeLane, at: number, pixel: number, nameOf: (utid: number) => string): string {
  const [from, to] = [at - pixel / 2, at + pixel / 2];
  const sum = (spans: readonly (readonly number[])[], each = (_: readonly number[]) => 1) =>
    spans.reduce((all, span) => {
      const both = Math.min(span[1] as number, to) - Math.max(span[0] as number, from);
      return both > 0 ? all + (both / pixel) * each(span) : all;
    }, 0);
  const holds = <T extends readonly number[]>(spans: readonly T[]) =>
    spans.find(([a, b]) => at >= (a as number) && at < (b as number));
  const within = (spans: readonly (readonly number[])[]) =>
    spans.filter(([a, b]) => (a as number) < to && (b as number) > from).length;
  if (within(lane.runs) + within(lane.wasted) > 2) {
    const parts = [`busy ${percent(sum(lane.runs))}`];
    const [waiting, wasted, unobserved] = [
      sum(lane.queue, (span) => span[2] as number),
      sum(lane.wasted),
      sum(lane.unobserved),
    ];
    if (wasted > 0) parts.push(`wasted ${percent(wasted)}`);
    if (unobserved > 0.0005) parts.push(`not observed ${percent(unobserved)}`);
    if (waiting > 0) parts.push(`${significant(waiting)} threads waiting on average`);
    return `of this pixel (${duration(pixel)}): ${parts.join(', ')}`;
  }
  const [run, waste, queue] = [holds(lane.runs), holds(lane.wasted), holds(lane.queue)];
  const said = run
    ? `${nameOf(run[2])} runs for ${duration(run[1] - run[0])}`
    : waste
      ? `idle, and wasted for ${duration(waste[1] - waste[0])}`
      : holds(lane.unobserved)
        ? 'not observed'
        : 'idle';
  return queue ? `${said}, ${plural(queue[2], 'thread')} waiting` : said;
}
