import { describe, expect, it } from 'vitest';
import { ArchiveSource } from '../../replay/source';
import { carry } from './stretches';
import type { EpisodeMark } from './useReplayData';
import { fullInstant, worstOf } from './worst';

const mark = (id: number, severity: string, core_ns: number, isPart = false): EpisodeMark => ({
  id,
  grade: severity,
  severity,
  isPart,
  start: 0,
  end: 1,
  sentence: '',
  core_ns,
});

describe('the episode at which the replay opens', () => {
  it('is the costliest of the gravest severity, wherever it is in the list', () => {
    const list = [
      mark(1, 'lasting', 900),
      mark(2, 'persistent', 5),
      mark(3, 'persistent', 7),
      mark(4, 'expected', 2000),
    ];
    expect(worstOf(list, 'trace')?.id).toBe(3);
    expect(worstOf([...list].reverse(), 'trace')?.id).toBe(3);
  });

  it('is a waste as a whole, not the part of it that has one grade', () => {
    expect(worstOf([mark(1, 'persistent', 9, true), mark(2, 'persistent', 8)], 'trace')?.id).toBe(2);
  });

  it('is in a report one of those that it carries', () => {
    carry('report', new ArchiveSource([]), [2]);
    expect(worstOf([mark(1, 'persistent', 9), mark(2, 'lasting', 8)], 'report')?.id).toBe(2);
  });

  it('is none where there is none', () => expect(worstOf([], 'trace')).toBeUndefined());
});

describe('the instant at which the replay opens', () => {
  const curve = {
    start: Float64Array.of(0, 10, 20, 30, 40, 50),
    wasted: Float64Array.of(9, 1, 4, 4, 0, 0),
    most: Float64Array.of(9, 4, 4, 4, 0, 0),
  };

  it('is where nearly as many cores are wasted as ever in the episode, not its first instant', () => {
    expect(fullInstant({ start: 10, end: 45 }, curve)).toBe(25);
    expect(fullInstant({ start: 0, end: 45 }, curve)).toBe(5);
  });

  it('is the start of an episode that is shorter than what the curve shows', () => {
    expect(fullInstant({ start: 22, end: 24 }, curve)).toBe(22);
  });
});
