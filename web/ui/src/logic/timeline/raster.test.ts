import {
  Table as ArrowTable,
  Float32,
  Int16,
  Int32,
  Int64,
  tableToIPC,
  Uint8,
  Uint16,
  vectorFromArray,
} from 'apache-arrow';
import { describe, expect, it } from 'vitest';
import type { Table } from '../../api/table';
import { decode } from '../../workers/decode';
import { addSliceRuns, addTileRuns, Runs } from './borders';
import { above, intervalsOf, rowAt, tileOf } from './chunks';
import { isLight, loadColour, mix, type Palette, pack, threadColours, unpack } from './colour';
import { blank, type Paint, PixelRow } from './raster';

const palette: Palette = {
  idle: pack('#ffffff'),
  busy: pack('#0000ff'),
  overload: pack('#000080'),
  wasted: pack('#ff8000'),
  waiting: pack('#ffff00'),
  blocked: pack('#ff00ff'),
  stopped: pack('#00ffff'),
  throttled: pack('#808000'),
  unobserved: pack('#808080'),
  ground: pack('#ffffff'),
  accent: pack('#00ff00'),
  heat: ['#000000', '#111111', '#222222', '#333333', '#444444', '#555555'].map(pack),
  kinds: ['#ff0000', '#00ff00'].map(pack),
};
const plain: Paint = {
  scheme: 'state',
  palette,
  threads: new Uint32Array([palette.idle, pack('#ff0000'), pack('#00ff00')]),
  highlight: false,
};

function sent(columns: Record<string, unknown>, meta: Record<string, string> = {}): Table {
  const table = decode(tableToIPC(new ArrowTable(columns as never), 'stream').slice().buffer as ArrayBuffer);
  return { ...table, meta };
}

/** Slices as [cpu, start, length, utid (null: unobserved)], counted from 1000. */
function stretch(rows: readonly [number, number, number, number | null][], truncated = false) {
  const column = (index: 0 | 1 | 2) => rows.map((row) => row[index]);
  return intervalsOf(
    sent(
      {
        cpu: vectorFromArray(column(0), new Int16()),
        start_ns: vectorFromArray(column(1).map(BigInt), new Int64()),
        dur_ns: vectorFromArray(column(2).map(BigInt), new Int64()),
        utid: vectorFromArray(
          rows.map((row) => row[3]),
          new Int32(),
        ),
        end_state: vectorFromArray(
          rows.map(() => 2),
          new Uint8(),
        ),
      },
      { origin_ns: '1000', truncated: String(truncated) },
    ),
    'end_state',
    2,
  );
}

const everything = { start: -1e9, end: 1e9 };

