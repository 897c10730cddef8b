// Wakeups of threads: from the waker to the queue to the run, as the server's rows have them.

import { numbers, type Table } from '../../api/table';
import { duration, moment } from '../units';

/** A wakeup and the run that followed. Times in ns of the trace's clock. */
export interface Flow {
  id: number;
  utid: number;
  waking: number;
  wakerCpu: number;
  /** 0 the idle thread: an interrupt; null not observed. */
  waker: number | null;
  wakeup: number;
  target: number;
  /** null: it did not run any more. */
  run: number | null;
  runCpu: number | null;
}

export interface Flows {
  /** In order of their wakeups. */
  rows: Flow[];
  truncated: boolean;
}

export function flowsOf(table: Table): Flows {
  const column = (name: string) => numbers(table, name);
  const known = (name: string, row: number) => {
    const value = column(name)[row] as number;
    return Number.isNaN(value) ? null : value;
  };
  const rows = Array.from(
    { length: table.rows },
    (_, row): Flow => ({
      id: column('wakeup_id')[row] as number,
      utid: column('utid')[row] as number,
      waking: column('waking_ns')[row] as number,
      wakerCpu: column('waker_cpu')[row] as number,
      waker: known('waker_utid', row),
      wakeup: column('wakeup_ns')[row] as number,
      target: column('target_cpu')[row] as number,
      run: known('run_ns', row),
      runCpu: known('run_cpu', row),
    }),
  );
  return { rows, truncated: table.meta.truncated === 'true' };
}

/** What an arrow is about, for its tooltip: from which waker, to which thread, with which latency. */
export function flowFacts(
  flow: Flow,
  labelOf: (utid: number) => string,
  origin: number,
): { title: string; rows: [string, string][] } {
  const { waker, wakerCpu, waking, wakeup, target, run, runCpu } = flow;
  const from =
    waker === null
      ? `a thread on CPU ${wakerCpu}`
      : waker === 0
        ? `an interrupt on idle CPU ${wakerCpu}`
        : `${labelOf(waker)} on CPU ${wakerCpu}`;
  const rows: [string, string][] = [
    ['from', from],
    ['to', `${labelOf(flow.utid)} on CPU ${target}`],
    ['latency', run === null ? 'it did not run any more' : duration(run - wakeup)],
    ['woken', moment(wakeup - origin, 1000)],
  ];
  if (wakeup > waking) rows.push(['decided', `${duration(wakeup - waking)} before`]);
  if (runCpu !== null && runCpu !== target) rows.push(['ran on', `CPU ${runCpu}`]);
  return { title: `Wakeup of ${labelOf(flow.utid)}`, rows };
}

/** Any part of it lies in a span. */
export const isSeen = (flow: Flow, start: number, end: number): boolean =>
  flow.waking < end && Math.max(flow.run ?? flow.wakeup, flow.wakeup) >= start;

/** Of several stretches, each flow once, in order. */
export function joined(stretches: readonly Flows[]): Flow[] {
  const seen = new Set<number>();
  return stretches.flatMap(({ rows }) => rows.filter(({ id }) => !seen.has(id) && Boolean(seen.add(id))));
}
