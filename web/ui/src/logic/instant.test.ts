import { expect, it } from 'vitest';
import { typedInstant } from './instant';

it('reads times with a unit, and numbers after a plus as seconds', () => {
  expect(typedInstant('+1.79 s')).toBe(1_790_000_000);
  expect(typedInstant('1790ms')).toBe(1_790_000_000);
  expect(typedInstant('2,5 µs')).toBe(2500);
  expect(typedInstant('+3')).toBe(3_000_000_000);
  expect(typedInstant('17 ns')).toBe(17);
});

it('leaves names, thread ids and episodes', () => {
  for (const text of ['101', 'hog', 'episode 3', '3 sheep', '', '+', 's', '1.2.3 s', '-5 ms'])
    expect(typedInstant(text)).toBeNull();
});