describe('a stretch of raw slices', () => {
  const slices = stretch([
    [0, 0, 100, 1],
    [1, 0, 400, 0],
    [0, 100, 50, 0],
    [0, 150, 250, 2],
    [7, 0, 10, 1],
  ]);

  it('is laid out by CPU, in time, on the trace’s clock', () => {
    expect([...slices.first]).toEqual([0, 3, 4]);
    expect([...slices.start]).toEqual([1000, 1100, 1150, 1000]);
    expect([...slices.end]).toEqual([1100, 1150, 1400, 1400]);
    expect([...slices.utid]).toEqual([1, 0, 2, 0]);
  });

  it('finds the slice at a time, by bisection', () => {
    expect(rowAt(slices, 0, 1099)).toBe(0);
    expect(rowAt(slices, 0, 1100)).toBe(1);
    expect(rowAt(slices, 0, 999)).toBe(-1);
    expect(rowAt(slices, 1, 1399)).toBe(3);
    expect(rowAt(slices, 0, 1400)).toBe(-1);
    expect(above(Float64Array.of(1, 3, 3, 5), 3, 0, 4)).toBe(3);
  });

  it('adds up to the busy time of every pixel, whatever the zoom', () => {
    for (const width of [3, 7, 40, 1000]) {
      const row = new PixelRow(width);
      row.clear();
      row.addSlices(slices, 0, everything, { start: 1000, end: 1400, width }, plain, 1);
      const busy = row.busy.reduce((sum, share) => sum + share, 0) * (400 / width);
      expect(busy).toBeCloseTo(350, 2);
      expect(Math.max(...row.busy)).toBeLessThanOrEqual(1.0001);
    }
  });

  it('answers for its part only: two halves make the whole', () => {
    const frame = { start: 1000, end: 1400, width: 11 };
    const whole = new PixelRow(11);
    whole.addSlices(slices, 0, everything, frame, plain, 1);
    const halves = new PixelRow(11);
    halves.addSlices(slices, 0, { start: 1000, end: 1183 }, frame, plain, 1);
    halves.addSlices(slices, 0, { start: 1183, end: 1400 }, frame, plain, 1);
    halves.busy.forEach((share, x) => {
      expect(share).toBeCloseTo(whole.busy[x] as number, 4);
    });
  });

  it('shows unobserved time as such', () => {
    const row = new PixelRow(4);
    row.addSlices(
      stretch([
        [0, 0, 200, null],
        [0, 200, 200, 1],
      ]),
      0,
      everything,
      { start: 1000, end: 1400, width: 4 },
      plain,
      1,
    );
    expect([...row.unobserved]).toEqual([1, 1, 0, 0]);
    const out = new Uint32Array(4);
    row.colours(out, 0, plain);
    expect([...out].map(unpack)).toEqual(['#808080', '#808080', '#0000ff', '#0000ff']);
  });

  it('blends threads that share a pixel, when the scheme distinguishes them', () => {
    const row = new PixelRow(1);
    const paint: Paint = { ...plain, scheme: 'thread' };
    row.addSlices(
      stretch([
        [0, 0, 200, 1],
        [0, 200, 200, 2],
      ]),
      0,
      everything,
      { start: 1000, end: 1400, width: 1 },
      paint,
      1,
    );
    const out = new Uint32Array(1);
    row.colours(out, 0, paint);
    expect(unpack(out[0] as number)).toBe('#7f7f00');
  });

  it('shows an episode’s idle CPUs as wasted, but for the time in which they ran', () => {
    const row = new PixelRow(4);
    row.addSlices(
      stretch([
        [0, 0, 100, 0],
        [0, 100, 100, 1],
        [0, 200, 200, 0],
      ]),
      0,
      everything,
      { start: 1000, end: 1400, width: 4 },
      plain,
      1,
    );
    row.addWastedIdle({ start: 1000, end: 1300 }, 0.75, { start: 1000, end: 1400, width: 4 });
    row.addWastedIdle({ start: 1000, end: 1100 }, 0.5, { start: 1000, end: 1400, width: 4 });
    expect([...row.wasted]).toEqual([0.75, 0, 0.75, 0]);
  });

  it('shows waste where the table has it, to the pixel, however long the idle slice is', () => {
    const row = new PixelRow(8);
    const frame = { start: 1000, end: 1400, width: 8 };
    row.addSlices(stretch([[0, 0, 400, 0]]), 0, everything, frame, plain, 1);
    const wasted = intervalsOf(
      sent(
        {
          cpu: vectorFromArray([0, 0, 1], new Int16()),
          start_ns: vectorFromArray([100n, 325n, 0n], new Int64()),
          dur_ns: vectorFromArray([100n, 25n, 400n], new Int64()),
        },
        { origin_ns: '1000' },
      ),
      null,
      2,
    );
    row.addWasted(wasted, 0, everything, frame, 1);
    expect([...row.wasted]).toEqual([0, 0, 1, 1, 0, 0, 0.5, 0]);
    for (const scheme of ['state', 'thread', 'process', 'cgroup', 'bubble', 'queue', 'wait'] as const) {
      const out = new Uint32Array(8);
      row.colours(out, 0, { ...plain, scheme });
      expect(unpack(out[2] as number), scheme).toBe('#ff8000');
      expect(unpack(out[0] as number), scheme).not.toBe('#ff8000');
    }
  });

  it('has after a clearing what a new one has, wherever it was written before', () => {
    let seed = 7;
    const roll = (most: number) => {
      seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31;
      return seed % most;
    };
    const frame = { start: 1000, end: 2000, width: 50 };
    const whole = { start: 1000, end: 2000 };
    const paints: Paint[] = [plain, { ...plain, scheme: 'thread' }, { ...plain, highlight: true }];
    const used = new PixelRow(frame.width);
    for (let round = 0; round < 200; round++) {
      const fresh = new PixelRow(frame.width);
      const kind = roll(5);
      const at = 1000 + roll(990);
      const rows = stretch([[0, at - 1000, 1 + roll(2000 - at), [null, 1, 2][roll(3)] as number | null]]);
      const span = { start: at, end: at + roll(300) };
      const paint = paints[roll(3)] as Paint;
      used.clear();
      if (kind === 3) used.writableWaiting().fill(0).fill(1, 3, 9);
      for (const row of kind === 4 ? [] : [used, fresh]) {
        if (kind === 3 && row === fresh) fresh.writableWaiting().fill(1, 3, 9);
        if (kind === 0 || kind === 3) row.addSlices(rows, 0, whole, frame, paint, 1);
        if (kind === 1) row.addWaits(rows, 0, whole, frame, 1);
        if (kind === 2) row.addWastedIdle(span, 0.5, frame);
      }
      for (const name of ['busy', 'unobserved', 'waiting', 'wasted'] as const) expect(used[name]).toEqual(fresh[name]);
      const [found, expected] = [new Uint32Array(frame.width).fill(1), new Uint32Array(frame.width)];
      used.colours(found, 0, paint);
      fresh.colours(expected, 0, paint);
      expect(found).toEqual(expected);
      expect(used.isEmpty).toBe(fresh.isEmpty);
      // Time of which nothing is said has the colour that its figures are mixed to.
      if (fresh.isEmpty) expect(new Set(found)).toEqual(new Set([blank(paint)]));
    }
  });

  it('stacks waiting threads: a row for each that waits at once', () => {
    const row = new PixelRow(4);
    const waits = stretch([
      [0, 0, 300, 1],
      [0, 100, 100, 2],
    ]);
    row.addWaits(waits, 0, everything, { start: 1000, end: 1400, width: 4 }, 1);
    const out = new Uint32Array(8);
    row.stack(out, 0, 0, palette.overload);
    row.stack(out, 4, 1, palette.overload);
    expect([...out].map((pixel) => pixel >>> 24)).toEqual([255, 255, 255, 0, 0, 255, 0, 0]);
  });
});

