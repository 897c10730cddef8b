// Names and groups of threads by utid, from the table of threads.

import { numbers, type Table, textAt } from '../../api/table';
import type { Bubbles } from '../../api/types';
import { groupOf, OTHERS, rankedGroups } from '../hues';
import type { Scheme } from '../place';
import type { Names } from './colour';

export interface Thread {
  utid: number;
  tid: number | null;
  name: string;
  process: string | null;
  cgroup: string | null;
  upid: number | null;
  tgid: number | null;
  cgroup_id: number | null;
  /** The last bubble that it was in, once bubbles are known; its name begins with those around it. */
  bubble_id: number | null;
  bubble: string | null;
  run_ns: number;
  wait_ns: number;
  /** Its life within the trace, ns; null: before its start, after its end. */
  start_ns: number | null;
  end_ns: number | null;
}

type Member = Bubbles['members'][number];

/** By when it ended, began, and its number, as the server has it; null: to the end, from the start. */
function isLater(member: Member, other: Member): boolean {
  const ends = (m: Member) => m.end_ns ?? Number.POSITIVE_INFINITY;
  const starts = (m: Member) => m.start_ns ?? Number.NEGATIVE_INFINITY;
  if (ends(member) !== ends(other)) return ends(member) > ends(other);
  return starts(member) > starts(other) || (starts(member) === starts(other) && member.bubble > other.bubble);
}

/** All threads by utid. */
export class Threads implements Names {
  readonly most: number;
  private readonly byUtid: (Thread | undefined)[] = [];
  private readonly hues = new Map<Scheme, { names: string[]; of: Map<string, number> }>();

  constructor(table: Table) {
    const utids = numbers(table, 'utid');
    const run = numbers(table, 'run_ns');
    const wait = numbers(table, 'wait_ns');
    const known = (name: string, row: number) => {
      const value = numbers(table, name)[row] as number;
      return Number.isNaN(value) ? null : value;
    };
    for (let row = 0; row < table.rows; row++) {
      const utid = utids[row] as number;
      this.byUtid[utid] = {
        utid,
        tid: known('tid', row),
        name: textAt(table, 'name', row) ?? '?',
        process: textAt(table, 'process', row),
        cgroup: textAt(table, 'cgroup', row),
        upid: known('upid', row),
        tgid: known('tgid', row),
        cgroup_id: known('cgroup_id', row),
        bubble_id: null,
        bubble: null,
        run_ns: run[row] as number,
        wait_ns: wait[row] as number,
        start_ns: known('start_ns', row),
        end_ns: known('end_ns', row),
      };
    }
    this.most = Math.max(this.byUtid.length - 1, 0);
  }

  /** Bubbles by which threads are coloured and grouped: a thread counts to the last bubble it was in. */
  setBubbles({ bubbles, members }: Bubbles): void {
    const byId = new Map(bubbles.map((bubble) => [bubble.id, bubble]));
    const nameOf = (id: number): string => {
      // The last parents of different times may form a circle.
      const path: number[] = [];
      for (let at: number | null = id; at !== null && !path.includes(at); at = byId.get(at)?.parent ?? null)
        path.unshift(at);
      return path.map((of) => byId.get(of)?.name ?? `bubble ${of}`).join(' / ');
    };
    const last = new Map<number, Member>();
    for (const member of members) {
      const before = last.get(member.utid);
      if (!before || isLater(member, before)) last.set(member.utid, member);
    }
    for (const { utid, bubble } of last.values()) {
      const thread = this.byUtid[utid];
      if (thread) Object.assign(thread, { bubble_id: bubble, bubble: nameOf(bubble) });
    }
    this.hues.delete('bubble');
  }

  all(): Thread[] {
    return this.byUtid.filter((thread) => thread !== undefined);
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
    if (scheme === 'bubble') return thread.bubble ?? groupOf(thread, 'process');
    return groupOf(thread, scheme === 'process' || scheme === 'cgroup' ? scheme : 'thread');
  }

  hue(utid: number, scheme: Scheme): number {
    return this.ranked(scheme).of.get(this.kind(utid, scheme)) ?? OTHERS;
  }

  /** Names of the kinds with hues of their own, by hue. */
  named(scheme: Scheme): readonly string[] {
    return this.ranked(scheme).names;
  }

  private ranked(scheme: Scheme) {
    const kept = this.hues.get(scheme);
    if (kept) return kept;
    const run = new Map<string, number>();
    for (const thread of this.byUtid) {
      if (!thread) continue;
      const kind = this.kind(thread.utid, scheme);
      run.set(kind, (run.get(kind) ?? 0) + thread.run_ns);
    }
    const names = rankedGroups(run);
    const found = { names, of: new Map(names.map((name, hue) => [name, hue])) };
    this.hues.set(scheme, found);
    return found;
  }

  /** Whether a filter's text names it: part of its name, process, cgroup or bubble, or its tid. */
  matches(utid: number, filter: string): boolean {
    const thread = this.byUtid[utid];
    if (!thread) return false;
    const text = filter.toLowerCase();
    return (
      thread.name.toLowerCase().includes(text) ||
      (thread.process?.toLowerCase().includes(text) ?? false) ||
      (thread.cgroup?.toLowerCase().includes(text) ?? false) ||
      (thread.bubble?.toLowerCase().includes(text) ?? false) ||
      String(thread.tid) === text
    );
  }
}
