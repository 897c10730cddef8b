import { expect, it } from 'vitest';
import { drawLabel, partsOfLabel } from './labels';

it('a name across a dark and a light stretch has the colour that reads on each, and ends with its slice', () => {
  const parts = partsOfLabel(10, 40, 2, (pixel) => pixel >= 50);
  expect(parts).toEqual([
    { from: 10, to: 25, light: false },
    { from: 25, to: 40, light: true },
  ]);
  const drawn: unknown[] = [];
  let clip: number[] = [];
  const pen = {
    fillStyle: '' as unknown,
    save() {},
    restore() {},
    beginPath() {},
    rect(x: number, _: number, width: number) {
      clip = [x, x + width];
    },
    clip() {},
    fillText(text: string, x: number) {
      drawn.push([text, x, clip, pen.fillStyle]);
    },
  };
  drawLabel(pen, 'alpha', 12, 20, parts);
  expect(drawn).toEqual([
    ['alpha', 12, [10, 25], '#ffffff'],
    ['alpha', 12, [25, 40], '#10151c'],
  ]);
});

it('a name on a pattern of light and dark has one colour, that of most of it', () => {
  expect(partsOfLabel(0, 30, 1, (pixel) => pixel % 3 !== 0)).toEqual([{ from: 0, to: 30, light: true }]);
});
