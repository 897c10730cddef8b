// Interrupt work of CPUs in a window: what it was, and what is said of it.

import { IRQ_KIND, type IrqKind } from '../../../../../schemas/ts/schema';
import { numbers, type Table } from '../../api/table';
import { duration, moment, plural } from '../units';
import { type CpuSpans, cpuSpansOf, spansWithin, timeIn } from './cpuSpans';

export interface Interrupts extends CpuSpans {
  /** A code of `irq_kind`. */
  kind: Uint8Array;
  /** irq number or softirq vector of the longest part; -1 not recorded. */
  vector: Int32Array;
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
  const { spans, rows } = cpuSpansOf(table, cpus);
  const [kind, vector] = [numbers(table, 'kind'), numbers(table, 'vector')];
  return {
    ...spans,
    kind: Uint8Array.from(rows, (row) => kind[row] as number),
    vector: Int32Array.from(rows, (row) => {
      const value = vector[row] as number;
      return Number.isNaN(value) ? -1 : value;
    }),
  };
}

/** The spans of a CPU that have any part in [start, end), in order, each once though two stretches hold it. */
export const interruptsWithin = (
  stretches: readonly Interrupts[],
  cpu: number,
  start: number,
  end: number,
): Interrupt[] =>
  spansWithin(stretches, cpu, start, end, (spans, row) => {
    const vector = spans.vector[row] as number;
    return {
      cpu,
      start: spans.start[row] as number,
      end: spans.end[row] as number,
      kind: IRQ_KIND[spans.kind[row] as number] ?? 'mixed',
      vector: vector < 0 ? null : vector,
    };
  });

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
