import { describe, expect, it } from 'vitest';
import { BurstCounts, layBubbles } from './bubbles';
import { CAMERA_KEYS, cameraByKey, hold, towards, whole, zoomAt } from './camera';
import { nextSpeed, SPEEDS, speedFor, speedName, speedPerSecond, tick } from './clock';
import { changeOf, isChange, isMigration, nextMark, nextStart } from './jump';
import { layMachine } from './machine';
import { SvgPen } from './pen';
import { Player } from './player';
import { GLIDE_MS, Scene } from './scene';
import { ArchiveSource } from './source';
import { gridAt, gridLength, type StretchSource, StretchStore } from './store';
import { drawnStretch, machine } from './testReplays';

const one = drawnStretch(
  0,
  100,
  [[0, 1, 'running', 0]],
  [
    [10, 2, 'runnable', 0],
    [40, 2, 'runnable', 1, 'newidle'],
    [41, 2, 'running', 1],
  ],
);
const two = drawnStretch(
  100,
  200,
  [
    [0, 1, 'running', 0],
    [41, 2, 'running', 1],
  ],
  [[150, 2, 'running', 0, 'wakeup']],
);

describe('the clock', () => {
  const c = { at: 50, speed: 1e-6, direction: 1 as const, playing: true };
  it('plays a millionth: a second of watching is a microsecond of trace', () => {
    expect(tick(c, 1000, { start: 0, end: 1e9 }).at).toBeCloseTo(1050);
  });
  it('stops at either end', () => {
    expect(tick({ ...c, speed: 1 }, 1000, { start: 0, end: 900 })).toMatchObject({ at: 900, playing: false });
    expect(tick({ ...c, speed: 1, direction: -1 }, 1000, { start: 7, end: 900 })).toMatchObject({
      at: 7,
      playing: false,
    });
  });
  it('goes to the next speed of the list and not beyond', () => {
    expect(nextSpeed(1e-3, 1)).toBe(2e-3);
    expect(nextSpeed(1, 1)).toBe(1);
    expect(nextSpeed(SPEEDS[0]!, -1)).toBe(SPEEDS[0]);
    expect(speedName(1e-6)).toBe('1 : 1 000 000');
    expect(speedPerSecond(1e-3)).toBe('1 ms per second');
    expect(speedFor(10e6, 10)).toBe(1e-3);
  });
});

describe('the camera by keys', () => {
  const c = { k: 2, x: 30, y: 40 };
  /** The point of the world in the middle of a page of 400 × 200. */
  const middle = (at: typeof c) => [(200 - at.x) / at.k, (100 - at.y) / at.k] as const;
  it('zooms around the middle, and back', () => {
    const closer = cameraByKey(c, 'w', 400, 200, 0.5);
    expect(closer.k).toBe(2.5);
    expect(middle(closer)).toEqual([expect.closeTo(middle(c)[0]), expect.closeTo(middle(c)[1])]);
    expect(cameraByKey(closer, 's', 400, 200, 0.5).k).toBeCloseTo(2);
    expect(cameraByKey({ ...c, k: 0.5 }, 's', 400, 200, 0.5).k).toBe(0.5);
  });
  it('looks left, right, up and down by a tenth of the page', () => {
    const moves = CAMERA_KEYS.slice(2).map((key) => {
      const [x, y] = middle(cameraByKey(c, key, 400, 200, 0.5));
      return [x - middle(c)[0], y - middle(c)[1]];
    });
    expect(moves).toEqual([
      [-20, 0],
      [20, 0],
      [0, -10],
      [0, 10],
    ]);
  });
});

describe('jumps', () => {
  const store = new StretchStore(new ArchiveSource([one, two]));
  it('find the next event and migration over the ends of stretches, both ways', async () => {
    expect(await nextMark(store, 0, 1, isChange)).toBe(10);
    expect(await nextMark(store, 41, 1, isChange)).toBe(150);
    expect(await nextMark(store, 150, -1, isChange)).toBe(41);
    expect(await nextMark(store, 100, -1, isMigration)).toBe(40);
    expect(await nextMark(store, 0, 1, changeOf(1))).toBeNull();
  });
  it('find the next start of an episode', () => {
    expect(nextStart([5, 90, 30], 10, 1)).toBe(30);
    expect(nextStart([5, 90, 30], 30, -1)).toBe(5);
    expect(nextStart([5], 5, 1)).toBeNull();
  });
});

