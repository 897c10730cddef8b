// The statistics of a selected range: what they are of, and their rows as a table that can be saved.

import type { Table } from '../../api/table';
import type { SelectionFigures } from '../../api/types';
import { formatCpuList } from '../cpulist';
import type { Selection } from '../place';
import type { Threads } from './names';

/** Whose range it is, as a heading names it: ` on CPU 0-3`, ` of make 100 and hog 300`. */
export function rangeOf({ cpus, lanes }: Selection, nameOf: (lane: string) => string): string {
  if (cpus) return ` on CPU ${formatCpuList(cpus)}`;
  if (!lanes) return ' on all CPUs';
  const named = lanes.slice(0, 2).map(nameOf);
  const more = lanes.length - named.length;
  return ` of ${more > 0 ? `${named.join(', ')} and ${more} more` : named.join(' and ')}`;
}

const TIMES = [
  'run_ns',
  'wait_ns',
  'avoidable_ns',
  'longest_wait_ns',
  'sleep_ns',
  'blocked_ns',
  'stopped_ns',
  'throttled_ns',
] as const;

/** All threads of a range, one in a row: what is saved as CSV. Times in ns. */
export function rangeTable(figures: SelectionFigures, threads: Threads): Table {
  const rows = figures.threads;
  const thread = rows.map(({ utid }) => threads.get(utid));
  const columns: [string, unknown[]][] = [
    ['start_ns', rows.map(() => figures.start_ns)],
    ['end_ns', rows.map(() => figures.end_ns)],
    ['utid', rows.map(({ utid }) => utid)],
    ['tid', thread.map((item) => item?.tid ?? null)],
    ['name', thread.map((item) => item?.name ?? null)],
    ['process', thread.map((item) => item?.process ?? null)],
    ['cgroup', thread.map((item) => item?.cgroup ?? null)],
    ['runs', rows.map(({ runs }) => runs)],
    ['waits', rows.map(({ waits }) => waits)],
    ...TIMES.map((name): [string, unknown[]] => [name, rows.map((row) => row[name])]),
  ];
  const items = columns.map(([name, values]) => [name, { items: values }] as const);
  return { rows: rows.length, columns: Object.fromEntries(items), types: {}, meta: {} };
}