describe('borders', () => {
  const frame = { start: 1000, end: 5000, width: 400 }; // 10 ns a pixel
  const always = { start: 0, end: 99_999 };

  /** Of a lane on which threads (0 is idle) ran one after another, each for so many ns. */
  const lane = (...parts: [length: number, utid: number][]) => {
    let at = 0;
    return stretch(
      parts.map(([length, utid]) => {
        at += length;
        return [0, at - length, length, utid];
      }),
    );
  };
  const runsOf = (slices: ReturnType<typeof lane>, shown: typeof frame, part = always) => {
    const runs = new Runs();
    addSliceRuns(runs, slices, 0, part, shown);
    return runs;
  };
  const borders = (...parts: [length: number, utid: number][]) => runsOf(lane(...parts), frame).borders();

  it('lie where a thread takes over from another, if one of them is wide enough', () => {
    expect(borders([1000, 1], [1000, 2], [20, 1], [980, 2], [500, 0], [500, 1])).toEqual([100, 200]);
    const slices = lane([1000, 1], [1000, 2], [20, 1], [980, 2]);
    const near = { start: 2900, end: 3300, width: 400 };
    expect(runsOf(slices, near).borders()).toEqual([100, 120]);
    expect(runsOf(slices, near, { start: 3000, end: 3300 }).borders()).toEqual([120]);
  });

  it('are one, and not none, where less than a pixel lies between two long slices', () => {
    expect(borders([1000, 1], [5, 3], [1000, 2])).toEqual([100]);
    expect(borders([1000, 1], [2, 3], [2, 4], [1000, 2])).toEqual([100]);
    expect(borders([1000, 1], [1, 0], [1000, 2])).toHaveLength(1); // an idle gap too narrow to be seen
    expect(borders([1000, 1], [20, 0], [1000, 2])).toEqual([]); // one that is seen parts them itself
    expect(borders([1000, 1], [5, 3], [1000, 1])).toEqual([]); // one thread, for all that is seen
    expect(borders([1000, 1], [20, 3], [20, 4], [1000, 2])).toEqual([100, 104]);
    expect(borders(...Array.from({ length: 40 }, (_, i): [number, number] => [20, 1 + (i % 2)]))).toEqual([]);
    expect(
      borders([1000, 1], ...Array.from({ length: 40 }, (_, i): [number, number] => [5, 2 + (i % 2)]), [1000, 1]),
    ).toEqual([100, 120]);
  });

  it('are the same where a tile has shares as where the slices are known', () => {
    // Bins of 15 ns: 1.5 pixels each.
    const parts: [number, number][] = [
      [340, 1],
      [400, 2],
      [6, 3],
      [500, 1],
      [70, 0],
      [97, 2],
      [300, 1],
    ];
    const slices = lane(...parts);
    const columns = 120;
    const rows = Array.from({ length: columns }, (_, bin) => {
      const shares = new Map<number, number>();
      for (let row = 0; row < parts.length; row++) {
        const [from, to] = [slices.start[row] as number, slices.end[row] as number];
        const both = Math.min(to, 1000 + (bin + 1) * 15) - Math.max(from, 1000 + bin * 15);
        const utid = slices.utid[row] as number;
        if (both > 0 && utid > 0) shares.set(utid, (shares.get(utid) ?? 0) + both / 15);
      }
      return [...shares].sort((a, b) => b[1] - a[1]);
    });
    const rank = (n: number, what: 0 | 1) => rows.map((row) => row[n]?.[what] ?? 0);
    const zeros = new Float32Array(columns);
    const tile = tileOf(
      sent({
        lane: vectorFromArray(
          rows.map(() => 0),
          new Uint8(),
        ),
        bin: vectorFromArray(
          rows.map((_, bin) => bin),
          new Uint8(),
        ),
        busy: vectorFromArray(
          rows.map((row) => row.reduce((sum, [, share]) => sum + share, 0)),
          new Float32(),
        ),
        ...Object.fromEntries(
          ['idle', 'unobserved', 'waiting', 'wasted', 'migrations'].map((name) => [
            name,
            vectorFromArray([...zeros], new Float32()),
          ]),
        ),
        ...Object.fromEntries(
          [1, 2, 3, 4].flatMap((n) => [
            [`utid${n}`, vectorFromArray(rank(n - 1, 0), new Int32())],
            [`share${n}`, vectorFromArray(rank(n - 1, 1), new Float32())],
          ]),
        ),
      }),
      1,
      columns,
    );
    const runs = new Runs();
    addTileRuns(runs, tile, 0, { start: 1000, end: 1000 + columns * 15 }, always, frame);
    const exact = runsOf(slices, frame).borders();
    expect(exact).toEqual([34, 74, 141.3]);
    const found = runs.borders();
    expect(found).toHaveLength(exact.length);
    found.forEach((x, i) => {
      expect(Math.abs(x - (exact[i] as number))).toBeLessThan(0.7); // a bin holds three threads: within it
    });
    expect(runs.alone(0)).toBe(true);
  });
});