describe('steps', () => {
  it('reach the end of the trace after the last event, and its start before the first', async () => {
    const span = { start: 0, end: 200 };
    const source: StretchSource = {
      parts: null,
      snap: (at) => at,
      boundsAt: (at) => (at < 0 || at > 200 ? null : gridAt(at, 100, span)),
      load: async (b) => (b.start === 0 ? one : two),
    };
    const player = new Player(span, new StretchStore(source), 41, 1e-6);
    const seen: number[] = [];
    for (const direction of [1, 1, 1, -1, -1, -1, -1, -1] as const) {
      await player.stepEvent(direction);
      seen.push(player.clock.at);
    }
    expect(seen).toEqual([150, 200, 200, 150, 41, 40, 10, 0]);
  });
});

describe('stretches', () => {
  it('lie on a grid that covers the trace', () => {
    const span = { start: 0, end: 5_000_000 };
    expect(gridLength(120_000, 5_000_000)).toBe(512_000);
    expect(gridAt(0, 1_024_000, span)).toEqual({ start: 0, end: 1_024_000 });
    expect(gridAt(5_000_000, 1_024_000, span)).toEqual({ start: 4_096_000, end: 5_000_000 });
  });
  it('are fetched ahead, once each, and a failure is reported and tried again', async () => {
    const asked: number[] = [];
    const source: StretchSource = {
      parts: null,
      snap: (at) => at,
      boundsAt: (at) => (at < 0 || at >= 1000 ? null : gridAt(at, 100, { start: 0, end: 1000 })),
      load: async (b) => {
        asked.push(b.start);
        if (b.start === 300 && asked.filter((x) => x === 300).length === 1) throw new Error('gone');
        return drawnStretch(b.start, b.end, [], []);
      },
    };
    const store = new StretchStore(source);
    store.want(10, 1, 250);
    store.want(20, 1, 250);
    await new Promise((done) => setTimeout(done));
    expect(asked).toEqual([0, 100, 200]);
    expect(store.peek(150)?.start).toBe(100);
    expect(store.peek(300)).toBeNull();
    await store.get(300).catch(() => null);
    expect(store.errorAt(310)).toBe('gone');
    store.want(310, 1, 0); // a frame does not ask again: the failure would not be seen
    expect(store.errorAt(310)).toBe('gone');
    expect((await store.get(300))?.start).toBe(300);
  });
});

describe('the camera', () => {
  const world = { x: 0, y: 0, w: 1000, h: 500 };
  it('keeps the point under the pointer when it comes closer', () => {
    const c = whole(world, 800, 600);
    const z = zoomAt(c, 200, 300, 2, 0.1);
    expect((200 - z.x) / z.k).toBeCloseTo((200 - c.x) / c.k);
  });
  it('does not lose the picture', () => {
    const c = hold({ k: 1, x: 99_999, y: -99_999 }, world, 800, 600);
    expect(c.x).toBeLessThan(800);
    expect(c.y).toBeGreaterThan(-500);
  });
  it('goes where it is sent', () => {
    const c = towards(whole(world, 800, 600), 100, 100, 3, 800, 600, 1);
    expect([(400 - c.x) / c.k, (300 - c.y) / c.k]).toEqual([100, 100]);
  });
});

