import { expect, it } from 'vitest';
import { BURST, CLOSED, ENDED, type HolderChanges, type HolderRows, Holders, IN_BUBBLE } from './holders';

const MACHINE = 2;
const NODE = 3;

type HolderRow = [utid: number, bubble: number, holder: number, id: number, state: number];
const rows = (all: HolderRow[]): HolderRows => ({
  utid: Int32Array.from(all, (r) => r[0]),
  bubble: Int32Array.from(all, (r) => r[1]),
  holder: Uint8Array.from(all, (r) => r[2]),
  id: Int32Array.from(all, (r) => r[3]),
  state: Uint8Array.from(all, (r) => r[4]),
});
const moves = (all: [ts: number, to: HolderRow, was: [number, number, number]][]): HolderChanges => ({
  ...rows(all.map((m) => m[1])),
  ts: Float64Array.from(all, (m) => m[0]),
  wasHolder: Uint8Array.from(all, (m) => m[2][0]),
  wasId: Int32Array.from(all, (m) => m[2][1]),
  wasState: Uint8Array.from(all, (m) => m[2][2]),
});

it('a bubble goes down, bursts, releases its thread and is regenerated; backwards it is the same', () => {
  const reported: [number, number][] = [];
  const h = new Holders((b, kind) => reported.push([b, kind]));
  h.load({
    at: rows([
      [-1, 4, MACHINE, 0, CLOSED],
      [7, -1, IN_BUBBLE, 4, 0],
    ]),
    moves: moves([
      [10, [-1, 4, NODE, 1, CLOSED], [MACHINE, 0, CLOSED]],
      [20, [-1, 4, NODE, 1, BURST], [NODE, 1, CLOSED]],
      [20, [7, -1, NODE, 1, 0], [IN_BUBBLE, 4, 0]],
      [50, [7, -1, ENDED, -1, 0], [NODE, 1, 0]],
    ]),
  });
  const at = (ts: number) => {
    h.moveTo(ts, true);
    return [h.bubbleHolder[4], h.bubbleId[4], h.bubbleState[4], h.threadHolder[7]];
  };
  expect(at(9)).toEqual([MACHINE, 0, CLOSED, IN_BUBBLE]);
  expect(at(10)).toEqual([NODE, 1, CLOSED, IN_BUBBLE]);
  expect(at(20)).toEqual([NODE, 1, BURST, NODE]);
  expect(at(60)).toEqual([NODE, 1, BURST, ENDED]);
  expect(at(19)).toEqual([NODE, 1, CLOSED, IN_BUBBLE]);
  expect(at(0)).toEqual([MACHINE, 0, CLOSED, IN_BUBBLE]);
  expect(reported).toEqual([
    [4, 1],
    [4, -1],
  ]);
});
