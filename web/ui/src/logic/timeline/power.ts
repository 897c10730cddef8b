// Idle states and frequencies of CPUs in a window, and what is said of them.

import { numbers, type Table } from '../../api/table';
import type { Identity } from '../../api/types';
import { duration, moment } from '../units';
import { type CpuSpans, cpuSpansOf, spansWithin, timeIn } from './cpuSpans';

/** What of CPUs: as the API calls it. */
export type PowerOf = 'idle_state' | 'frequency';

/** The most that a trace has of it; null: it has none. */
export interface PowerRange {
  deepest: number | null;
  /** kHz. */
  highest: number | null;
}

export interface PowerSpans extends CpuSpans {
  /** Number of the idle state, or kHz. */
  value: Float64Array;
}

interface PowerSpan {
  start: number;
  end: number;
  value: number;
}

/** Of a recording; undefined: not known yet. */
export const powerRange = (identity: Identity | undefined): PowerRange => ({
  deepest: identity?.deepest_idle_state ?? null,
  highest: identity?.highest_khz ?? null,
});

export function powerSpansOf(table: Table, cpus: number): PowerSpans {
  const { spans, rows } = cpuSpansOf(table, cpus);
  const value = numbers(table, 'value');
  return { ...spans, value: Float64Array.from(rows, (row) => value[row] as number) };
}

/** The spans of a CPU that have any part in [start, end), in order. */
export const powerWithin = (
  stretches: readonly PowerSpans[],
  cpu: number,
  start: number,
  end: number,
): readonly PowerSpan[] =>
  spansWithin(stretches, cpu, start, end, (spans, row) => ({
    start: spans.start[row] as number,
    end: spans.end[row] as number,
    value: spans.value[row] as number,
  }));

/** How dark a state is drawn, the deepest of the trace at 1. */
export const shadeOf = (state: number, deepest: number): number =>
  state < deepest ? 0.25 + (0.75 * state) / deepest : 1;

/** `2.40 GHz`, `800 MHz`. */
export const frequencyWords = (khz: number): string =>
  khz >= 1e6 ? `${(khz / 1e6).toFixed(2)} GHz` : `${Math.round(khz / 1e3)} MHz`;

/** An instant within what was picked, and from when until when that is looked at. */
interface Picked {
  t: number;
  start: number;
  end: number;
}

/** Of the spans within what was picked: the one at its instant. */
function rowAt(name: string, spans: readonly PowerSpan[], { t }: Picked, origin: number, words: (n: number) => string) {
  return spans
    .filter((span) => span.start <= t && t < span.end)
    .map(({ start, end, value }): [string, string] => [
      name,
      `${words(value)} from ${moment(start - origin, 1000)} for ${duration(end - start)}`,
    ]);
}

/** The idle state at an instant, and for how long the CPU was in which one in what was picked. */
export function idleStateRows(spans: readonly PowerSpan[], picked: Picked, origin: number): [string, string][] {
  const rows = rowAt('idle state', spans, picked, origin, String);
  if (spans.length === rows.length) return rows;
  const states = [...new Set(spans.map(({ value }) => value))].sort((a, b) => a - b);
  const shares = states.map((state) => {
    const own = spans.filter(({ value }) => value === state);
    return `${state} for ${duration(timeIn(own, picked.start, picked.end))}`;
  });
  return [...rows, ['idle states in it', shares.join(', ')]];
}

/** The frequency at an instant, and the lowest and highest one in what was picked. */
export function frequencyRows(spans: readonly PowerSpan[], picked: Picked, origin: number): [string, string][] {
  const rows = rowAt('frequency', spans, picked, origin, frequencyWords);
  if (spans.length === rows.length) return rows;
  const values = spans.map(({ value }) => value);
  const [low, high] = [Math.min(...values), Math.max(...values)].map(frequencyWords);
  return [...rows, ['frequencies in it', `${low} to ${high}`]];
}