describe('the scene', () => {
  it('shows who runs from its first picture on, also one of many that were only counted', () => {
    const many = Array.from({ length: 80 }, (_, i) => i + 1);
    const s = new Scene(
      layMachine(machine(1, 2, 1), 600, 300),
      layBubbles(
        [{ id: 1, parent: null, name: 'p', kind: 'process' }],
        many.map((utid) => ({ utid, bubble: 1, start: 0, end: 1e9 })),
        { x: 610, y: 0, w: 100, h: 300 },
      ),
    );
    const waiting = many.map((utid) => [utid === 1 ? 0 : utid, utid, utid === 1 ? 'running' : 'runnable', 0] as const);
    const last = 80;
    const known = waiting.map(([, utid, phase, cpu]) => [0, utid, phase, cpu] as [number, number, string, number]);
    s.jump(
      drawnStretch(
        0,
        100,
        known as Parameters<typeof drawnStretch>[2],
        [
          [10, 1, 'runnable', 0],
          [10, last, 'running', 0],
        ] as Parameters<typeof drawnStretch>[3],
      ),
      0,
      0,
    );
    s.animate(5000);
    expect(s.alpha[last]).toBe(0);
    s.play(20, 10_000);
    s.animate(10_000);
    expect(s.alpha[last]).toBeGreaterThan(0.6);
    s.animate(10_000 + 100);
    const [cpu0] = s.layout.cells;
    expect([s.x[last], s.y[last], s.alpha[last]]).toEqual([Math.fround(cpu0!.runX), Math.fround(cpu0!.runY), 1]);
  });
  const rows = [{ id: 1, parent: null, name: 'p', kind: 'process' }];
  const members = [1, 2].map((utid) => ({ utid, bubble: 1, start: 0, end: 1e9 }));
  const scene = () =>
    new Scene(layMachine(machine(1, 2, 1), 600, 300), layBubbles(rows, members, { x: 610, y: 0, w: 100, h: 300 }));

  it('puts the running thread into its core, the waiting one on the queue, sleeping ones into their bubble', () => {
    const s = scene();
    s.setStill(true);
    s.jump(
      drawnStretch(
        0,
        100,
        [
          [0, 1, 'running', 0],
          [0, 2, 'sleeping', -1],
        ],
        [[10, 2, 'runnable', 0]],
      ),
      0,
      0,
    );
    s.animate(0);
    const [cpu0] = s.layout.cells;
    expect([s.x[1], s.y[1]]).toEqual([Math.fround(cpu0!.runX), Math.fround(cpu0!.runY)]);
    expect(s.x[2]).toBeGreaterThan(600);
    s.play(20, 16);
    s.animate(16);
    expect(s.queue(0)).toEqual([2]);
    expect(s.y[2]).toBeGreaterThan(s.y[1]!);
    expect(s.x[2]).toBeLessThan(300);
  });

  it('glides: half-way through it is between the two places, then it rests', () => {
    const s = scene();
    s.jump(one, 39, 0);
    s.animate(1000);
    const before = s.x[2]!;
    s.play(40, 1000);
    s.animate(1000 + GLIDE_MS / 2);
    const half = s.x[2]!;
    s.animate(1000 + GLIDE_MS + 1);
    const after = s.x[2]!;
    expect(half).toBeGreaterThan(before);
    expect(half).toBeLessThan(after);
    expect(s.trails.from[0]).toBe(0);
    expect(s.trails.to[0]).toBe(1);
    expect(s.animate(1e6)).toBe(false);
  });

  it('reports bursts and closings once, at the outermost bubble', () => {
    const bubbleLayout = layBubbles(
      [...rows, { id: 2, parent: 1, name: 'q', kind: 'process' }, { id: 3, parent: 1, name: 'r', kind: 'process' }],
      [2, 2, 3, 3].map((bubble, i) => ({ utid: i, bubble, start: 0, end: 9 })),
      { x: 0, y: 0, w: 300, h: 300 },
    );
    const o = new BurstCounts(bubbleLayout);
    const name = (b: number) => bubbleLayout.bubbles[b]?.name;
    expect(name(o.change(0, 1))).toBe('p');
    expect(o.change(1, 1)).toBe(-1);
    expect(name(o.change(2, 1))).toBe('r');
    expect(name(o.change(2, -1))).toBe('r');
    o.change(0, -1);
    expect(name(o.change(1, -1))).toBe('p');
  });
});

it('a still is well-formed: names of threads are text, never markup', () => {
  const pen = new SvgPen();
  pen.fillText('<script>"&', 1, 2);
  pen.beginPath();
  pen.arc(1, 2, 3);
  pen.fill();
  expect(pen.svg(10, 10, 'a & b')).toContain('&lt;script&gt;&quot;&amp;</text>');
});
