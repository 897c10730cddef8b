import { describe, expect, it } from 'vitest';
import type { Tile } from './chunks';
import { blank, type Paint, PixelRow } from './raster';
import { binsOfPixels, copyBins, TileColours } from './tileColours';

const COLUMNS = 8;
/** The last of which has nothing. */
const LANES = 3;
const FULL = COLUMNS * (LANES - 1);
const palette = {
  idle: 0xff101010, busy: 0xff00ff00, overload: 0xff0000ff, wasted: 0xffff0000, waiting: 0xff00ffff, blocked: 0xff220022, stopped: 0xff222222, throttled: 0xff002222,
  unobserved: 0xff808080, ground: 0xffffffff, accent: 0xff123456, heat: [0xff000000, 0xff404040, 0xff8080ff], kinds: [],
}; // biome-ignore format: a table
const values = (of: (at: number) => number) =>
  Float32Array.from({ length: COLUMNS * LANES }, (_, at) => (at < FULL ? of(at) : 0));
const tile: Tile = {
  kind: 'tile',
  columns: COLUMNS,
  busy: values((at) => (at % 5) / 5),
  idle: values((at) => 1 - (at % 5) / 5),
  unobserved: values((at) => (at === 3 ? 1 : 0)),
  waiting: values((at) => at % 3),
  wasted: values((at) => (at % 7 === 6 ? 0.2 : 0)),
  migrations: values(() => 0),
  utids: Int32Array.from({ length: COLUMNS * LANES * 4 }, (_, at) => (at % 4 === 0 ? 1 + ((at >> 2) % 2) : 0)),
  shares: Float32Array.from({ length: COLUMNS * LANES * 4 }, (_, at) => (at % 4 === 0 ? ((at >> 2) % 5) / 5 : 0)),
};
const paints = (['state', 'queue', 'wait', 'thread'] as const).flatMap((scheme) =>
  [false, true].map(
    (highlight) => ({ scheme, palette, threads: Uint32Array.of(0, 0xff2244ff, 0xffff4422), highlight }) as Paint,
  ),
);

/** Windows over the tile and beside it, whole and in part, with bins of one pixel and of several. */
const frames = [
  { start: 0, end: 800, width: 8 },
  { start: 0, end: 800, width: 37 },
  { start: 130, end: 470, width: 61 },
  { start: -300, end: 1100, width: 23 },
];
const SPAN = { start: 0, end: 800 };

describe.each(paints)('colours of bins, scheme $scheme, highlight $highlight', (paint) => {
  it.each(frames)('are those of the row that adds the figures up: $start to $end in $width pixels', (frame) => {
    const colours = new TileColours();
    for (const part of [SPAN, { start: 200, end: 600 }]) {
      for (let lane = 0; lane < LANES; lane++) {
        const row = new PixelRow(frame.width);
        row.addTile(tile, lane, SPAN, part, frame, paint, 1);
        const expected = new Uint32Array(frame.width);
        row.colours(expected, 0, paint);
        const found = new Uint32Array(frame.width).fill(blank(paint));
        const bins = new Int32Array(frame.width);
        const covered = binsOfPixels(COLUMNS, SPAN, part, frame, bins);
        const mixed = colours.of(tile, paint);
        copyBins(mixed.colours, lane * COLUMNS, bins, covered, found, 0);
        expect(mixed.empty[lane]).toBe(Number(lane === LANES - 1));
        expect(found).toEqual(expected);
        const waiting = new Float32Array(frame.width);
        copyBins(tile.waiting, lane * COLUMNS, bins, covered, waiting, 0);
        expect(waiting).toEqual(row.waiting);
      }
    }
  });
});
