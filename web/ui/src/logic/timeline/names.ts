// Who the utids are, out of the table of threads.

import { numbers, type Table, textAt } from '../../api/table';
import type { Bubbles } from '../../api/types';
import type { Scheme } from '../place';
import type { Names } from './colour';

export interface Thread {
  utid: number;
  tid: number | null;
  name: string;
  process: string | null;
  cgroup: string | null;
}

/** All threads by utid. */
export class Threads implements Names {
  readonly most: number;
  private readonly byUtid: (Thread | undefined)[] = [];
  private bubbles = new Map<number, string>();

  constructor(table: Table) {
    const utids = numbers(table, 'utid');
    const tids = numbers(table, 'tid');
    for (let row = 0; row < table.rows; row++) {
      const utid = utids[row] as number;
      const tid = tids[row] as number;
      this.byUtid[utid] = {
        utid,
        tid: Number.isNaN(tid) ? null : tid,
        name: textAt(table, 'name', row) ?? '?',
        process: textAt(table, 'process', row),
        cgroup: textAt(table, 'cgroup', row),
      };
    }
    this.most = Math.max(this.byUtid.length - 1, 0);
  }

  /** Bubbles of the `bubble` scheme: a thread counts to the last bubble it was in. */
  setBubbles({ bubbles, members }: Bubbles): void {
    const names = new Map(bubbles.map((bubble) => [bubble.id, bubble.name]));
    this.bubbles = new Map(
      members.map((member) => [member.utid, names.get(member.bubble) ?? `bubble ${member.bubble}`]),
    );
  }

  get(utid: number): Thread | undefined {
    return this.byUtid[utid];
  }

  label(utid: number): string {
    const thread = this.byUtid[utid];
    return thread ? `${thread.name} ${thread.tid ?? ''}`.trim() : `utid ${utid}`;
  }

  kind(utid: number, scheme: Scheme): string {
    const thread = this.byUtid[utid];
    if (!thread) return '?';
    if (scheme === 'process') return thread.process ?? thread.name;
    if (scheme === 'cgroup') return thread.cgroup ?? 'no cgroup';
    if (scheme === 'bubble') return this.bubbles.get(utid) ?? thread.process ?? thread.name;
    return `${thread.name}/${thread.tid}`;
  }

  /** Whether a filter's text names it: part of its name, process or cgroup, or its tid. */
  matches(utid: number, filter: string): boolean {
    const thread = this.byUtid[utid];
    if (!thread) return false;
    const text = filter.toLowerCase();
    return (
      thread.name.toLowerCase().includes(text) ||
      (thread.process?.toLowerCase().includes(text) ?? false) ||
      (thread.cgroup?.toLowerCase().includes(text) ?? false) ||
      String(thread.tid) === text
    );
  }
}
