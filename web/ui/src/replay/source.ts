// Stretches out of the server's answers.

import { numbers, type Table, type Texts } from '../api/table';
import type { Span } from '../logic/place';
import { ENDED, type HolderRows, type HolderStretch } from './holders';
import {
  type Changes,
  type CpuSpans,
  type Keyframe,
  pathCode,
  type Stretch,
  stretch,
  UNKNOWN,
  type WasteIntervals,
} from './moves';
import { gridAt, type StretchSource } from './store';

/** Rows asked for at once; a stretch with more is fetched in parts. */
const MAX_CHANGES = 100_000;

export interface ReplayApi {
  state(at_ns: number, signal: AbortSignal): Promise<Table>;
  moves(start_ns: number, end_ns: number, limit: number, signal: AbortSignal): Promise<Table>;
  waste(start_ns: number, end_ns: number, signal: AbortSignal): Promise<Table>;
  unobserved(start_ns: number, end_ns: number, signal: AbortSignal): Promise<Table>;
  wastedCpus(start_ns: number, end_ns: number, signal: AbortSignal): Promise<Table>;
  /** Holders of declared bubbles; absent where they are not to be shown. */
  holders?: {
    state(at_ns: number, signal: AbortSignal): Promise<Table>;
    moves(start_ns: number, end_ns: number, signal: AbortSignal): Promise<Table>;
  };
}

const code = (value: number): number => (Number.isNaN(value) ? UNKNOWN : value);
const cpuOr = (value: number): number => (Number.isNaN(value) ? -1 : value);

export function keyframeOf(t: Table, origin_ns: number): Keyframe {
  return {
    utid: Int32Array.from(numbers(t, 'utid')),
    phase: Uint8Array.from(numbers(t, 'phase'), code),
    cpu: Int16Array.from(numbers(t, 'cpu'), cpuOr),
    since: Float64Array.from(numbers(t, 'since_ns'), (ns) => ns - origin_ns),
  };
}

export function changesOf(t: Table, origin_ns: number): Changes {
  const path = t.columns.path as Texts | Float64Array | undefined;
  const codes = path !== undefined && 'values' in path && 'codes' in path ? path.codes : null;
  const known = codes === null ? [] : (path as Texts).values.map(pathCode);
  return {
    ts: Float64Array.from(numbers(t, 'ts_ns'), (ns) => ns - origin_ns),
    utid: Int32Array.from(numbers(t, 'utid')),
    phase: Uint8Array.from(numbers(t, 'phase'), code),
    cpu: Int16Array.from(numbers(t, 'cpu'), cpuOr),
    path: codes === null ? new Uint8Array(t.rows) : Uint8Array.from(codes, (c) => (c < 0 ? 0 : known[c]!)),
  };
}

const spanOf = (t: Table, origin_ns: number) => {
  const start = Float64Array.from(numbers(t, 'start_ns'), (ns) => ns - origin_ns);
  return { start, end: Float64Array.from(numbers(t, 'dur_ns'), (ns, i) => start[i]! + ns) };
};
export const wasteOf = (t: Table, origin_ns: number): WasteIntervals => ({
  ...spanOf(t, origin_ns),
  wasted: Int32Array.from(numbers(t, 'wasted')),
  certain: Int32Array.from(numbers(t, 'certain')),
});
export const cpuSpansOf = (t: Table, origin_ns: number): CpuSpans => ({
  ...spanOf(t, origin_ns),
  cpu: Int16Array.from(numbers(t, 'cpu')),
});

const whole = (t: Table, name: string, none: number): Int32Array =>
  Int32Array.from(numbers(t, name), (v) => (Number.isNaN(v) ? none : v));
const holderRows = (t: Table, from = ''): HolderRows => ({
  utid: whole(t, 'utid', -1),
  bubble: whole(t, 'bubble_id', -1),
  holder: Uint8Array.from(numbers(t, `${from}holder`), (v) => (Number.isNaN(v) ? ENDED : v)),
  id: whole(t, `${from}holder_id`, -1),
  state: Uint8Array.from(numbers(t, `${from}state`), (v) => (Number.isNaN(v) ? 0 : v)),
});
export function holdersOf(state: Table, moves: Table, origin_ns: number): HolderStretch {
  const was = holderRows(moves, 'from_');
  return {
    at: holderRows(state),
    moves: {
      ...holderRows(moves),
      ts: Float64Array.from(numbers(moves, 'ts_ns'), (ns) => ns - origin_ns),
      wasHolder: was.holder,
      wasId: was.id,
      wasState: was.state,
    },
  };
}

