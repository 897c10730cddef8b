import { expect, it } from 'vitest';
import { windowByKey } from './windowKeys';

const trace = { start_ns: 1_000_000, end_ns: 11_000_000 };
const window = { start: 3_000_000, end: 5_000_000 };

it('arrows move a window by a quarter of its length, Page keys by its length, to no farther than the trace', () => {
  expect(windowByKey(window, 'ArrowRight', false, trace)).toEqual({ start: 3_500_000, end: 5_500_000 });
  expect(windowByKey(window, 'ArrowLeft', false, trace)).toEqual({ start: 2_500_000, end: 4_500_000 });
  expect(windowByKey(window, 'PageUp', false, trace)).toEqual({ start: 5_000_000, end: 7_000_000 });
  expect(windowByKey({ start: 9_500_000, end: 11_000_000 }, 'ArrowRight', false, trace)?.end).toBe(11_000_000);
  expect(windowByKey(window, 'Home', false, trace)).toEqual({ start: 1_000_000, end: 3_000_000 });
  expect(windowByKey(window, 'End', false, trace)).toEqual({ start: 9_000_000, end: 11_000_000 });
});

it('with Shift they make it wider and narrower around its middle, at most the trace, at least a microsecond', () => {
  expect(windowByKey(window, 'ArrowRight', true, trace)).toEqual({ start: 2_750_000, end: 5_250_000 });
  expect(windowByKey(window, 'ArrowLeft', true, trace)).toEqual({ start: 3_200_000, end: 4_800_000 });
  const all = { start: 1_000_000, end: 11_000_000 };
  expect(windowByKey(all, 'ArrowUp', true, trace)).toEqual(all);
  expect(windowByKey({ start: 3_000_000, end: 3_001_000 }, 'ArrowLeft', true, trace)).toEqual({
    start: 3_000_000,
    end: 3_001_000,
  });
});

it('of the whole trace a key takes a tenth, at the end that it comes from; Shift narrows it', () => {
  expect(windowByKey(null, 'ArrowRight', false, trace)).toEqual({ start: 1_000_000, end: 2_000_000 });
  expect(windowByKey(null, 'ArrowLeft', false, trace)).toEqual({ start: 10_000_000, end: 11_000_000 });
  expect(windowByKey(null, 'Home', false, trace)).toEqual({ start: 1_000_000, end: 2_000_000 });
  expect(windowByKey(null, 'End', false, trace)).toEqual({ start: 10_000_000, end: 11_000_000 });
  expect(windowByKey(null, 'ArrowLeft', true, trace)).toEqual({ start: 2_000_000, end: 10_000_000 });
});

it('other keys are left to the page', () => {
  for (const key of ['a', 'Tab', 'Enter']) expect(windowByKey(window, key, false, trace)).toBeNull();
  expect(windowByKey(window, 'Home', true, trace)).toBeNull();
});
