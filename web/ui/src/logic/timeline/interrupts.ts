// Interrupt work of CPUs in a window: spans by CPU and time, which of them an instant belongs to, and what is said of them.

import { IRQ_KIND, type IrqKind } from '../../../../../schemas/ts/schema';
import { numbers, type Table } from '../../api/table';
import { duration, moment, plural } from '../units';
import { above } from './chunks';

/** Spans of all CPUs in a window, by CPU and then by start. Times in ns of the trace's clock. */
export interface Interrupts {
  /** Rows of CPU c: [first[c], first[c + 1]). */
  first: Int32Array;
  start: Float64Array;
  end: Float64Array;
  /** A code of `irq_kind`. */
  kind: Uint8Array;
  /** irq number or softirq vector of the longest part; -1 not recorded. */
  vector: Int32Array;
  /** Length of the longest one: none that starts earlier before an instant holds it. */
  longest: number;
  /** There are more than were sent. */
  truncated: boolean;
}

export interface Interrupt {
  cpu: number;
  start: number;
  end: number;
  kind: IrqKind;
  /** null: not recorded. */
  vector: number | null;
}

export function interruptsOf(table: Table, cpus: number): Interrupts {
  const origin = Number(table.meta.origin_ns ?? 0);
  const [cpu, from, length] = [numbers(table, 'cpu'), numbers(table, 'start_ns'), numbers(table, 'dur_ns')];
  const [kind, vector] = [numbers(table, 'kind'), numbers(table, 'vector')];
  const rows = Array.from({ length: table.rows }, (_, row) => row).filter((row) => (cpu[row] as number) < cpus);
  // Stable: within a CPU the rows stay in order of time.
  rows.sort((a, b) => (cpu[a] as number) - (cpu[b] as number));
  const first = new Int32Array(cpus + 1);
  for (const row of rows) first[(cpu[row] as number) + 1] = (first[(cpu[row] as number) + 1] as number) + 1;
  for (let c = 0; c < cpus; c++) first[c + 1] = (first[c + 1] as number) + (first[c] as number);
  const start = Float64Array.from(rows, (row) => origin + (from[row] as number));
  return {
    first,
    start,
    end: Float64Array.from(rows, (row, at) => (start[at] as number) + (length[row] as number)),
    kind: Uint8Array.from(rows, (row) => kind[row] as number),
    vector: Int32Array.from(rows, (row) => {
      const value = vector[row] as number;
      return Number.isNaN(value) ? -1 : value;
    }),
    longest: rows.reduce((most, row) => Math.max(most, length[row] as number), 0),
    truncated: table.meta.truncated === 'true',
  };
}

/** Rows of a CPU that may touch a span: [low, high). */
export function rowsBetween(spans: Interrupts, cpu: number, start: number, end: number): [number, number] {
  const low = spans.first[cpu] ?? 0;
  const high = spans.first[cpu + 1] ?? low;
  return [above(spans.start, start - spans.longest - 1, low, high), above(spans.start, end - 1, low, high)];
}

/** The spans of a CPU that have any part in [start, end), in order, each once though two stretches hold it. */
export function interruptsWithin(
  stretches: readonly Interrupts[],
  cpu: number,
  start: number,
  end: number,
): Interrupt[] {
  const found = new Map<number, Interrupt>();
  for (const spans of stretches) {
    const [low, high] = rowsBetween(spans, cpu, start, end);
    for (let row = low; row < high; row++) {
      const to = spans.end[row] as number;
      if (to <= start) continue;
      const from = spans.start[row] as number;
      const vector = spans.vector[row] as number;
      const kind = IRQ_KIND[spans.kind[row] as number] ?? 'mixed';
      found.set(from, { cpu, start: from, end: to, kind, vector: vector < 0 ? null : vector });
    }
  }
  return [...found.values()].sort((a, b) => a.start - b.start);
}

/** include/linux/interrupt.h: by the number of the softirq. */
const SOFTIRQS = ['HI', 'TIMER', 'NET_TX', 'NET_RX', 'BLOCK', 'IRQ_POLL', 'TASKLET', 'SCHED', 'HRTIMER', 'RCU'];

/** `softirq NET_RX`, `hard interrupt 24`. */
export function kindWords({ kind, vector }: Pick<Interrupt, 'kind' | 'vector'>): string {
  if (kind === 'mixed') return 'hard interrupt and softirq';
  if (kind === 'softirq') return vector === null ? 'softirq' : `softirq ${SOFTIRQS[vector] ?? vector}`;
  return vector === null ? 'hard interrupt' : `hard interrupt ${vector}`;
}

/** What a span is about, for its tooltip. */
export function interruptFacts(span: Interrupt, origin: number): { title: string; rows: [string, string][] } {
  const rows: [string, string][] = [
    ['kind', kindWords(span)],
    ['from', moment(span.start - origin, 1000)],
    ['for', duration(span.end - span.start)],
  ];
  return { title: `Interrupt work on CPU ${span.cpu}`, rows };
}

/** Of the spans within what was picked: the one at an instant, and how many there are for how long. */
export function interruptRows(
  spans: readonly Interrupt[],
  { t, start, end }: { t: number; start: number; end: number },
  origin: number,
): [string, string][] {
  const rows: [string, string][] = [];
  for (const span of spans.filter((item) => item.start <= t && t < item.end)) {
    const from = moment(span.start - origin, 1000);
    rows.push(['interrupt', `${kindWords(span)}, ${duration(span.end - span.start)} from ${from}`]);
  }
  if (spans.length > rows.length) {
    rows.push(['interrupts in it', `${plural(spans.length, 'span')}, ${duration(timeIn(spans, start, end))}`]);
  }
  return rows;
}

/** For how long there was any of the spans (in order of their starts) from `start` to `end`. */
function timeIn(spans: readonly Interrupt[], start: number, end: number): number {
  let [total, reached] = [0, start];
  for (const span of spans) {
    const until = Math.min(span.end, end);
    total += Math.max(until - Math.max(span.start, reached), 0);
    reached = Math.max(reached, until);
  }
  return total;
}
