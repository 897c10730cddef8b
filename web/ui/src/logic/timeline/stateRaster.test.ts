import { Table as ArrowTable, Float32, Int16, Int32, Int64, tableToIPC, Uint8, vectorFromArray } from 'apache-arrow';
import { describe, expect, it } from 'vitest';
import { decode } from '../../workers/decode';
import { laneTileOf, statesOf } from './chunks';
import { type Palette, pack } from './colour';
import { LANE_STATES, type LaneState, StateRow } from './stateRaster';

const sent = (columns: Record<string, unknown>, meta: Record<string, string> = {}) => {
  const table = decode(tableToIPC(new ArrowTable(columns as never), 'stream').slice().buffer as ArrayBuffer);
  return { ...table, meta };
};

/** Lane 0: runs 0-30 on CPU 2, waits 30-50 there, is blocked 50-90, asleep from 90 on. Lane 1: two threads run at once. */
const states = statesOf(
  sent(
    {
      lane: vectorFromArray([0, 1, 1, 0, 0, 0], new Int32()),
      utid: vectorFromArray([7, 8, 9, 7, 7, 7], new Int32()),
      start_ns: vectorFromArray([-10n, 0n, 0n, 30n, 50n, 90n], new Int64()),
      dur_ns: vectorFromArray([40n, 100n, 50n, 20n, 40n, 30n], new Int64()),
      phase: vectorFromArray([0, 0, 0, 2, 4, 3], new Uint8()),
      cpu: vectorFromArray([2, 0, 1, 2, null, null], new Int16()),
    },
    { origin_ns: '1000', truncated: 'false' },
  ),
  2,
);
const frame = { start: 1000, end: 1100, width: 10 };
const all = { start: 0, end: 2000 };
const sums = (row: StateRow, x: number) =>
  Object.fromEntries(LANE_STATES.map((state) => [state, row.at(state, x)]).filter(([, share]) => share !== 0));

describe('a lane of a thread', () => {
  it('has its states by lane and time, on the clock of the trace', () => {
    expect([...states.first]).toEqual([0, 4, 6]);
    expect([...states.start]).toEqual([990, 1030, 1050, 1090, 1000, 1000]);
    expect([...states.end]).toEqual([1030, 1050, 1090, 1120, 1100, 1050]);
    expect([...states.cpu]).toEqual([2, 2, -1, -1, 0, 1]);
    expect([...states.phase]).toEqual([0, 2, 4, 3, 0, 0]);
  });

  it('shows each state for the pixels in which it was', () => {
    const row = new StateRow(10);
    row.addStates(states, 0, all, frame);
    expect(sums(row, 0)).toEqual({ running: 1 });
    expect(sums(row, 2)).toEqual({ running: 1 });
    expect(sums(row, 3)).toEqual({ waiting: 1 });
    expect(sums(row, 5)).toEqual({ blocked: 1 });
    expect(sums(row, 9)).toEqual({ sleeping: 1 });
  });

  it('divides a pixel among the states in it, and shows nothing outside the part that was read', () => {
    const row = new StateRow(4);
    row.addStates(states, 0, { start: 1000, end: 1075 }, { start: 1000, end: 1100, width: 4 });
    expect(sums(row, 0)).toEqual({ running: 1 });
    expect(row.at('running', 1)).toBeCloseTo(0.2);
    expect(row.at('waiting', 1)).toBeCloseTo(0.8);
    expect(sums(row, 2)).toEqual({ blocked: 1 });
    expect(sums(row, 3)).toEqual({});
  });

  it('shows the same where states do not overlap and those before the frame are left out', () => {
    for (const [start, end] of [
      [1000, 1100],
      [1035, 1095],
      [1091, 1099],
    ] as const) {
      const [every, some] = [new StateRow(7), new StateRow(7)];
      every.addStates(states, 0, all, { start, end, width: 7 });
      some.addStates(states, 0, all, { start, end, width: 7 }, false);
      for (let x = 0; x < 7; x++) expect(sums(some, x)).toEqual(sums(every, x));
    }
  });

  it('of a group counts the threads that ran', () => {
    const row = new StateRow(10);
    row.addStates(states, 1, all, frame);
    expect(row.at('running', 0)).toBe(2);
    expect(row.at('running', 7)).toBe(1);
  });

  it('from a tile: bins to pixels, of the part that the tile stands in for', () => {
    const zeros = () => vectorFromArray([0, 0], new Float32());
    const tile = laneTileOf(
      sent({
        lane: vectorFromArray([0, 1], new Int32()),
        bin: vectorFromArray([1, 3], new Int32()),
        running: vectorFromArray([0.25, 2], new Float32()),
        waiting: vectorFromArray([0.75, 0], new Float32()),
        sleeping: zeros(), blocked: zeros(), stopped: zeros(), throttled: zeros(),
        cpu: vectorFromArray([5, null], new Int16()),
        cpu_share: vectorFromArray([0.25, null], new Float32()),
      }), // biome-ignore format: a table
      2,
      4,
    );
    expect([...tile.cpu]).toEqual([-1, 5, -1, -1, -1, -1, -1, -1]);
    const row = new StateRow(8);
    row.addTile(tile, 0, { start: 0, end: 400 }, { start: 0, end: 400 }, { start: 0, end: 400, width: 8 });
    expect([0, 1, 2, 3, 4].map((x) => row.at('running', x))).toEqual([0, 0, 0.25, 0.25, 0]);
    row.clear();
    row.addTile(tile, 1, { start: 0, end: 400 }, { start: 350, end: 400 }, { start: 0, end: 400, width: 8 });
    expect([5, 6, 7].map((x) => row.at('running', x))).toEqual([0, 0, 2]);
  });
});

