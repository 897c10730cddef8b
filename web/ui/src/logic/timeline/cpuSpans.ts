// Spans of CPUs in a window: which of them an instant or a stretch of time has.

import { numbers, type Table } from '../../api/table';
import { above } from './chunks';

/** Spans of all CPUs in a window, by CPU and then by start. Times in ns of the trace's clock. */
export interface CpuSpans {
  /** Rows of CPU c: [first[c], first[c + 1]). */
  first: Int32Array;
  start: Float64Array;
  end: Float64Array;
  /** Length of the longest one: none that starts earlier before an instant holds it. */
  longest: number;
  /** There are more than were sent. */
  truncated: boolean;
}

/** The spans of a table, and its rows in their order. Those of CPUs that the machine lacks are left out. */
export function cpuSpansOf(table: Table, cpus: number): { spans: CpuSpans; rows: readonly number[] } {
  const origin = Number(table.meta.origin_ns ?? 0);
  const [cpu, from, length] = [numbers(table, 'cpu'), numbers(table, 'start_ns'), numbers(table, 'dur_ns')];
  const rows = Array.from({ length: table.rows }, (_, row) => row).filter((row) => (cpu[row] as number) < cpus);
  // Stable: within a CPU the rows stay in order of time.
  rows.sort((a, b) => (cpu[a] as number) - (cpu[b] as number));
  const first = new Int32Array(cpus + 1);
  for (const row of rows) first[(cpu[row] as number) + 1] = (first[(cpu[row] as number) + 1] as number) + 1;
  for (let c = 0; c < cpus; c++) first[c + 1] = (first[c + 1] as number) + (first[c] as number);
  const start = Float64Array.from(rows, (row) => origin + (from[row] as number));
  const spans = {
    first,
    start,
    end: Float64Array.from(rows, (row, at) => (start[at] as number) + (length[row] as number)),
    longest: rows.reduce((most, row) => Math.max(most, length[row] as number), 0),
    truncated: table.meta.truncated === 'true',
  };
  return { spans, rows };
}

/** Rows of a CPU that may touch a span: [low, high). */
export function rowsBetween(spans: CpuSpans, cpu: number, start: number, end: number): [number, number] {
  const low = spans.first[cpu] ?? 0;
  const high = spans.first[cpu + 1] ?? low;
  return [above(spans.start, start - spans.longest - 1, low, high), above(spans.start, end - 1, low, high)];
}

/** The spans of a CPU that have any part in [start, end), in order, each once though two stretches hold it. */
export function spansWithin<S extends CpuSpans, T>(
  stretches: readonly S[],
  cpu: number,
  start: number,
  end: number,
  spanOf: (spans: S, row: number) => T,
): T[] {
  const found = new Map<number, T>();
  for (const spans of stretches) {
    const [low, high] = rowsBetween(spans, cpu, start, end);
    for (let row = low; row < high; row++) {
      if ((spans.end[row] as number) > start) found.set(spans.start[row] as number, spanOf(spans, row));
    }
  }
  return [...found].sort((a, b) => a[0] - b[0]).map(([, span]) => span);
}

/** For how long there was any of the spans (in order of their starts) from `start` to `end`. */
export function timeIn(spans: readonly { start: number; end: number }[], start: number, end: number): number {
  let [total, reached] = [0, start];
  for (const span of spans) {
    const until = Math.min(span.end, end);
    total += Math.max(until - Math.max(span.start, reached), 0);
    reached = Math.max(reached, until);
  }
  return total;
}
