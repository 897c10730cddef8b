// Which threads have lanes: those that are pinned, and all by process, cgroup or bubble, as the place says.

import type { Grouping, LaneOrder } from '../place';
import type { Thread, Threads } from './names';

/** A lane of a thread, or of all threads of a process, cgroup or bubble, before it has a height. */
export interface ThreadRow {
  /** `t12` is thread utid 12, `p3`, `c5` and `b7` all threads of process upid 3, cgroup 5 and bubble 7. */
  key: string;
  name: string;
  /** Beside the name: process and cgroup, or the number of threads. */
  detail: string;
  /** The thread; null of a group. */
  utid: number | null;
  members: number;
  /** Under the lane of its group. */
  nested: boolean;
  /** Of a group whether its threads have no lanes of their own; null of a thread. */
  folded: boolean | null;
  pinned: boolean;
}

export interface ThreadRows {
  /** Above the CPUs. */
  pinned: ThreadRow[];
  /** Below them. */
  grouped: ThreadRow[];
}

/** What the place says about lanes of threads. */
export interface LaneChoice {
  pins: readonly string[];
  grouping: Grouping;
  order: LaneOrder;
  open: readonly string[];
  /** Only threads that match, and groups that have one or match themselves, are listed; what is pinned stays. */
  filter: string;
}

interface Group {
  key: string;
  name: string;
  threads: Thread[];
}

type GroupKind = Exclude<Grouping, 'none'>;

const KINDS: Record<string, GroupKind> = { p: 'process', c: 'cgroup', b: 'bubble' };

/** The key of the process, cgroup or bubble of a thread; null where it has none, or none is known. */
function keyOf(thread: Thread, by: GroupKind): string | null {
  const [letter, id] = {
    process: ['p', thread.upid] as const,
    cgroup: ['c', thread.cgroup_id] as const,
    bubble: ['b', thread.bubble_id] as const,
  }[by];
  return id === null ? null : `${letter}${id}`;
}

export const threadKey = (utid: number): string => `t${utid}`;

/** The group of a thread: its process, cgroup or bubble; itself where none is known. */
const groupKeyOf = (thread: Thread, by: GroupKind): string => keyOf(thread, by) ?? threadKey(thread.utid);

/** The rows of the place, in its order. A pinned thread is not listed again below. */
export function threadRows(threads: Threads, choice: LaneChoice): ThreadRows {
  const pins = new Set(choice.pins);
  const open = new Set(choice.open);
  const pinned = choice.pins.flatMap((key) => pinnedRows(threads, key, open.has(key), pins, choice.order));
  if (choice.grouping === 'none') return { pinned, grouped: [] };
  const shown = new Set(pinned.map((row) => row.key));
  const groups = [...groupsOf(threads, choice.grouping).values()].filter((group) => !shown.has(group.key));
  const sorted = sortedBy(groups, choice.order, sumOf);
  const grouped = sorted.flatMap((group) => {
    const fitting = choice.filter === '' ? group.threads : group.threads.filter((t) => fits(threads, group, t, choice));
    const left = fitting.filter((thread) => !shown.has(threadKey(thread.utid)));
    if (left.length === 0) return [];
    const only = group.threads.length === 1 ? group.threads[0] : undefined;
    if (only) return [rowOf(only, choice.grouping, false, false)];
    const members = sortedBy(left, choice.order, (thread) => thread);
    return groupRows(group, members, open.has(group.key), false, choice.grouping);
  });
  return { pinned, grouped };
}

function fits(threads: Threads, group: Group, thread: Thread, { filter }: LaneChoice): boolean {
  return threads.matches(thread.utid, filter) || group.name.toLowerCase().includes(filter.toLowerCase());
}

function pinnedRows(
  threads: Threads,
  key: string,
  open: boolean,
  pins: ReadonlySet<string>,
  order: LaneOrder,
): ThreadRow[] {
  const id = Number(key.slice(1));
  if (key.startsWith('t')) {
    const thread = threads.get(id);
    return thread ? [rowOf(thread, 'none', false, true)] : [];
  }
  const by = KINDS[key.charAt(0)];
  const group = by && groupsOf(threads, by).get(key);
  if (!group) return [];
  const members = sortedBy(group.threads, order, (thread) => thread);
  return groupRows(
    group,
    members.filter((thread) => !pins.has(threadKey(thread.utid))),
    open,
    true,
    by,
  );
}