describe('colours of a lane of a thread', () => {
  const colours: Record<LaneState, number> = {
    running: pack('#0000ff'), waiting: pack('#ffff00'), blocked: pack('#ff00ff'), stopped: pack('#00ffff'),
    throttled: pack('#808000'), sleeping: pack('#eeeeee'),
  }; // biome-ignore format: a table
  const ground = pack('#ffffff');

  it('are those of the state where there is one, the ground’s where none is known', () => {
    const row = new StateRow(12);
    row.addStates(states, 0, all, { start: 980, end: 1100, width: 12 });
    const out = new Uint32Array(12);
    row.colours(out, 0, colours, ground);
    expect(out[0]).toBe(ground);
    expect(out[1]).toBe(colours.running);
    expect(out[5]).toBe(colours.waiting);
    expect(out[8]).toBe(colours.blocked);
    expect(out[11]).toBe(colours.sleeping);
  });

  it('show a run or wait that is short against a pixel', () => {
    const row = new StateRow(1);
    row.addStates(states, 0, { start: 1029, end: 1090 }, { start: 1029, end: 1090, width: 1 });
    const out = new Uint32Array(1);
    row.colours(out, 0, colours, ground);
    expect(out[0]).not.toBe(colours.blocked);
    expect((out[0] as number) & 0xff).toBeLessThan(0xff); // less red than blocked: the run is mixed in
  });

  it('of a group: the heat map’s by running threads, and waiting in a row of its own', () => {
    const heat = ['#000000', '#101010', '#202020', '#303030', '#404040', '#505050'].map(pack);
    const palette = { heat, waiting: pack('#ffff00') } as unknown as Palette;
    const row = new StateRow(10);
    row.addStates(states, 1, all, frame);
    const out = new Uint32Array(20);
    row.loads(out, 0, 10, palette);
    expect(out[0]).toBe(heat[2]);
    expect(out[9]).toBe(heat[1]);
    expect(out[10]).toBe(0);
    row.clear();
    row.addStates(states, 0, all, frame);
    row.loads(out, 0, 10, palette);
    expect(out[14]).toBe(palette.waiting);
  });
});
