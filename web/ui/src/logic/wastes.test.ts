import { describe, expect, it } from 'vitest';
import { type ListedEpisode, wastesOf } from './wastes';

const episode = (
  episode_id: number,
  grade: string,
  total_core_ns: number,
  within: number | null = null,
): ListedEpisode => ({
  episode_id,
  grade,
  severity: 'persistent',
  within,
  total_core_ns,
});

describe('wastes', () => {
  it('are one row each, in the list’s order, with what lies within them', () => {
    const rows = wastesOf([
      episode(8, 'expected', 9903),
      episode(2, 'lasting', 9610, 8),
      episode(1, 'persistent', 9538, 8),
      episode(3, 'recurrent', 160, 8),
      episode(4, 'recurrent', 12),
    ]);
    expect(rows.map((row) => [row.episode.episode_id, row.parts.map((e) => e.episode_id)])).toEqual([
      [8, [1, 2, 3]],
      [4, []],
    ]);
  });

  it('keep an episode whose waste is not in a truncated list', () => {
    expect(wastesOf([episode(1, 'persistent', 9538, 8)])).toHaveLength(1);
  });
});
