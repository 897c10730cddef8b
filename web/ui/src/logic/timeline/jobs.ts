// Jobs of threads with deadlines in a window: which of them an instant belongs to, and what is said of it.

import { numbers, type Table, textAt } from '../../api/table';
import { duration, moment } from '../units';
import { above } from './chunks';

/** Jobs of one thread, in the order of their releases. Times in ns of the trace's clock. */
export interface ThreadJobs {
  released: Float64Array;
  deadline: Float64Array;
  /** NaN: under way as the recording ended. */
  end: Float64Array;
  missed: Uint8Array;
  tardiness: Float64Array;
  laxity: Float64Array;
  run: Float64Array;
  overrun: Float64Array;
  throttles: Float64Array;
  /** Whose fault a missed one is, in words. */
  fault: (string | null)[];
  endedBy: (string | null)[];
}

/** Those of all threads in a window. */
export interface Jobs {
  byThread: ReadonlyMap<number, ThreadJobs>;
  /** They are too many: the missed ones alone, or not even all of those. */
  isPart: boolean;
}

const COLUMNS = {
  released: 'activation_ns',
  deadline: 'deadline_ns',
  end: 'end_ns',
  tardiness: 'tardiness_ns',
  laxity: 'laxity_min_ns',
  run: 'run_ns',
  overrun: 'overrun_ns',
  throttles: 'throttles',
} as const;

/** The jobs of an answer, by thread. */
export function jobsOf(table: Table): Jobs {
  const rowsOf = new Map<number, number[]>();
  const utids = numbers(table, 'utid');
  for (let row = 0; row < table.rows; row++) {
    const utid = utids[row] as number;
    const rows = rowsOf.get(utid);
    if (rows) rows.push(row);
    else rowsOf.set(utid, [row]);
  }
  const missed = numbers(table, 'missed');
  const pick = (name: string, rows: readonly number[]) => {
    const column = numbers(table, name);
    return Float64Array.from(rows, (row) => column[row] as number);
  };
  const byThread = new Map<number, ThreadJobs>();
  for (const [utid, rows] of rowsOf) {
    const columns = Object.entries(COLUMNS).map(([key, name]) => [key, pick(name, rows)]);
    byThread.set(utid, {
      ...(Object.fromEntries(columns) as Record<keyof typeof COLUMNS, Float64Array>),
      missed: Uint8Array.from(rows, (row) => missed[row] as number),
      fault: rows.map((row) => textAt(table, 'fault_words', row)),
      endedBy: rows.map((row) => textAt(table, 'ended_by', row)),
    });
  }
  return { byThread, isPart: table.meta.truncated === 'true' || table.meta.missed_only === 'true' };
}

/** Row of the job that an instant belongs to: the last one that was released, until its deadline and its end are over; -1: none. */
export function jobAt(jobs: ThreadJobs, t: number): number {
  const row = above(jobs.released, t, 0, jobs.released.length) - 1;
  if (row < 0) return -1;
  const end = jobs.end[row] as number;
  return Number.isNaN(end) || t <= Math.max(end, jobs.deadline[row] as number) ? row : -1;
}

const UNTIL_WORDS: Record<string, string> = { yield: ', by a yield', exit: ', with its thread' };

/** What is said of a job: names and values. `origin` is the start of the trace. */
export function jobFacts(jobs: ThreadJobs, row: number, origin: number): [string, string][] {
  const at = (ns: number) => moment(ns - origin, 1000);
  const of = (name: keyof typeof COLUMNS) => jobs[name][row] as number;
  const [end, deadline] = [of('end'), of('deadline')];
  const facts: [string, string][] = [
    ['job', `released ${at(of('released'))}`],
    ['deadline', at(deadline)],
  ];
  if (Number.isNaN(end)) facts.push(['ended', 'not within the recording']);
  else facts.push(['ended', `${at(end)}${UNTIL_WORDS[jobs.endedBy[row] ?? ''] ?? ''}`]);
  if (jobs.missed[row]) facts.push(['late by', `${Number.isNaN(end) ? '≥ ' : ''}${duration(of('tardiness'))}`]);
  else facts.push(['before it', duration(deadline - end)]);
  facts.push(['least laxity', duration(of('laxity')).replace('-', '−')]);
  const over = of('overrun');
  facts.push(['job ran', `${duration(of('run'))}${over > 0 ? `, ${duration(over)} over its runtime` : ''}`]);
  if (of('throttles') > 0) facts.push(['throttled', of('throttles') === 1 ? 'once' : `${of('throttles')} times`]);
  const fault = jobs.fault[row];
  if (fault) facts.push(['whose fault', fault]);
  return facts;
}
