import { describe, expect, it } from 'vitest';
import { rowLinks } from './rowPlace';

const TRACE = { start_ns: 1_000_000_000, end_ns: 9_000_000_000 };
const links = (row: Record<string, number | null>) => rowLinks(Object.keys(row), (name) => row[name] ?? null, TRACE);

describe('a row with a time', () => {
  it('leads to the instant, with the CPU and the thread of the row', () => {
    expect(links({ ts_ns: 5_000_000_000, cpu: 3, utid: 7 })).toEqual({
      ts_ns: {
        place: {
          view: 'timeline',
          window: { start: 4_999_500_000, end: 5_000_500_000 },
          selection: null,
          episode: null,
          params: { slice: '3@5000000000' },
          utid: 7,
          scheme: 'thread',
        },
        title: 'Show it on the timeline',
      },
    });
  });
  it('shows the whole of a span, whether the row has its end or its length', () => {
    const span = { start: 3_750_000_000, end: 5_250_000_000 };
    expect(links({ start_ns: 4_000_000_000, end_ns: 5_000_000_000 }).start_ns?.place.window).toEqual(span);
    expect(links({ start_ns: 4_000_000_000, dur_ns: 1_000_000_000 }).start_ns?.place.window).toEqual(span);
  });
  it('does not leave the trace, and does not lead to a time outside of it', () => {
    expect(links({ ts_ns: TRACE.start_ns }).ts_ns?.place.window?.start).toBe(TRACE.start_ns);
    expect(links({ start_ns: 5 })).toEqual({});
  });
  it('knows the CPU of a move by where it went', () => {
    const { ts_ns } = links({ ts_ns: 5_000_000_000, orig_cpu: 1, dest_cpu: 2 });
    expect(ts_ns?.place.params).toEqual({ slice: '2@5000000000' });
  });
});

describe('a row without a time', () => {
  it('leads to its episode', () => {
    expect(links({ episode_id: 4, cpu: 1 })).toEqual({
      episode_id: { place: { view: 'episodes', episode: 4 }, title: 'Episode 4: what was idle, and why' },
    });
  });
  it('follows its thread; idle threads cannot be followed', () => {
    expect(links({ utid: 7 }).utid?.place).toEqual({ view: 'timeline', utid: 7, scheme: 'thread' });
    expect(links({ utid: 0 })).toEqual({});
  });
  it('selects its CPU over the whole trace', () => {
    expect(links({ cpu: 0, busy: 1 }).cpu?.place.selection).toEqual({
      start: TRACE.start_ns,
      end: TRACE.end_ns,
      cpus: [0],
    });
  });
});

it('NULL and columns of other names lead nowhere', () => {
  expect(links({ ts_ns: null, cpu: null, utid: null, episode_id: null, at: 5_000_000_000 })).toEqual({});
});

it('an episode with a time has both: its page, and its place on the timeline', () => {
  const both = links({ episode_id: 4, start_ns: 4_000_000_000, end_ns: 5_000_000_000 });
  expect(Object.keys(both).sort()).toEqual(['episode_id', 'start_ns']);
  expect(both.start_ns?.place.episode).toBe(4);
});
