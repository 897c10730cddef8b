import { describe, expect, it } from 'vitest';
import { type Layer, layered } from './layers';

/** As the checker lists the waste of the fixture `wasted`. */
const episode = (
  episode_id: number,
  grade: string,
  core_ns: number,
  total_core_ns: number,
  span = [564, 3090],
): Layer => ({
  episode_id,
  grade,
  start_ns: span[0] as number,
  end_ns: span[1] as number,
  core_ns,
  total_core_ns,
  idle_cpus: [4, 5],
});

describe('layers of one waste', () => {
  it('are one row, under the gravest grade, with the others told in it', () => {
    const rows = layered([
      episode(1, 'persistent', 9538, 9538),
      episode(2, 'lasting', 71, 9610),
      episode(3, 'recurrent', 160, 160),
      episode(8, 'expected', 293, 9903),
    ]);
    expect(rows.map((row) => [row.episode.episode_id, row.shorter.map((e) => e.episode_id)])).toEqual([
      [1, [2, 8]],
      [3, []],
    ]);
  });

  it('are told apart from waste that only overlaps, or is elsewhere', () => {
    const long = episode(5, 'lasting', 900, 2000, [0, 9000]);
    expect(layered([episode(1, 'persistent', 1100, 1100), long])).toHaveLength(2);
    const elsewhere = { ...episode(2, 'lasting', 71, 9610), idle_cpus: [7] };
    expect(layered([episode(1, 'persistent', 9538, 9538), elsewhere])).toHaveLength(2);
    expect(layered([episode(1, 'persistent', 10, 10), episode(2, 'lasting', 10, 10)])).toHaveLength(2);
  });
});
