// What a report carries: answers of the server by their address, and stretches of the replay. Packed as gzip in base64.

import type { Table } from '../api/table';
import type { TraceSummary } from '../api/types';
import type { Span } from '../logic/place';
import { type Stretch, stretch } from '../replay/moves';
import { changesOf, cpuSpansOf, holdersOf, keyframeOf, wasteOf } from '../replay/source';

/** A table as the report writes it: numbers with null for NULL, texts as codes (-1: NULL) into values, lists as they are. */
export interface PackedTable {
  rows: number;
  meta: Record<string, string>;
  columns: Record<
    string,
    { n: (number | null)[]; int?: boolean } | { codes: number[]; values: string[] } | { items: unknown[] }
  >;
}

/** A stretch: times in ns since the trace's start; those of moves as differences from one to the next. */
export interface PackedStretch {
  start: number;
  end: number;
  state: PackedTable;
  moves: PackedTable;
  waste: PackedTable;
  unobserved: PackedTable;
  wasted_cpus: PackedTable;
  /** What held declared bubbles and their threads, where there are any. */
  holders: { state: PackedTable; moves: PackedTable } | null;
}

export interface Archive {
  version: string;
  trace: TraceSummary;
  /** Episodes that are carried in full, the worst first; of a range those that touch it. */
  episodes: number[];
  /** The range that the report is about, ns on the trace's clock; null: the whole trace. */
  range: Span | null;
  /** Pages of docs/causes about the rules that answer in these episodes, Markdown by `question/rule`. */
  rules: Record<string, string>;
  json: Record<string, unknown>;
  tables: Record<string, PackedTable>;
  stretches: PackedStretch[];
}

export async function unpack(base64: string): Promise<Archive> {
  const packed = Uint8Array.from(atob(base64.trim()), (c) => c.charCodeAt(0));
  const text = await new Response(new Blob([packed]).stream().pipeThrough(new DecompressionStream('gzip'))).text();
  return JSON.parse(text) as Archive;
}

export function tableOf(p: PackedTable): Table {
  const t: Table = { rows: p.rows, columns: {}, types: {}, meta: p.meta };
  for (const [name, c] of Object.entries(p.columns)) {
    if ('n' in c) t.columns[name] = Float64Array.from(c.n, (v) => v ?? Number.NaN);
    else if ('codes' in c) t.columns[name] = { codes: Int32Array.from(c.codes), values: c.values };
    else t.columns[name] = { items: c.items };
  }
  return t;
}

/** A table of moves: the differences become times again. */
function movesOf(p: PackedTable): Table {
  const moves = tableOf(p);
  const ts = moves.columns.ts_ns as Float64Array;
  for (let i = 1; i < ts.length; i++) ts[i] = (ts[i] as number) + (ts[i - 1] as number);
  return moves;
}

export function stretchOf(p: PackedStretch): Stretch {
  const held = p.holders;
  return stretch(
    p.start,
    p.end,
    keyframeOf(tableOf(p.state), 0),
    changesOf(movesOf(p.moves), 0),
    wasteOf(tableOf(p.waste), 0),
    cpuSpansOf(tableOf(p.unobserved), 0),
    held && holdersOf(tableOf(held.state), movesOf(held.moves), 0),
    cpuSpansOf(tableOf(p.wasted_cpus), 0),
  );
}
