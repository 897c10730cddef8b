import { beforeAll, expect, it, vi } from 'vitest';
import type { Bookmark } from '../../logic/place';

vi.stubGlobal('location', { hash: '' });
vi.stubGlobal('window', { addEventListener: () => {}, innerWidth: 1280 });
let marking: typeof import('./marking');
beforeAll(async () => {
  marking = await import('./marking');
});
const marks: Bookmark[] = [100, 500, 900].map((t) => ({ t, text: '' }));

it('goes to the bookmark after or before what is in sight, and from one to the next', () => {
  const beside = (middle: number, direction: 1 | -1) =>
    marking.bookmarkBeside(marks, { start: middle - 50, end: middle + 50 }, direction)?.t ?? null;
  expect([beside(0, 1), beside(100, 1), beside(500, 1), beside(900, 1)]).toEqual([100, 500, 900, null]);
  expect([beside(1000, -1), beside(900, -1), beside(500, -1), beside(100, -1)]).toEqual([900, 500, 100, null]);
});

it('moves an end of the range, whose other end stays; past it the range reaches as far as what is in sight', () => {
  const sight = { start: 0, end: 1000 };
  expect(marking.rangeWithEnd(null, 'start', 300, sight)).toEqual({ start: 300, end: 1000, cpus: null });
  const range = { start: 300, end: 700, cpus: null, lanes: ['t4'] };
  expect(marking.rangeWithEnd(range, 'end', 600, sight)).toEqual({ ...range, end: 600 });
  expect(marking.rangeWithEnd(range, 'start', 800, sight)).toEqual({ ...range, start: 800, end: 1000 });
  expect(marking.rangeWithEnd(range, 'end', 200, sight)).toEqual({ ...range, start: 0, end: 200 });
});
