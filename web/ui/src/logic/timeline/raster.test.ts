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
import { bordersOf } from './borders';
import { above, rowAt, stretchOf, tileOf } from './chunks';
import { isLight, loadColour, mix, type Palette, pack, threadColours, unpack } from './colour';
import { type Paint, Row } from './raster';

const palette: Palette = {
  idle: pack('#ffffff'),
  busy: pack('#0000ff'),
  overload: pack('#000080'),
  wasted: pack('#ff8000'),
  waiting: pack('#ffff00'),
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
  return stretchOf(
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

  it('tells the slice at a time, by bisection', () => {
    expect(rowAt(slices, 0, 1099)).toBe(0);
    expect(rowAt(slices, 0, 1100)).toBe(1);
    expect(rowAt(slices, 0, 999)).toBe(-1);
    expect(rowAt(slices, 1, 1399)).toBe(3);
    expect(rowAt(slices, 0, 1400)).toBe(-1);
    expect(above(Float64Array.of(1, 3, 3, 5), 3, 0, 4)).toBe(3);
  });

  it('adds up to the busy time of every pixel, whatever the zoom', () => {
    for (const width of [3, 7, 40, 1000]) {
      const row = new Row(width);
      row.clear();
      row.addSlices(slices, 0, everything, { start: 1000, end: 1400, width }, plain, 1);
      const busy = row.busy.reduce((sum, share) => sum + share, 0) * (400 / width);
      expect(busy).toBeCloseTo(350, 2);
      expect(Math.max(...row.busy)).toBeLessThanOrEqual(1.0001);
    }
  });

  it('answers for its part only: two halves make the whole', () => {
    const frame = { start: 1000, end: 1400, width: 11 };
    const whole = new Row(11);
    whole.addSlices(slices, 0, everything, frame, plain, 1);
    const halves = new Row(11);
    halves.addSlices(slices, 0, { start: 1000, end: 1183 }, frame, plain, 1);
    halves.addSlices(slices, 0, { start: 1183, end: 1400 }, frame, plain, 1);
    halves.busy.forEach((share, x) => {
      expect(share).toBeCloseTo(whole.busy[x] as number, 4);
    });
  });

  it('shows unobserved time as such', () => {
    const row = new Row(4);
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

  it('blends threads that share a pixel, when the scheme tells them apart', () => {
    const row = new Row(1);
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
    const row = new Row(4);
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
    const row = new Row(8);
    const frame = { start: 1000, end: 1400, width: 8 };
    row.addSlices(stretch([[0, 0, 400, 0]]), 0, everything, frame, plain, 1);
    const wasted = stretchOf(
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

  it('has a border where a thread takes over from another, if both are wide enough', () => {
    const slices = stretch([
      [0, 0, 100, 1],
      [0, 100, 100, 2],
      [0, 200, 2, 1],
      [0, 202, 98, 2],
      [0, 300, 50, 0],
      [0, 350, 50, 1],
    ]);
    const frame = { start: 1000, end: 1400, width: 400 };
    expect(bordersOf(slices, 0, everything, frame)).toEqual([100]);
    expect(bordersOf(slices, 0, everything, { ...frame, width: 4000 })).toEqual([1000, 2000, 2020]);
    expect(bordersOf(slices, 0, { start: 1150, end: 1400 }, { ...frame, width: 4000 })).toEqual([2000, 2020]);
  });

  it('stacks waiting threads: a row for each that waits at once', () => {
    const row = new Row(4);
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

  it('fills the pixels of its bins, as far as it stands in for a part', () => {
    const row = new Row(8);
    row.addTile(tile, 0, span, { start: 50, end: 150 }, { start: 0, end: 400, width: 8 }, plain, 1);
    expect([...row.busy]).toEqual([0, 1, 0.5, 0, 0, 0, 0, 0]);
    expect([...row.waiting]).toEqual([0, 2, 0, 0, 0, 0, 0, 0]);
  });

  it('folds: lanes of a part of the machine share a row', () => {
    const row = new Row(4);
    for (const lane of [0, 1]) row.addTile(tile, lane, span, span, { start: 0, end: 400, width: 4 }, plain, 0.5);
    expect([...row.busy]).toEqual([0.5, 0.25, 0, 0]);
    expect([...row.wasted]).toEqual([0, 0.125, 0, 0.5]);
  });
});

describe('colours', () => {
  const load = { busy: 0, unobserved: 0, waiting: 0, wasted: 0 };

  it('tell idle, running, crowded and wasted apart', () => {
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
