import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { rgb } from '../replay/colours';
import { Dictionary } from '../replay/dictionary';
import { groupOf, OTHERS, OWN_HUES, rankedGroups } from './hues';
import { Threads } from './timeline/names';

const css = readFileSync(new URL('../styles/tokens.css', import.meta.url), 'utf8');
const parts = css.split(':root[data-theme="dark"]');
const token = (part: string, name: string) => rgb(new RegExp(`${name}: (#[0-9a-f]{6});`).exec(part)?.[1] as string);
const far = (a: readonly number[], b: readonly number[]) => Math.hypot(...a.map((v, i) => v - (b[i] as number)));

/** Threads as the server sends them: [name, tid, process, cgroup, run_ns], by utid from 1 on. */
function table(rows: readonly (readonly [string, number, string, string | null, number])[]) {
  const texts = (at: 0 | 2 | 3) => ({
    codes: Int32Array.from(rows, (row, i) => (row[at] === null ? -1 : i)),
    values: rows.map((row) => row[at] ?? ''),
  });
  const whole = (at: 1 | 4) => Float64Array.from(rows, (row) => row[at]);
  return {
    rows: rows.length,
    columns: {
      utid: Float64Array.from(rows, (_, i) => i + 1),
      tid: whole(1),
      name: texts(0),
      process: texts(2),
      cgroup: texts(3),
      upid: whole(1),
      tgid: whole(1),
      cgroup_id: whole(1),
      start_ns: whole(4),
      end_ns: whole(4),
      run_ns: whole(4),
      wait_ns: whole(4),
      avoidable_ns: whole(4),
      migrations: whole(4),
    },
    types: {},
    meta: {},
  };
}

describe('hues', () => {
  it('go to the groups that ran longest, none twice, none to what hardly ran', () => {
    const run = new Map(Array.from({ length: 40 }, (_, i) => [`g${i}`, i === 39 ? 1 : 1000 - i]));
    const named = rankedGroups(run);
    expect(named).toHaveLength(OWN_HUES);
    expect(new Set(named).size).toBe(OWN_HUES);
    expect(named[0]).toBe('g0');
    expect(rankedGroups(new Map([['a', 1e9], ['b', 1]]))).toEqual(['a']); // biome-ignore format: one line
  });

  it('are the same on the timeline, in the replay and on an episode’s page, and differ among busy threads', () => {
    const rows = table([
      ['hog', 403, 'hog', '/a', 1_200],
      ['hog', 404, 'hog', '/b', 1_300],
      ['hog', 405, 'hog', null, 1_250],
      ['make', 406, 'make', '/a', 900],
      ['idler', 407, 'idler', '/a', 0],
    ]);
    const dictionary = new Dictionary(rows);
    const threads = new Threads(rows);
    for (const by of ['process', 'cgroup', 'thread'] as const) {
      const { of } = dictionary.hues(by);
      for (let utid = 1; utid <= 5; utid++) expect(threads.hue(utid, by)).toBe(of[utid]);
    }
    expect(new Set([1, 2, 3, 4].map((utid) => threads.hue(utid, 'thread'))).size).toBe(4);
    expect(threads.hue(5, 'thread')).toBe(OTHERS);
    expect(threads.named('process')).toEqual(['hog', 'make']);
    expect(groupOf({ name: 'x', tid: 1, process: null, cgroup: null }, 'cgroup')).toBe('no cgroup');
  });

  it.each([
    ['light', parts[0] as string],
    ['dark', parts[1] as string],
  ])('%s: none is near the colour of waste or of waiting, and no two are the same', (_, part) => {
    const hues = Array.from({ length: OTHERS + 1 }, (_, i) => token(part, `--kind-${i}`));
    for (const [i, hue] of hues.entries()) {
      expect(far(hue, token(part, '--wasted-fill')), `kind-${i} and waste`).toBeGreaterThan(55);
      expect(far(hue, token(part, '--waiting-fill')), `kind-${i} and waiting`).toBeGreaterThan(55);
      for (const [j, other] of hues.entries()) if (j < i) expect(far(hue, other), `${i}, ${j}`).toBeGreaterThan(18);
    }
    expect(far(token(part, '--path-balance'), token(part, '--wasted-fill'))).toBeGreaterThan(55);
  });
});
