// Threads by utid: names, and the hue of the group that each belongs to.

import { numbers, type Table, textAt } from '../api/table';
import { GROUPINGS, type Grouping, groupOf, OTHERS, rankedGroups } from '../logic/hues';

export const HUES_BY = GROUPINGS;
export type HueBy = Grouping;

export interface ThreadInfo {
  utid: number;
  tid: number;
  name: string;
  process: string | null;
  cgroup: string | null;
  run_ns: number;
  wait_ns: number;
  avoidable_ns: number;
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

  /** Name and number: threads of one program share a name. */
  readonly labelOf = (utid: number): string => {
    const row = this.row[utid] ?? -1;
    const name = row < 0 ? null : textAt(this.table, 'name', row);
    return name === null ? this.nameOf(utid) : `${name} ${numbers(this.table, 'tid')[row]}`;
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
      avoidable_ns: n('avoidable_ns'),
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
    const tids = numbers(this.table, 'tid');
    const group = (row: number): string => {
      const text = (name: string) => textAt(this.table, name, row);
      const tid = tids[row] as number;
      return groupOf(
        { name: text('name'), tid: Number.isNaN(tid) ? null : tid, process: text('process'), cgroup: text('cgroup') },
        by,
      );
    };
    const groups = Array.from({ length: this.table.rows }, (_, row) => group(row));
    const run = new Map<string, number>();
    const ns = numbers(this.table, 'run_ns');
    groups.forEach((g, row) => {
      run.set(g, (run.get(g) ?? 0) + ns[row]!);
    });
    const names = rankedGroups(run);
    const hue = new Map(names.map((g, i) => [g, i]));
    const of = new Uint8Array(this.maxUtid + 1).fill(OTHERS);
    for (let u = 0; u <= this.maxUtid; u++) {
      const row = this.row[u]!;
      if (row >= 0) of[u] = hue.get(groups[row]!) ?? OTHERS;
    }
    return { of, names };
  }
}
