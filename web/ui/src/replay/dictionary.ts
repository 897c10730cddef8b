// Threads by utid: names, and the hue that tells apart those that belong together.

import { numbers, type Table, textAt } from '../api/table';
import { OTHERS } from './look';

export const HUES_BY = ['process', 'cgroup', 'thread'] as const;
export type HueBy = (typeof HUES_BY)[number];

/** A group with less of the run time has no hue of its own. */
const WORTH = 0.002;

export interface ThreadInfo {
  utid: number;
  tid: number;
  name: string;
  process: string | null;
  cgroup: string | null;
  run_ns: number;
  wait_ns: number;
  needless_ns: number;
  migrations: number;
}

export interface Hues {
  of: Uint8Array;
  /** Names by hue, those that have one; the rest are others. */
  names: string[];
}

export class Dictionary {
  private readonly row: Int32Array;
  readonly maxUtid: number;
  constructor(private readonly table: Table) {
    const utids = numbers(table, 'utid');
    let most = 0;
    for (const u of utids) if (u > most) most = u;
    this.maxUtid = most;
    this.row = new Int32Array(this.maxUtid + 1).fill(-1);
    utids.forEach((u, i) => {
      this.row[u] = i;
    });
  }

  readonly nameOf = (utid: number): string => {
    const row = this.row[utid] ?? -1;
    return row < 0 ? `utid ${utid}` : (textAt(this.table, 'name', row) ?? `tid ${numbers(this.table, 'tid')[row]}`);
  };

  info(utid: number): ThreadInfo | null {
    const row = this.row[utid] ?? -1;
    if (row < 0) return null;
    const n = (name: string): number => numbers(this.table, name)[row]!;
    return {
      utid,
      tid: n('tid'),
      name: this.nameOf(utid),
      process: textAt(this.table, 'process', row),
      cgroup: textAt(this.table, 'cgroup', row),
      run_ns: n('run_ns'),
      wait_ns: n('wait_ns'),
      needless_ns: n('needless_ns'),
      migrations: n('migrations'),
    };
  }

  /** Threads that ran or waited at all: the others have no part in the replay. */
  active(utid: number): boolean {
    const row = this.row[utid] ?? -1;
    return row >= 0 && (numbers(this.table, 'run_ns')[row]! > 0 || numbers(this.table, 'wait_ns')[row]! > 0);
  }

  /** Hues for the groups that ran longest. */
  hues(by: HueBy): Hues {
    const groupOf = (row: number): string =>
      (by === 'thread' ? null : textAt(this.table, by, row)) ?? textAt(this.table, 'name', row) ?? '?';
    const run = new Map<string, number>();
    const ns = numbers(this.table, 'run_ns');
    for (let row = 0; row < this.table.rows; row++) {
      const g = groupOf(row);
      run.set(g, (run.get(g) ?? 0) + ns[row]!);
    }
    let all = 0;
    for (const n of run.values()) all += n;
    const ranked = [...run].filter(([, n]) => n > all * WORTH).sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1));
    const names = ranked.slice(0, OTHERS).map(([g]) => g);
    const hue = new Map(names.map((g, i) => [g, i]));
    const of = new Uint8Array(this.maxUtid + 1).fill(OTHERS);
    for (let u = 0; u <= this.maxUtid; u++) {
      const row = this.row[u]!;
      if (row >= 0) of[u] = hue.get(groupOf(row)) ?? OTHERS;
    }
    return { of, names };
  }
}
