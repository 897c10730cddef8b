// What was fetched, by key: asked for while it is wanted, dropped when the request is not wanted any more, kept by recency.
//
// Each frame says what it wants, the most urgent first; nothing is fetched that the last frame did not ask for, and the
// frame draws what is there.

export type Fetcher<T> = (key: string, signal: AbortSignal) => Promise<T>;

interface CacheEntry<T> {
  value: T;
  used: number;
}

export class Cache<T> {
  private readonly kept = new Map<string, CacheEntry<T>>();
  private readonly failed = new Map<string, { at: number; error: unknown }>();
  private readonly running = new Map<string, AbortController>();
  private wanted: ReadonlySet<string> = new Set();
  private clock = 0;

  /**
   * @param fetcher gets a value
   * @param arrived is called when a value came: time to draw again
   * @param most values to keep
   * @param atOnce requests under way at most
   */
  constructor(
    private readonly fetcher: Fetcher<T>,
    private readonly arrived: () => void,
    private readonly most = 400,
    private readonly atOnce = 6,
  ) {}

  /** The value if it is here. */
  get(key: string): T | undefined {
    const entry = this.kept.get(key);
    if (!entry) return undefined;
    entry.used = ++this.clock;
    return entry.value;
  }

  /** Whether anything is on its way. */
  get busy(): boolean {
    return this.running.size > 0;
  }

  /** Whether the last request for it failed. */
  hasFailed(key: string): boolean {
    return this.failed.has(key);
  }

  /** Why something that the last frame wanted is missing; null while nothing failed. */
  get error(): unknown {
    for (const key of this.wanted) {
      const failed = this.failed.get(key);
      if (failed) return failed.error;
    }
    return null;
  }

  /** Failed values may be requested again at once; they count as failed until they arrive. */
  retry(): void {
    for (const failed of this.failed.values()) failed.at = Number.NEGATIVE_INFINITY;
  }

  /** What the present frame wants: others' requests end, missing ones start, up to `atOnce`. */
  want(keys: readonly string[]): void {
    const wanted = new Set(keys);
    this.wanted = wanted;
    for (const [key, abort] of this.running) {
      if (wanted.has(key)) continue;
      abort.abort();
      this.running.delete(key);
    }
    for (const key of keys) {
      if (this.running.size >= this.atOnce) return;
      if (!this.kept.has(key) && !this.running.has(key) && this.mayTry(key)) void this.fetch(key);
    }
  }

  /** Ends every request. */
  close(): void {
    this.want([]);
  }

  /** A failed request is repeated after two seconds at the earliest. */
  private mayTry(key: string): boolean {
    const failed = this.failed.get(key);
    return failed === undefined || Date.now() - failed.at > 2000;
  }

  private async fetch(key: string): Promise<void> {
    const abort = new AbortController();
    this.running.set(key, abort);
    try {
      const value = await this.fetcher(key, abort.signal);
      this.failed.delete(key);
      this.kept.set(key, { value, used: ++this.clock });
      this.evict();
    } catch (error) {
      if (!abort.signal.aborted) this.failed.set(key, { at: Date.now(), error });
    } finally {
      if (this.running.get(key) === abort) this.running.delete(key);
      if (!abort.signal.aborted) this.arrived();
    }
  }

  private evict(): void {
    if (this.kept.size <= this.most) return;
    const byAge = [...this.kept].sort((a, b) => a[1].used - b[1].used);
    for (const [key] of byAge.slice(0, Math.ceil(this.most / 8))) this.kept.delete(key);
  }
}