describe('a tile', () => {
  const tile = tileOf(
    sent({
      lane: vectorFromArray([0, 0, 1], new Uint8()),
      bin: vectorFromArray([0, 1, 3], new Uint8()),
      busy: vectorFromArray([1, 0.5, 0], new Float32()),
      idle: vectorFromArray([0, 0.5, 1], new Float32()),
      unobserved: vectorFromArray([0, 0, 0], new Float32()),
      waiting: vectorFromArray([2, 0, 0], new Float32()),
      wasted: vectorFromArray([null, 0.25, 1], new Float32()),
      migrations: vectorFromArray([3, 0, 0], new Uint16()),
      ...Object.fromEntries(
        [1, 2, 3, 4].map((rank) => [
          `utid${rank}`,
          vectorFromArray(rank === 1 ? [1, 2, null] : [null, null, null], new Int32()),
        ]),
      ),
      ...Object.fromEntries(
        [1, 2, 3, 4].map((rank) => [
          `share${rank}`,
          vectorFromArray(rank === 1 ? [1, 0.5, 0] : [0, 0, 0], new Float32()),
        ]),
      ),
    }),
    2,
    4,
  );
  const span = { start: 0, end: 400 };

  it('is dense: bins that were not sent were not observed, NULL is nothing', () => {
    expect([...tile.unobserved]).toEqual([0, 0, 1, 1, 1, 1, 1, 0]);
    expect([...tile.wasted]).toEqual([0, 0.25, 0, 0, 0, 0, 0, 1]);
    expect(tile.utids[4]).toBe(2);
  });

  it('fills the pixels of its bins, as far as it replaces a part', () => {
    const row = new PixelRow(8);
    row.addTile(tile, 0, span, { start: 50, end: 150 }, { start: 0, end: 400, width: 8 }, plain, 1);
    expect([...row.busy]).toEqual([0, 1, 0.5, 0, 0, 0, 0, 0]);
    expect([...row.waiting]).toEqual([0, 2, 0, 0, 0, 0, 0, 0]);
  });

  it('folds: lanes of a part of the machine share a row', () => {
    const row = new PixelRow(4);
    for (const lane of [0, 1]) row.addTile(tile, lane, span, span, { start: 0, end: 400, width: 4 }, plain, 0.5);
    expect([...row.busy]).toEqual([0.5, 0.25, 0, 0]);
    expect([...row.wasted]).toEqual([0, 0.125, 0, 0.5]);
  });
});

