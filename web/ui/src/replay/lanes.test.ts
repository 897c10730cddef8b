import { expect, it } from 'vitest';
import { lanesOf } from './lanes';
import { drawnStretch } from './testReplays';

it('lanes have the runs and the number of waiting threads, over the ends of stretches and at equal stamps', () => {
  const a = drawnStretch(
    0,
    50,
    [
      [0, 1, 'running', 0],
      [0, 2, 'sleeping', -1],
    ],
    [
      [10, 2, 'runnable', 0],
      [30, 1, 'preempted', 0],
      [30, 2, 'running', 0],
    ],
  );
  const b = drawnStretch(
    50,
    100,
    [
      [30, 1, 'preempted', 0],
      [30, 2, 'running', 0],
    ],
    [[80, 1, 'running', 1]],
  );
  expect(lanesOf([a, b], [0, 1], { start: 5, end: 90 })).toEqual([
    {
      cpu: 0,
      runs: [
        [5, 30, 1],
        [30, 90, 2],
      ],
      queue: [[10, 80, 1]],
    },
    { cpu: 1, runs: [[80, 90, 1]], queue: [] },
  ]);
});
