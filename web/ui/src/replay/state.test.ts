import { describe, expect, it } from 'vitest';
import { cursorAt, PHASES, placed, RUNNING, stretch } from './moves';
import { MachineState } from './state';
import { changes, type DrawnRow, drawnStretch, keyframe, randomReplay, seededRandom } from './testReplays';

/** What the rows say by themselves: the last one of each thread at or before an instant. */
function byHand(start: readonly DrawnRow[], rows: readonly DrawnRow[], at: number): Map<number, [string, number]> {
  const state = new Map<number, [string, number]>();
  for (const [, u, p, c] of start) state.set(u, [p, c]);
  for (const [ts, u, p, c] of rows) if (ts <= at) state.set(u, [p, c]);
  return state;
}

function check(state: MachineState, expected: Map<number, [string, number]>, cpus: number): void {
  const running = new Array(cpus).fill(-1);
  const queued = new Array(cpus).fill(0);
  for (const [u, [phase, cpu]] of expected) {
    expect(PHASES[state.phase[u]!]).toBe(phase);
    if (!placed(state.phase[u]!)) continue;
    expect(state.cpu[u]).toBe(cpu);
    if (state.phase[u] === RUNNING) running[cpu] = u;
    else queued[cpu]++;
  }
  expect([...state.running]).toEqual(running);
  expect([...state.queued]).toEqual(queued);
}

describe('the machine at an instant', () => {
  it('is the same when reached forwards, backwards or at once', () => {
    for (let seed = 1; seed <= 12; seed++) {
      const { start, rows } = randomReplay(seed, 9, 4, 300);
      const end = rows.at(-1)![0] + 1;
      const s = stretch(0, end, keyframe(start), changes(rows));
      const walked = new MachineState(4);
      walked.load(s);
      const roll = seededRandom(seed + 100);
      for (let i = 0; i < 60; i++) {
        const at = Math.floor(roll() * end);
        walked.moveTo(at);
        const once = new MachineState(4);
        once.load(s);
        once.moveTo(at);
        const expected = byHand(start, rows, at);
        check(walked, expected, 4);
        check(once, expected, 4);
        expect([...walked.since.slice(1, 10)]).toEqual([...once.since.slice(1, 10)]);
      }
    }
  });

  it('counts the time that each CPU was busy, either way', () => {
    const s = drawnStretch(
      0,
      100,
      [[0, 1, 'running', 0]],
      [
        [30, 1, 'sleeping', -1],
        [50, 2, 'running', 1],
      ],
    );
    const m = new MachineState(2);
    m.load(s);
    m.moveTo(90);
    expect([...m.busy]).toEqual([30, 40]);
    m.busy.fill(0);
    m.moveTo(20);
    expect([...m.busy]).toEqual([10, 40]);
  });

  it('forgets the threads of another stretch', () => {
    const m = new MachineState(2);
    m.load(drawnStretch(0, 10, [[0, 700, 'running', 1]], []));
    m.load(drawnStretch(10, 20, [[10, 3, 'running', 0]], []));
    expect([...m.running]).toEqual([3, -1]);
    expect(m.known).toEqual([3]);
  });
});

describe('a stretch', () => {
  it('leaves out what the keyframe already says and what the next one will', () => {
    const s = drawnStretch(
      10,
      20,
      [[10, 1, 'running', 0]],
      [
        [10, 1, 'running', 0],
        [15, 1, 'sleeping', -1],
        [20, 1, 'running', 0],
      ],
    );
    expect([...s.ts]).toEqual([15]);
  });

  it('remembers where a sleeping thread was last, for the way that it takes when it wakes', () => {
    const s = drawnStretch(
      0,
      20,
      [[0, 1, 'running', 3]],
      [
        [5, 1, 'sleeping', -1],
        [9, 1, 'runnable', 2, 'wakeup'],
      ],
    );
    expect(s.wasCpu[1]).toBe(3);
  });

  it('finds its cursor with equal stamps: all of an instant have happened at that instant', () => {
    const s = drawnStretch(
      0,
      9,
      [],
      [
        [5, 1, 'running', 0],
        [5, 2, 'running', 1],
        [6, 1, 'sleeping', -1],
      ],
    );
    expect([4, 5, 6, 9].map((at) => cursorAt(s, at))).toEqual([0, 2, 3, 3]);
  });
});
