import { expect, it } from 'vitest';
import { signedDuration, signedPercent } from './signed';

it('what is below 0 has a minus sign and the digits of what is above', () => {
  expect([0.0468, -0.0468, -0.5, -0.000001, 0.000001, 0].map(signedPercent)).toEqual([
    '4.68 %', '−4.68 %', '−50.0 %', '<0.01 %', '<0.01 %', '0 %',
  ]); // biome-ignore format: a table
  expect([-900_000, 900_000, 0].map(signedDuration)).toEqual(['−900 µs', '900 µs', '0']);
});