/** All groups that have threads, by key; a thread whose group is not known is a group of its own. */
function groupsOf(threads: Threads, by: GroupKind): Map<string, Group> {
  const groups = new Map<string, Group>();
  for (const thread of threads.all()) {
    const key = groupKeyOf(thread, by);
    const group = groups.get(key) ?? { key, name: nameOfGroup(thread, by), threads: [] };
    group.threads.push(thread);
    groups.set(key, group);
  }
  return groups;
}

function nameOfGroup(thread: Thread, by: GroupKind): string {
  if (by === 'cgroup') return (thread.cgroup ?? 'no cgroup recorded') || '/';
  return (by === 'bubble' ? thread.bubble : thread.process) ?? thread.name;
}

function groupRows(
  group: Group,
  members: readonly Thread[],
  open: boolean,
  pinned: boolean,
  by: Grouping,
): ThreadRow[] {
  const first = group.threads[0] as Thread;
  const head: ThreadRow = {
    key: group.key,
    name: by === 'process' && first.tgid !== null ? `${group.name} ${first.tgid}` : group.name,
    detail: `${group.threads.length} threads`,
    utid: null,
    members: group.threads.length,
    nested: false,
    folded: !open,
    pinned,
  };
  return open ? [head, ...members.map((thread) => rowOf(thread, by, true, false))] : [head];
}

function rowOf(thread: Thread, by: Grouping, nested: boolean, pinned: boolean): ThreadRow {
  const details = [
    by !== 'process' && thread.process !== null ? `process ${thread.process}` : null,
    by !== 'cgroup' && thread.cgroup !== null ? `cgroup ${thread.cgroup}` : null,
  ];
  return {
    key: threadKey(thread.utid),
    name: `${thread.name} ${thread.tid ?? ''}`.trim(),
    detail: details.filter((text) => text !== null).join(', '),
    utid: thread.utid,
    members: 1,
    nested,
    folded: null,
    pinned,
  };
}

/** Sums of a group, to sort by. */
function sumOf({ name, threads }: Group) {
  const sum = (of: (thread: Thread) => number) => threads.reduce((total, thread) => total + of(thread), 0);
  const tid = Math.min(...threads.map((thread) => thread.tid ?? Number.POSITIVE_INFINITY));
  return { name, tid, run_ns: sum((thread) => thread.run_ns), wait_ns: sum((thread) => thread.wait_ns) };
}

/** Most time first; names and ids ascending, which also decide between equals. */
function sortedBy<T>(
  items: readonly T[],
  order: LaneOrder,
  of: (item: T) => { name: string; tid: number | null; run_ns: number; wait_ns: number },
): T[] {
  const keyed = items.map((item) => ({ item, by: of(item) }));
  type Keyed = (typeof keyed)[number];
  const tid = (a: Keyed, b: Keyed) => (a.by.tid ?? 0) - (b.by.tid ?? 0);
  const name = (a: Keyed, b: Keyed) => a.by.name.localeCompare(b.by.name, 'en');
  const compare: Record<LaneOrder, (a: Keyed, b: Keyed) => number> = {
    run: (a, b) => b.by.run_ns - a.by.run_ns || name(a, b) || tid(a, b),
    wait: (a, b) => b.by.wait_ns - a.by.wait_ns || name(a, b) || tid(a, b),
    name: (a, b) => name(a, b) || tid(a, b),
    tid: (a, b) => tid(a, b) || name(a, b),
  };
  return keyed.sort(compare[order]).map(({ item }) => item);
}

/** Keys with one of them added, or taken away where it is there. */
export const toggled = (keys: readonly string[], key: string): string[] =>
  keys.includes(key) ? keys.filter((item) => item !== key) : [...keys, key];

/** The key of a thread's process, cgroup or bubble; null where it is not known. */
export function parentKeyOf(threads: Threads, utid: number, by: GroupKind): string | null {
  const thread = threads.get(utid);
  return thread ? keyOf(thread, by) : null;
}
