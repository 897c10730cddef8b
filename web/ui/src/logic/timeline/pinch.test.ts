import { describe, expect, it } from 'vitest';
import { pinched, toTime } from './timescale';

const BOUNDS = { start: 0, end: 1_000_000 };
const at = (span: { start: number; end: number }, share: number) => toTime({ ...span, width: 1 }, share);

describe('two fingers', () => {
  it('spread apart show less, and what was between them stays there', () => {
    const before = { start: 200_000, end: 600_000 };
    const after = pinched(before, { share: 0.25, distance: 100 }, { share: 0.25, distance: 200 }, BOUNDS);
    expect(after).toEqual({ start: 250_000, end: 450_000 });
    expect(at(after, 0.25)).toBe(at(before, 0.25));
  });

  it('that move together pan', () => {
    const after = pinched(
      { start: 200_000, end: 600_000 },
      { share: 0.5, distance: 90 },
      { share: 0.75, distance: 90 },
      BOUNDS,
    );
    expect(after).toEqual({ start: 100_000, end: 500_000 });
  });

  it('never show more than the trace, nor what is outside of it', () => {
    expect(pinched(BOUNDS, { share: 0.5, distance: 200 }, { share: 0.1, distance: 50 }, BOUNDS)).toEqual(BOUNDS);
  });
});
