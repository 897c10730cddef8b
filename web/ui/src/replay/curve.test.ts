import { expect, it } from 'vitest';
import { peakOf } from './curve';

it('no core wasted is a peak of none', () => {
  expect(peakOf(new Float64Array(4))).toBe(0);
  expect(peakOf([0, 3, 1])).toBe(3);
});
