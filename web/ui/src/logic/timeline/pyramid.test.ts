import { describe, expect, it, vi } from 'vitest';
import { Cache } from './cache';
import { type Grid, levelFor, parentOf, rawLevel, tileRange, tileSpan, tileWidth } from './pyramid';
import { clamp, nsPerPixel, pan, ticks, toTime, toX, zoom } from './timescale';

const grid: Grid = { base_ns: 1000, levels: 5, start_ns: 5_000, end_ns: 1_000_000, columns: 64, lanes: 64 };

describe('the pyramid', () => {
  it('has bins of at least one pixel, down to raw slices', () => {
    expect(levelFor(grid, 999)).toBe(-1);
    expect(levelFor(grid, 1000)).toBe(0);
    expect(levelFor(grid, 1001)).toBe(1);
    expect(levelFor(grid, 1e9)).toBe(4);
    for (let ns = 1000; ns < 16_000; ns += 37) {
      const bin = grid.base_ns * 2 ** levelFor(grid, ns);
      expect(bin).toBeGreaterThanOrEqual(ns);
      expect(bin).toBeLessThan(2 * ns + 1);
    }
  });

  it('covers a window with tiles, none outside the trace', () => {
    expect(tileRange(grid, 0, { start: 5_000, end: 69_000 })).toEqual([0, 0]);
    expect(tileRange(grid, 0, { start: 68_999, end: 69_001 })).toEqual([0, 1]);
    expect(tileRange(grid, 0, { start: -1e9, end: 1e9 })).toEqual([0, 15]);
    expect(tileRange(grid, 0, { start: 2e6, end: 3e6 })).toBeNull();
    expect(tileSpan(grid, 1, 2)).toEqual({ start: 5_000 + 2 * 128_000, end: 5_000 + 3 * 128_000 });
  });

  it('goes on below the base bin with halves', () => {
    expect(tileWidth(grid, -1)).toBe(tileWidth(grid, 0));
    expect(tileWidth(grid, -2)).toBe(tileWidth(grid, 0) / 2);
    expect(rawLevel(grid, { start: 0, end: 64_000 })).toBe(-1);
    expect(rawLevel(grid, { start: 0, end: 1_000_000 })).toBe(-1);
    expect(rawLevel(grid, { start: 0, end: 16_000 })).toBe(-3);
    expect(tileWidth(grid, -3)).toBe(16_000);
    for (const [level, x] of [
      [-3, 7],
      [-2, 5],
      [-1, 9],
      [0, 3],
    ] as const) {
      const [up, index] = parentOf(level, x);
      const inner = tileSpan(grid, level, x);
      const outer = tileSpan(grid, up, index);
      expect(outer.start).toBeLessThanOrEqual(inner.start);
      expect(outer.end).toBeGreaterThanOrEqual(inner.end);
    }
  });
});

describe('the time scale', () => {
  const bounds = { start: 1000, end: 1_001_000 };

  it('keeps what is under the pointer when zooming', () => {
    const before = { start: 101_000, end: 301_000 };
    const after = zoom(before, 2, 0.25, bounds);
    expect(after).toEqual({ start: 126_000, end: 226_000 });
    expect(zoom(after, 0.5, 0.25, bounds)).toEqual(before);
  });

  it('stays inside the trace and above the shortest span', () => {
    expect(zoom(bounds, 0.1, 0.5, bounds)).toEqual(bounds);
    expect(pan({ start: 1000, end: 2000 }, -3, bounds)).toEqual({ start: 1000, end: 2000 });
    expect(pan({ start: 1_000_000, end: 1_001_000 }, 0.5, bounds)).toEqual({ start: 1_000_000, end: 1_001_000 });
    const least = zoom({ start: 5000, end: 5300 }, 1e6, 0.5, bounds);
    expect(least.end - least.start).toBe(200);
    expect(clamp({ start: -50, end: 5e9 }, bounds)).toEqual(bounds);
  });

  it('maps pixels and times both ways', () => {
    const frame = { start: 69_384_073_350, end: 69_384_074_350, width: 500 };
    expect(toTime(frame, toX(frame, 69_384_073_777))).toBe(69_384_073_777);
    expect(nsPerPixel(frame)).toBe(2);
  });

  it('labels ticks so that neighbours differ', () => {
    const origin = 69_384_073_350;
    for (const length of [200, 5_000, 70_000, 3e6, 4e7, 3.4e9, 6e10, 4e12]) {
      const frame = { start: origin + 564_386_600, end: origin + 564_386_600 + length, width: 1200 };
      const labels = ticks(frame, origin).map((tick) => tick.label);
      expect(labels.length).toBeGreaterThan(3);
      expect(labels.length).toBeLessThan(25);
      expect(new Set(labels).size).toBe(labels.length);
    }
    expect(ticks({ start: 0, end: 1e9, width: 500 }, 0).map((tick) => tick.label)).toEqual(['0', '0.5 s', '1.0 s']);
  });
});

describe('the cache', () => {
  const settle = () => new Promise((resolve) => setTimeout(resolve, 0));

  it('fetches what is wanted once, the urgent first, so many at once', async () => {
    const asked: string[] = [];
    const cache = new Cache(
      (key) => Promise.resolve(asked.push(key) && key.length),
      () => {},
      10,
      2,
    );
    cache.want(['aa', 'b', 'c']);
    expect(asked).toEqual(['aa', 'b']);
    await settle();
    cache.want(['aa', 'b', 'c']);
    expect(asked).toEqual(['aa', 'b', 'c']);
    expect(cache.get('aa')).toBe(2);
  });

  it('ends requests that the next frame does not want', async () => {
    const signals: AbortSignal[] = [];
    const drawn = vi.fn();
    const cache = new Cache((_, signal) => {
      signals.push(signal);
      return new Promise<number>(() => {});
    }, drawn);
    cache.want(['a', 'b']);
    cache.want(['b']);
    expect(signals.map((signal) => signal.aborted)).toEqual([true, false]);
    expect(drawn).not.toHaveBeenCalled();
  });

  it('forgets what was not used for longest, and does not hammer what failed', async () => {
    let tries = 0;
    const cache = new Cache(
      (key) => {
        tries++;
        return key === 'bad' ? Promise.reject(new Error('no')) : Promise.resolve(1);
      },
      () => {},
      8,
      20,
    );
    const keys = ['1', '2', '3', '4', '5', '6', '7', '8'];
    cache.want(keys);
    await settle();
    cache.get('1');
    cache.want(['9']);
    await settle();
    expect(cache.get('1')).toBe(1);
    expect(cache.get('2')).toBeUndefined();
    tries = 0;
    cache.want(['bad']);
    await settle();
    cache.want(['bad']);
    await settle();
    expect(tries).toBe(1);
  });
});
