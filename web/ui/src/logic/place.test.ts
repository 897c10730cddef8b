import { describe, expect, it } from 'vitest';
import { formatPlace, HOME, move, type Place, parsePlace } from './place';

const full: Place = {
  trace: 'wasted 64/a',
  view: 'timeline',
  window: { start: 69_384_073_350, end: 72_758_264_030 },
  selection: { start: 70_000_000_000, end: 70_000_000_001, cpus: [0, 1, 2, 3, 8] },
  scheme: 'wait',
  overlays: ['episodes', 'wakeups'],
  folded: ['node0', 'llc3'],
  fit: false,
  cpus: [0, 1, 2, 9],
  first: [9, 1],
  cpuOrder: 'waste',
  pins: ['t12', 'p3'],
  grouping: 'cgroup',
  order: 'wait',
  open: ['p3', 'c5'],
  measure: { from: 70_000_000_500, to: 70_000_000_100 },
  bookmarks: [
    { t: 70_000_000_000, text: 'wakes: late & 100 %?' },
    { t: 71_000_000_000, text: '' },
  ],
  tasks: ['audio*=2ms/5ms/5ms', 'a = b; c=1ms/4ms'],
  utid: 28,
  episode: 1,
  filter: 'hog & co=1?',
  theme: 'dark',
  wrong: null,
  params: { at: '70000000000', speed: '0.001' },
};

describe('the place in the URL', () => {
  it('comes back from its fragment as it was', () => {
    expect(parsePlace(formatPlace(full))).toEqual(full);
  });

  it('is short when everything is at its default', () => {
    expect(formatPlace({ ...HOME, trace: 't', folded: [] })).toBe('#/t/verdict?fold=none');
    expect(parsePlace('#/t/verdict?fold=none').folded).toEqual([]);
    expect(parsePlace('#/t/verdict').folded).toBeNull();
    expect(formatPlace(HOME)).toBe('#/');
    expect(formatPlace({ ...HOME, trace: 't', view: 'sql' })).toBe('#/t/sql');
  });

  it('keeps a selection of lanes of threads', () => {
    const place = { ...full, selection: { start: 1, end: 2, cpus: null, lanes: ['t12', 'p3'] } };
    expect(formatPlace(place)).toContain('s=1-2@t12.p3&');
    expect(parsePlace(formatPlace(place))).toEqual(place);
  });

  it('leaves out lanes that cannot be, and those named twice', () => {
    expect(parsePlace('#/a/timeline?pin=t1.x2.t.p3.t1.t-4&open=p1.q&group=zebra&order=').pins).toEqual(['t1', 'p3']);
    expect(parsePlace('#/a/timeline?open=p1.q')).toMatchObject({ open: ['p1'], grouping: 'none', order: 'run' });
  });

  it('keeps a measure of which only one end is chosen; bookmarks are in order of time, one at an instant', () => {
    expect(parsePlace(formatPlace({ ...full, measure: { from: 5, to: null } })).measure).toEqual({ from: 5, to: null });
    const { bookmarks, measure } = parsePlace(
      '#/a/timeline?mark=9:later&mark=5:a:b&mark=x:y&mark=9:again&measure=1-2-3',
    );
    expect(bookmarks).toEqual([
      { t: 5, text: 'a:b' },
      { t: 9, text: 'again' },
    ]);
    expect(measure).toBeNull();
  });

  it('keeps an empty choice of overlays', () => {
    const none = { ...full, overlays: [] };
    expect(parsePlace(formatPlace(none)).overlays).toEqual([]);
  });

  it.each([
    '',
    '#',
    '#/',
    '#/%E0%A4%A',
    '#//?w=9-1&s=x@y&utid=-1&c=zebra',
    '#/t?w=1-2-3&c=x',
    '#/t?w=1-99999999999999999',
  ])('falls back to defaults for %j', (fragment) => {
    expect({ ...parsePlace(fragment), trace: null }).toEqual(HOME);
  });

  it('finds an episode under the ways in which its address is typed', () => {
    for (const text of ['#/t/episodes?e=3', '#/t/episodes/3', '#/t/episode/3', '#/t/episode?e=3']) {
      const { view, episode, wrong } = parsePlace(text);
      expect({ view, episode, wrong }).toEqual({ view: 'episodes', episode: 3, wrong: null });
    }
  });

  it('says which view or episode an address asks for in vain, until one goes elsewhere', () => {
    expect(parsePlace('#/t/nowhere?e=3').wrong).toBe('view “nowhere”');
    expect(parsePlace('#/t/episodes?e=abc').wrong).toBe('episode “abc”');
    expect(parsePlace('#/t/episodes/first').wrong).toBe('episode “first”');
    expect(move(parsePlace('#/t/nowhere'), { view: 'sql' }).wrong).toBe(null);
  });

  it('forgets the window with another trace, and the view’s own parameters with another view', () => {
    expect(move(full, { trace: 'other' })).toEqual({ ...HOME, trace: 'other', theme: 'dark' });
    expect(move(full, { view: 'replay' })).toEqual({ ...full, view: 'replay', params: {} });
    expect(move(full, { view: 'timeline', params: { a: 'b' } }).params).toEqual({ a: 'b' });
  });
});