describe('colours', () => {
  const load = { busy: 0, unobserved: 0, waiting: 0, wasted: 0 };

  it('differ between idle, running, crowded and wasted', () => {
    expect(unpack(loadColour('state', load, palette))).toBe('#ffffff');
    expect(unpack(loadColour('state', { ...load, busy: 1 }, palette))).toBe('#0000ff');
    expect(unpack(loadColour('state', { ...load, busy: 1, waiting: 3 }, palette))).toBe('#000080');
    expect(unpack(loadColour('state', { ...load, wasted: 1 }, palette))).toBe('#ff8000');
  });

  it('climb the heat ramp by powers of two', () => {
    const steps = [0, 1, 2, 4, 8, 16, 1000].map((n) => unpack(loadColour('queue', { ...load, waiting: n }, palette)));
    expect(steps).toEqual(['#000000', '#111111', '#222222', '#333333', '#444444', '#555555', '#555555']);
  });

  it('are the same for a group wherever it turns up, and faded when others are looked for', () => {
    const names = { most: 2, label: String, hue: (utid: number) => (utid === 0 ? 0 : 1) };
    const all = threadColours(names, 'thread', palette, () => false);
    expect(all[1]).toBe(all[2]);
    expect(threadColours(names, 'thread', palette, (utid) => utid === 2)[2]).toBe(
      mix(all[2] as number, palette.idle, 0.82),
    );
  });

  it('are packed and unpacked alike, and refuse what tokens must not be', () => {
    expect(unpack(pack('#1a5ca8'))).toBe('#1a5ca8');
    expect(isLight(pack('#f0e060'))).toBe(true);
    expect(() => pack('red')).toThrow('not a colour');
  });
});
