import { describe, expect, it } from 'vitest';
import type { Table } from '../../api/table';
import { jobAt, jobFacts, jobsOf, type ThreadJobs } from './jobs';

const MS = 1e6;

/** Two jobs of thread 1, one of thread 2 that is under way at the end. */
function answer(meta: Record<string, string> = {}): Table {
  const ms = (...values: number[]) => Float64Array.from(values, (value) => value * MS);
  const texts = (...values: (string | null)[]) => {
    const known = [...new Set(values.filter((value) => value !== null))];
    return { codes: Int32Array.from(values, (value) => (value === null ? -1 : known.indexOf(value))), values: known };
  };
  return {
    rows: 3,
    types: {},
    meta,
    columns: {
      utid: Uint32Array.of(1, 2, 1),
      activation_ns: ms(1, 5, 11),
      deadline_ns: ms(11, 8, 21),
      end_ns: ms(3, Number.NaN, 23),
      missed: Uint8Array.of(0, 1, 1),
      tardiness_ns: ms(0, 92, 2),
      laxity_min_ns: ms(6, -93, -2),
      run_ns: ms(2, 0, 7),
      overrun_ns: ms(0, 0, 3),
      throttles: Uint32Array.of(0, 0, 1),
      ended_by: texts('sleep', 'unfinished', 'yield'),
      fault_words: texts(null, 'scheduler', 'own overrun'),
    },
  };
}

const of = (utid: number) => jobsOf(answer()).byThread.get(utid) as ThreadJobs;

describe('jobs of a window', () => {
  it('are parted by thread, in the order of their releases', () => {
    const { byThread, isPart } = jobsOf(answer());
    expect([...byThread.keys()]).toEqual([1, 2]);
    expect([...of(1).released]).toEqual([1 * MS, 11 * MS]);
    expect(of(1).fault).toEqual([null, 'own overrun']);
    expect(isPart).toBe(false);
    expect(jobsOf(answer({ missed_only: 'true' })).isPart).toBe(true);
    expect(jobsOf(answer({ truncated: 'true' })).isPart).toBe(true);
  });

  it('hold an instant from their release until deadline and end are over', () => {
    const jobs = of(1);
    const at = (ms: number) => jobAt(jobs, ms * MS);
    expect([at(0.5), at(1), at(10.9), at(11), at(22.9), at(23), at(23.1)]).toEqual([-1, 0, 0, 1, 1, 1, -1]);
    expect([jobAt(of(2), 5 * MS), jobAt(of(2), 99 * MS)]).toEqual([0, 0]);
  });

  it('say when, by how much and whose fault', () => {
    expect(jobFacts(of(1), 0, 0)).toEqual([
      ['job', 'released +0.001000 s'],
      ['deadline', '+0.011000 s'],
      ['ended', '+0.003000 s'],
      ['before it', '8.00 ms'],
      ['least laxity', '6.00 ms'],
      ['job ran', '2.00 ms'],
    ]);
    expect(jobFacts(of(1), 1, 1 * MS)).toEqual([
      ['job', 'released +0.010000 s'],
      ['deadline', '+0.020000 s'],
      ['ended', '+0.022000 s, by a yield'],
      ['late by', '2.00 ms'],
      ['least laxity', '−2.00 ms'],
      ['job ran', '7.00 ms, 3.00 ms over its runtime'],
      ['throttled', 'once'],
      ['whose fault', 'own overrun'],
    ]);
    expect(jobFacts(of(2), 0, 0)).toContainEqual(['ended', 'not within the recording']);
    expect(jobFacts(of(2), 0, 0)).toContainEqual(['late by', '≥ 92.0 ms']);
  });
});
