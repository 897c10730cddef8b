import { expect, it } from 'vitest';
import { beside } from './beside';

const view = { left: 0, top: 50, width: 1280, height: 750 };
const size = { width: 340, height: 160 };

it('a box beside a part of the page covers nothing of it, or as little as possible', () => {
  const at = (left: number, top: number, width: number, height: number) => {
    const { left: x, top: y } = beside({ left, top, width, height }, size, view, 16);
    return [x, y];
  };
  expect(at(24, 100, 800, 400)).toEqual([840, 100]); // right of it
  expect(at(880, 100, 380, 600)).toEqual([524, 100]); // left
  expect(at(24, 100, 1232, 260)).toEqual([916, 376]); // below
  expect(at(24, 500, 1232, 260)).toEqual([916, 324]); // above
  expect(at(0, 100, 1280, 560)).toEqual([924, 624]); // a part that fills the page: where the box covers least, at the bottom
});
