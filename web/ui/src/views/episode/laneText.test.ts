import { expect, it } from 'vitest';
import { type EpisodeLane, laneTextAt } from './laneText';

it('a lane says the run or the waste under the pointer; where a pixel holds several, the shares of that pixel', () => {
  const lane: EpisodeLane = {
    cpu: 0,
    runs: [
      [0, 1000, 1],
      [1400, 2000, 2],
    ],
    queue: [[500, 2000, 2]],
    wasted: [
      [1000, 1100],
      [1200, 1300],
    ],
    unobserved: [],
  };
  const at = (t: number, pixel: number) => laneTextAt(lane, t, pixel, (utid) => `thread ${utid}`);
  expect(at(200, 10)).toBe('thread 1 runs for 1.00 µs');
  expect(at(700, 10)).toBe('thread 1 runs for 1.00 µs, 2 threads waiting');
  expect(at(1050, 10)).toBe('idle, and wasted for 100 ns, 2 threads waiting');
  expect(at(1350, 10)).toBe('idle, 2 threads waiting');
  expect(at(1000, 1000)).toBe('of this pixel (1.00 µs): busy 60.0 %, wasted 20.0 %, 2 threads waiting on average');
});
