import { describe, expect, it } from 'vitest';
import type { Table } from '../../api/table';
import type { ThreadInstant } from '../../api/types';
import { decidedFacts, joinedScans, type Scan, scanFacts, scanOf, scansOf, scanWords } from './scans';

const none = Number.NaN;
const NAMES = 'scan_id ts_ns cpu utid attempt_id chosen_cpu prev_cpu wake_flags dst_cpu level pulled found'.split(' ');

function table(rows: { cells: number[]; cpus: number[] | null }[]): Table {
  const columns = NAMES.map((name, at) => [name, Float64Array.from(rows, ({ cells }) => cells[at] as number)] as const);
  const cpus = { items: rows.map((row) => row.cpus) };
  return {
    rows: rows.length,
    columns: { ...Object.fromEntries(columns), cpus },
    types: {},
    meta: { truncated: 'false' },
  };
}

const woken = { cells: [5, 100, 6, 12, none, 2, 6, 8, none, none, none, none], cpus: [0, 1, 2, 3, 8] };
const forked = { cells: [7, 200, 1, 13, none, 4, 4, 4, none, none, none, none], cpus: null };
const attempt = { cells: [9, 300, 3, none, 8, none, none, none, 4, 1, 0, 0], cpus: [0] };
const { rows } = scansOf(table([woken, forked, attempt]));
const label = (utid: number) => `thread ${utid}`;

describe('scans of a window', () => {
  it('are placements and attempts; what is not known is null', () => {
    const nothing = { target: null, level: null, pulled: null, found: null };
    expect(rows).toEqual([
      { ...nothing, id: 5, t: 100, cpu: 6, utid: 12, made: 'wakeup', scanned: [0, 1, 2, 3, 8], chosen: 2, before: 6 },
      { ...nothing, id: 7, t: 200, cpu: 1, utid: 13, made: 'fork', scanned: null, chosen: 4, before: 4 },
      {
        id: 9, t: 300, cpu: 3, utid: null, made: 'attempt', scanned: [0], chosen: null, before: null,
        target: 4, level: 1, pulled: 0, found: false,
      },
    ]); // biome-ignore format: a table
  });

  it('are distinguished by the flags of the kernel', () => {
    const made = (flags: number) =>
      scansOf(table([{ ...woken, cells: woken.cells.map((cell, at) => (NAMES[at] === 'wake_flags' ? flags : cell)) }]))
        .rows[0]?.made;
    expect([2, 4, 8, 24, 0, none].map(made)).toEqual(['exec', 'fork', 'wakeup', 'wakeup', 'placement', 'placement']);
  });

  it('are there once, though two stretches hold them', () => {
    const stretches = [scansOf(table([woken, forked])), scansOf(table([forked, attempt]))];
    expect(joinedScans(stretches).map(({ id }) => id)).toEqual([5, 7, 9]);
  });
});

describe('words of a scan', () => {
  it('name the CPUs scanned and the one chosen', () => {
    expect(scanWords({ scanned: [0, 1, 2, 3, 8], chosen: 2 })).toBe('scanned CPUs 0-3, 8; chose 2');
    expect(scanWords({ scanned: [3], chosen: 3 })).toBe('scanned CPU 3; chose 3');
    expect(scanWords({ scanned: [], chosen: 6 })).toBe('scanned no CPU; chose 6');
    expect(scanWords({ scanned: [0, 1], chosen: null })).toBe('scanned CPUs 0-1; chose none');
    expect(scanWords({ scanned: null, chosen: 2 })).toBe('chose 2; the CPUs scanned are not recorded');
  });

  it('of an attempt say what it found and whose queue it took from or examined', () => {
    const words = (pulled: number | null, chosen: number | null, found: boolean | null) =>
      scanWords({ scanned: [0, 1], made: 'attempt', pulled, chosen, found }).replace('scanned CPUs 0-1; ', '');
    expect(words(1, 1, true)).toBe('took from CPU 1');
    expect(words(1, null, true)).toBe('the queue it took from is not recorded');
    expect(words(0, 1, true)).toBe('examined CPU 1');
    expect(words(0, null, true)).toBe('found a busier group; the queue is not recorded');
    expect(words(0, null, false)).toBe('found no busier group');
    expect(words(0, 1, false)).toBe('examined CPU 1, found no more');
  });

  it('say which thread was placed by which CPU, or for which CPU an attempt was', () => {
    expect(rows.map((scan) => scanFacts(scan, label, 0))).toEqual([
      {
        title: 'Placement of thread 12 at its wakeup',
        rows: [
          ['', 'scanned CPUs 0-3, 8; chose 2'],
          ['decided', 'on CPU 6, +0.000000 s'],
          ['CPU before', '6'],
        ],
      },
      {
        title: 'Placement of thread 13 at its fork',
        rows: [
          ['', 'chose 4; the CPUs scanned are not recorded'],
          ['decided', 'on CPU 1, +0.000000 s'],
          ['CPU before', '4'],
        ],
      },
      {
        title: 'Load-balance attempt for CPU 4',
        rows: [
          ['', 'scanned CPU 0; found no busier group'],
          ['decided', 'on CPU 3, +0.000000 s'],
          ['level', '1'],
          ['pulled', '0 threads'],
        ],
      },
    ]);
    expect(scanFacts({ ...(rows[0] as Scan), utid: null }, label, 0).title).toBe('Placement of a thread at its wakeup');
  });

  it('of a slice are those that its CPU decided in it, the nearest ones', () => {
    const at = (t: number, cpu = 6): Scan => ({ ...(rows[0] as Scan), id: t, t, cpu });
    const scans = [at(90), at(100), at(110, 5), at(150), at(180), at(199), at(200)];
    const facts = (t: number) => decidedFacts(scans, { cpus: [6], start: 100, end: 200, t }, label, 0);
    const words = (n: number) => `for thread 12 +${(n / 1e9).toFixed(6)} s: scanned CPUs 0-3, 8; chose 2`;
    expect(facts(190)).toEqual([
      ['decided here', words(180)],
      ['decided here', words(199)],
      ['', 'and 2 more decided here'],
    ]);
    expect(decidedFacts(scans, { cpus: [7], start: 100, end: 200, t: 150 }, label, 0)).toEqual([]);
    expect(decidedFacts([rows[2] as Scan], { cpus: [3], start: 300, end: 400, t: 300 }, label, 0)).toEqual([
      ['decided here', 'attempt for CPU 4 +0.000000 s: scanned CPU 0; found no busier group'],
    ]);
  });
});

it('the scan of the picked slice is the placement of its wakeup', () => {
  const placement = { scan_id: 5, ts_ns: 100, cpu: 6, scanned: [0, 1, 2, 3, 8], chosen_cpu: 2, prev_cpu: 6 };
  const instant = { utid: 12, placement, wakeup: { is_new: false } } as unknown as ThreadInstant;
  expect(scanOf(instant)).toEqual(rows[0]);
  expect(scanOf({ ...instant, placement: null })).toBeNull();
  expect(scanOf(undefined)).toBeNull();
});