const joined = (parts: Changes[]): Changes => {
  const n = parts.reduce((s, p) => s + p.ts.length, 0);
  const all: Changes = {
    ts: new Float64Array(n),
    utid: new Int32Array(n),
    phase: new Uint8Array(n),
    cpu: new Int16Array(n),
    path: new Uint8Array(n),
  };
  let at = 0;
  for (const p of parts) {
    all.ts.set(p.ts, at);
    all.utid.set(p.utid, at);
    all.phase.set(p.phase, at);
    all.cpu.set(p.cpu, at);
    all.path.set(p.path, at);
    at += p.ts.length;
  }
  return all;
};

/** The whole trace, in a grid of stretches of one length. */
export class ServerSource implements StretchSource {
  constructor(
    private readonly api: ReplayApi,
    private readonly origin_ns: number,
    private readonly span: Span,
    private readonly length: number,
  ) {}

  readonly parts = null;

  snap(at: number): number {
    return at;
  }

  boundsAt(at: number): Span | null {
    return at < this.span.start || at > this.span.end ? null : gridAt(at, this.length, this.span);
  }

  async load(b: Span, signal: AbortSignal): Promise<Stretch> {
    const origin = this.origin_ns;
    const [from, to] = [b.start + origin, b.end + origin];
    const held = this.api.holders;
    const [state, parts, waste, unobserved, wasted, at, then] = await Promise.all([
      this.api.state(from, signal),
      this.changes(b, signal),
      this.api.waste(from, to, signal),
      this.api.unobserved(from, to, signal),
      this.api.wastedCpus(from, to, signal),
      held?.state(from, signal),
      held?.moves(from, to, signal),
    ]);
    const holders = at && then ? holdersOf(at, then, origin) : null;
    const changes = joined(parts);
    const [intervals, unseen] = [wasteOf(waste, origin), cpuSpansOf(unobserved, origin)];
    const cpus = cpuSpansOf(wasted, origin);
    return stretch(b.start, b.end, keyframeOf(state, origin), changes, intervals, unseen, holders, cpus);
  }

  /** A part that was cut short may have been cut within one instant: that instant is asked for again. */
  private async changes(b: Span, signal: AbortSignal): Promise<Changes[]> {
    const parts: Changes[] = [];
    let from = b.start;
    for (let limit = MAX_CHANGES; ; ) {
      const t = await this.api.moves(from + this.origin_ns, b.end + this.origin_ns, limit, signal);
      const c = changesOf(t, this.origin_ns);
      const last = c.ts[c.ts.length - 1];
      if (t.meta.truncated !== 'true' || last === undefined) return [...parts, c];
      let whole = c.ts.length;
      while (whole > 0 && c.ts[whole - 1] === last) whole--;
      if (whole === 0) {
        limit *= 2;
        continue;
      }
      parts.push({
        ts: c.ts.subarray(0, whole),
        utid: c.utid.subarray(0, whole),
        phase: c.phase.subarray(0, whole),
        cpu: c.cpu.subarray(0, whole),
        path: c.path.subarray(0, whole),
      });
      from = c.ts[whole - 1]!;
    }
  }
}

/** Stretches that are here already, as in a report. */
export class ArchiveSource implements StretchSource {
  private readonly kept: Stretch[];
  readonly parts: readonly Span[];
  constructor(kept: readonly Stretch[]) {
    this.kept = [...kept].sort((a, b) => a.start - b.start);
    this.parts = this.kept.map(({ start, end }) => ({ start, end }));
  }
  snap(at: number): number {
    let best = at;
    let far = Number.POSITIVE_INFINITY;
    for (const { start, end } of this.kept) {
      const inside = Math.min(Math.max(at, start), end);
      if (Math.abs(inside - at) >= far) continue;
      far = Math.abs(inside - at);
      best = inside;
    }
    return best;
  }
  boundsAt(at: number): Span | null {
    return this.find(at);
  }
  /** The same without the holders of declared bubbles: for other bubbles. */
  plain(): ArchiveSource {
    return new ArchiveSource(this.kept.map((s) => ({ ...s, holders: null })));
  }
  async load(b: Span): Promise<Stretch> {
    const s = this.find(b.start);
    if (s === null) throw new Error('this part of the trace is not in the report');
    return s;
  }
  private find(at: number): Stretch | null {
    return this.kept.find((s) => at >= s.start && at < s.end) ?? this.kept.find((s) => at === s.end) ?? null;
  }
}
