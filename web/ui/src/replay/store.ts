// Stretches of the replay, fetched ahead of the player so that a frame never waits for the network.

import type { Span } from '../logic/place';
import type { Stretch } from './moves';

/** Where stretches come from: a server, or a report that carries a few. */
export interface StretchSource {
  /** The stretch an instant lies in; null where the source has none. */
  boundsAt(at: number): Span | null;
  load(bounds: Span, signal: AbortSignal): Promise<Stretch>;
  /** The nearest instant that the source has. */
  snap(at: number): number;
  /** Parts of the trace that the source has, in order; null: all of it. */
  readonly parts: readonly Span[] | null;
}

/** Changes of state that one stretch should have: small enough to come quickly, large enough to last. */
const CHANGES_PER_STRETCH = 12_000;
const MAX_STRETCHES = 24;

/** Length of the stretches of a trace's grid: a power of two µs, so that their addresses are the same for all clients. */
export function gridLength(changes: number, span_ns: number): number {
  const wanted = Math.max(1, span_ns / Math.max(1, changes / CHANGES_PER_STRETCH));
  return 1000 * 2 ** Math.max(0, Math.round(Math.log2(wanted / 1000)));
}

export const gridAt = (at: number, length: number, span: Span): Span => {
  const i = Math.floor(Math.min(Math.max(at, span.start), span.end - 1) / length);
  return { start: Math.max(span.start, i * length), end: Math.min(span.end, (i + 1) * length) };
};

interface StoreEntry {
  stretch: Stretch | null;
  error: string | null;
  used: number;
  promise: Promise<Stretch>;
}

export class StretchStore {
  private readonly entries = new Map<number, StoreEntry>();
  private readonly abort = new AbortController();
  private clock = 0;

  constructor(
    private readonly source: StretchSource,
    private readonly onArrival: () => void = () => {},
  ) {}

  /** The stretch around an instant if it is here. An instant on a boundary belongs to the later one. */
  peek(at: number): Stretch | null {
    const bounds = this.source.boundsAt(at);
    if (bounds === null) return null;
    const entry = this.entries.get(bounds.start);
    if (entry === undefined) return null;
    entry.used = ++this.clock;
    return entry.stretch;
  }

  /** Whether the source has anything at that instant. */
  has(at: number): boolean {
    return this.source.boundsAt(at) !== null;
  }

  snap(at: number): number {
    return this.source.snap(at);
  }

  errorAt(at: number): string | null {
    const bounds = this.source.boundsAt(at);
    return bounds === null ? null : (this.entries.get(bounds.start)?.error ?? null);
  }

  /** The stretch around an instant, fetched if need be, again if it could not be loaded. */
  async get(at: number): Promise<Stretch | null> {
    const bounds = this.source.boundsAt(at);
    if (bounds !== null && this.errorAt(at) !== null) this.entries.delete(bounds.start);
    return bounds === null ? null : this.fetch(bounds).promise;
  }

  /** Fetches the stretch at `at`, and those which `ahead` ns of playing that way will need. */
  want(at: number, direction: 1 | -1, ahead: number): void {
    let bounds = this.source.boundsAt(at);
    for (let i = 0; i < 6 && bounds !== null; i++) {
      this.fetch(bounds);
      const reached = direction > 0 ? bounds.end - at : at - bounds.start;
      if (i > 0 && reached > ahead) break;
      const next = this.source.boundsAt(direction > 0 ? bounds.end : bounds.start - 1);
      if (next === null || next.start === bounds.start) break;
      bounds = next;
    }
  }

  /** Whether the source has all of the trace. */
  get whole(): boolean {
    return this.source.parts === null;
  }

  /** What failed may be requested again. */
  retry(): void {
    for (const [key, entry] of this.entries) if (entry.error !== null) this.entries.delete(key);
  }

  close(): void {
    this.abort.abort();
  }

  private fetch(bounds: Span): StoreEntry {
    const had = this.entries.get(bounds.start);
    if (had !== undefined) return had; // what failed waits for `retry`: every frame asks
    const promise = this.source.load(bounds, this.abort.signal);
    const entry: StoreEntry = { stretch: null, error: null, used: ++this.clock, promise };
    this.entries.set(bounds.start, entry);
    promise.then(
      (s) => {
        entry.stretch = s;
        this.forget();
        this.onArrival();
      },
      (e: unknown) => {
        if (this.abort.signal.aborted) return;
        entry.error = e instanceof Error ? e.message : String(e);
        this.onArrival();
      },
    );
    return entry;
  }

  private forget(): void {
    while (this.entries.size > MAX_STRETCHES) {
      let oldest: number | null = null;
      let used = Number.POSITIVE_INFINITY;
      for (const [key, e] of this.entries) {
        if (e.stretch !== null && e.used < used) {
          used = e.used;
          oldest = key;
        }
      }
      if (oldest === null) return;
      this.entries.delete(oldest);
    }
  }
}
