import { describe, expect, it } from 'vitest';
import { stretch } from './moves';
import { MachineState } from './state';
import { changes, type DrawnRow, keyframe } from './testReplays';
import { partsOf, WasteMatch } from './wasteMatch';

/** CPUs 0 and 1 run with thread 3 queued on CPU 1; CPUs 2 and 3 are idle; one of them is wasted, from 100 to 200 the other. */
const rows: DrawnRow[] = [
  [0, 1, 'running', 0],
  [0, 2, 'running', 1],
  [0, 3, 'runnable', 1],
];
const waste = {
  start: Float64Array.of(0, 100),
  end: Float64Array.of(100, 200),
  wasted: Int32Array.of(1, 1),
  certain: Int32Array.of(0, 0),
};
const wastedCpus = { cpu: Int16Array.of(2, 3), start: Float64Array.of(0, 100), end: Float64Array.of(100, 200) };

describe('wasted CPUs at an instant', () => {
  const state = new MachineState(4);
  const none = { cpu: new Int16Array(0), start: new Float64Array(0), end: new Float64Array(0) };
  state.load(stretch(0, 300, keyframe(rows), changes([]), waste, none, null, wastedCpus));

  it('are those of the table, as many as are counted, although no episode is listed and more are idle', () => {
    const wasteMatch = new WasteMatch(4, [], new Map());
    for (const [at, wasted] of [
      [50, [0, 0, 1, 0]],
      [100, [0, 0, 0, 1]],
      [199, [0, 0, 0, 1]],
      [200, [0, 0, 0, 0]],
    ] as const) {
      state.moveTo(at);
      wasteMatch.update(state);
      expect([...wasteMatch.wasted]).toEqual(wasted);
      expect(wasteMatch.count).toBe(wasted.reduce<number>((sum, one) => sum + one, 0));
    }
  });

  it('do not count as idle: wasted, busy, idle and not observed add up to all CPUs', () => {
    const wasteMatch = new WasteMatch(4, [], new Map());
    for (const [at, idle] of [
      [50, 1],
      [200, 2],
    ] as const) {
      state.moveTo(at);
      wasteMatch.update(state);
      expect(partsOf(state, wasteMatch, [0, 1, 2, 3])).toEqual({ busy: 2, idle, unobserved: 0 });
    }
    wasteMatch.unobserved[3] = 1;
    expect(partsOf(state, wasteMatch, [0, 1, 2, 3])).toEqual({ busy: 2, idle: 1, unobserved: 1 });
  });

  it('pair with a thread that waits only while they are wasted', () => {
    const episodes = [{ id: 1, grade: 'lasting', start: 0, end: 200 }];
    const pairs = new Map([[1, [{ utid: 3, waited_on: 1, idle_cpu: 2 }]]]);
    const wasteMatch = new WasteMatch(4, episodes, pairs);
    state.moveTo(50);
    wasteMatch.update(state);
    expect(wasteMatch.pairs).toHaveLength(1);
    state.moveTo(150);
    wasteMatch.update(state);
    expect(wasteMatch.pairs).toHaveLength(0);
  });
});
