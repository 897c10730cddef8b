import { describe, expect, it } from 'vitest';
import type { Table } from '../../api/table';
import { rowsBetween } from './cpuSpans';
import { interruptFacts, interruptRows, interruptsOf, interruptsWithin, kindWords } from './interrupts';

const none = Number.NaN;
const NAMES = ['cpu', 'start_ns', 'dur_ns', 'kind', 'vector'];

function table(rows: number[][], meta: Record<string, string> = {}): Table {
  const columns = NAMES.map((name, at) => [name, Float64Array.from(rows, (row) => row[at] as number)] as const);
  return { rows: rows.length, columns: Object.fromEntries(columns), types: {}, meta: { origin_ns: '1000', ...meta } };
}

/** A long one on CPU 1 that began before the window; two on CPU 0; one of a CPU that the machine lacks. */
const ROWS = [
  [1, -50, 400, 1, 3],
  [0, 10, 30, 0, 24],
  [1, 100, 40, 1, 7],
  [0, 200, 60, 2, 1],
  [9, 300, 50, 1, 1],
];
const spans = interruptsOf(table(ROWS), 2);

describe('interrupts of a window', () => {
  it('are by CPU and time, on the clock of the trace', () => {
    expect([...spans.first]).toEqual([0, 2, 4]);
    expect([...spans.start]).toEqual([1010, 1200, 950, 1100]);
    expect([...spans.end]).toEqual([1040, 1260, 1350, 1140]);
    expect([spans.longest, spans.truncated]).toEqual([400, false]);
    expect(interruptsOf(table(ROWS, { truncated: 'true' }), 2).truncated).toBe(true);
  });

  it('within a span are those with any part in it, as a scan of all finds them', () => {
    for (let start = 900; start < 1400; start += 7) {
      for (const end of [start + 1, start + 60, start + 500]) {
        for (const cpu of [0, 1, 2]) {
          const expected = ROWS.filter(([c = 0, from = 0, dur = 0]) => {
            const [a, b] = [1000 + from, 1000 + from + dur];
            return c === cpu && cpu < 2 && a < end && b > start;
          }).map(([, from = 0]) => 1000 + from);
          expect(interruptsWithin([spans, spans], cpu, start, end).map((span) => span.start)).toEqual(expected);
          const [low, high] = rowsBetween(spans, cpu, start, end);
          expect(high - low).toBeGreaterThanOrEqual(expected.length);
        }
      }
    }
  });
});

describe('words of interrupts', () => {
  it('name the kind and what it was of', () => {
    expect(kindWords({ kind: 'softirq', vector: 3 })).toBe('softirq NET_RX');
    expect(kindWords({ kind: 'softirq', vector: 12 })).toBe('softirq 12');
    expect(kindWords({ kind: 'softirq', vector: null })).toBe('softirq');
    expect(kindWords({ kind: 'hardirq', vector: 24 })).toBe('hard interrupt 24');
    expect(kindWords({ kind: 'mixed', vector: 24 })).toBe('hard interrupt and softirq');
    const [, second] = interruptsWithin([spans], 1, 1000, 1200);
    expect(second && interruptFacts(second, 1000)).toEqual({
      title: 'Interrupt work on CPU 1',
      rows: [
        ['kind', 'softirq SCHED'],
        ['from', '+0.000000 s'],
        ['for', '40 ns'],
      ],
    });
    expect(kindWords(interruptsWithin([interruptsOf(table([[0, 0, 30, 0, none]]), 1)], 0, 0, 2000)[0] as never)).toBe(
      'hard interrupt',
    );
  });

  it('of a slice are the one at the instant, and how many for how long without counting time twice', () => {
    const both = interruptsWithin([spans], 1, 1000, 1200);
    expect(interruptRows(both, { t: 1120, start: 1000, end: 1200 }, 1000)).toEqual([
      ['interrupt', 'softirq NET_RX, 400 ns from −0.000000 s'],
      ['interrupt', 'softirq SCHED, 40 ns from +0.000000 s'],
    ]);
    expect(interruptRows(both, { t: 1050, start: 1000, end: 1200 }, 1000).at(-1)).toEqual([
      'interrupts in it',
      '2 spans, 200 ns',
    ]);
    expect(interruptRows([], { t: 5, start: 0, end: 9 }, 0)).toEqual([]);
    const alone = interruptsWithin([spans], 0, 1000, 1300);
    expect(interruptRows(alone, { t: 1150, start: 1000, end: 1300 }, 1000)).toEqual([
      ['interrupts in it', '2 spans, 90 ns'],
    ]);
  });
});
