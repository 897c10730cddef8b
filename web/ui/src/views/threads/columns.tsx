// The columns of the tables, per kind of row. Times in ns, as the server's rows have them.

import type { ColumnSpec } from '../../components/DataTable';
import { Icon } from '../../components/Icon';
import type { Place } from '../../logic/place';
import { toggled } from '../../logic/timeline/threadRows';
import { count, duration, percent } from '../../logic/units';
import { go, hrefTo, usePlace } from '../../navigation';
import type { TopRow } from './row';
import styles from './Threads.module.css';
import { WaitSplit, waitedNs } from './WaitSplit';

export const KINDS = ['thread', 'process', 'cgroup', 'bubble'] as const;
export type Kind = (typeof KINDS)[number];

/** Waiting with all CPUs busy or excused; bubbles' rows give the sum and the avoidable part. */
const unavoidable = (row: TopRow): number =>
  row.unavoidable_wait_ns ?? Math.max(row.wait_ns - row.avoidable_wait_ns, 0);

export function nameOf(kind: Kind, row: TopRow): string {
  if (kind === 'cgroup') return row.cgroup ?? 'no cgroup recorded';
  return row.name ?? '?';
}

/** Where a row leads: a thread is followed, a process or cgroup set off by its name. */
function placeOf(kind: Kind, row: TopRow): Partial<Place> {
  if (kind === 'thread' && row.utid !== undefined)
    return { view: 'timeline', utid: row.utid, scheme: 'thread', filter: '' };
  if (kind === 'process') return { view: 'timeline', scheme: 'process', filter: nameOf(kind, row) };
  return { view: 'timeline', scheme: kind };
}

function Name({ kind, row }: { kind: Kind; row: TopRow }) {
  const id = kind === 'thread' ? row.tid : kind === 'process' ? row.tgid : null;
  const name = row.label ?? nameOf(kind, row);
  return (
    <a className={styles.name} href={hrefTo(placeOf(kind, row))} title={`${name}: show it on the timeline`}>
      <span className={styles.text}>{name}</span>
      {id !== null && id !== undefined && <span className="muted">{id}</span>}
      {row.label && row.label !== row.cgroup && <span className={styles.path}>{row.cgroup}</span>}
    </a>
  );
}

/** The lane of a row on the timeline; null of one that has none. */
function laneKeyOf(kind: Kind, row: TopRow): string | null {
  const id = { thread: row.utid, process: row.upid, cgroup: row.cgroup_id, bubble: null }[kind];
  return id === null || id === undefined ? null : `${kind.charAt(0)}${id}`;
}

/** Pins the row's lane above the CPUs of the timeline, or takes it away. */
function Pin({ kind, row }: { kind: Kind; row: TopRow }) {
  const { pins } = usePlace();
  const key = laneKeyOf(kind, row);
  if (key === null) return null;
  const pinned = pins.includes(key);
  const words = pinned ? 'Take its lane off the timeline' : 'Pin its lane on the timeline';
  return (
    <button
      type="button"
      className={styles.pin}
      aria-pressed={pinned}
      aria-label={`${words}: ${nameOf(kind, row)} ${row.tid ?? row.tgid ?? ''}`.trim()}
      title={words}
      onClick={() => go({ pins: toggled(pins, key) })}
    >
      <Icon name="pin" />
    </button>
  );
}

/** How long the threads of a row ran or waited. */
const wantedNs = (row: TopRow): number => row.run_ns + row.wait_ns;

/** What the bars are scaled by: the most that a row has. The recorder polls without end: its own bar is cut instead. */
export function scaleOf(rows: readonly TopRow[]): number {
  const others = rows.filter((row) => !row.of_recorder);
  return Math.max(...(others.some((row) => wantedNs(row) > 0) ? others : rows).map(wantedNs), 1);
}

/** Run, avoidable and unavoidable wait on one scale for all rows. */
function SplitBar({ row, most }: { row: TopRow; most: number }) {
  const cut = wantedNs(row) > most;
  const width = (ns: number) => ({ width: `${(ns / (cut ? wantedNs(row) : most)) * 100}%` });
  const times = `ran ${duration(row.run_ns)}, waited beside an idle CPU ${duration(row.avoidable_wait_ns)}, with all CPUs busy or excused ${duration(unavoidable(row))}`;
  const words = cut ? `${times}; the recorder itself: not on the scale of the others` : times;
  return (
    <span className={cut ? `${styles.bar2} ${styles.cut}` : styles.bar2} role="img" aria-label={words} title={words}>
      <i className={styles.run} style={width(row.run_ns)} />
      <i className={styles.avoidable} style={width(row.avoidable_wait_ns)} />
      <i className={styles.unavoidable} style={width(unavoidable(row))} />
    </span>
  );
}

const time = (key: keyof TopRow & string, title: string, hint: string): ColumnSpec<TopRow> => ({
  key,
  title,
  hint,
  number: true,
  order: (row) => Number(row[key] ?? 0),
  cell: (row) => duration(Number(row[key] ?? 0)),
});

const number = (key: keyof TopRow & string, title: string, hint: string): ColumnSpec<TopRow> => ({
  key,
  title,
  hint,
  number: true,
  order: (row) => Number(row[key] ?? 0),
  cell: (row) => count(Number(row[key] ?? 0)),
});

/** Why the threads of cgroups waited, on the scale of the one that waited most, and whom they waited for. */
function waitColumns(rows: readonly TopRow[]): ColumnSpec<TopRow>[] {
  const most = Math.max(...rows.map(waitedNs), 1);
  return [
    {
      key: 'waited_ns',
      title: 'Why it waited',
      hint: 'Sorts by all waiting, throttled time included',
      order: waitedNs,
      cell: (row) => <WaitSplit row={row} most={most} />,
    },
    time('throttled_ns', 'Own quota', 'Runnable, and its cgroup had no quota left'),
    time('own_threads_ns', 'Own threads', 'Waited while its CPU ran a thread of the same cgroup'),
    {
      ...time('neighbour_ns', 'Neighbours', 'Waited while its CPU ran a thread of another cgroup'),
      cell: (row) => (
        <span title={row.neighbours?.map((n) => `${n.cgroup ?? 'others'} ${duration(n.wait_ns)}`).join('\n')}>
          {duration(row.neighbour_ns ?? 0)} <span className="muted">{row.neighbours?.[0]?.cgroup ?? ''}</span>
        </span>
      ),
    },
  ];
}

/** `rows` are all that there are, to scale by. */
export function columnsOf(kind: Kind, rows: readonly TopRow[]): ColumnSpec<TopRow>[] {
  const most = scaleOf(rows);
  const columns: ColumnSpec<TopRow>[] = [
    {
      key: 'name',
      title: { thread: 'Thread', process: 'Process', cgroup: 'Cgroup', bubble: 'Bubble' }[kind],
      order: (row) => nameOf(kind, row),
      cell: (row) => (
        <span className={styles.named}>
          <Pin kind={kind} row={row} />
          <Name kind={kind} row={row} />
        </span>
      ),
    },
    {
      key: 'wait_ns',
      title: 'Ran and waited',
      hint: 'Sorts by all waiting',
      number: false,
      order: (row) => row.wait_ns,
      cell: (row) => <SplitBar row={row} most={most} />,
    },
    ...(kind === 'cgroup' ? waitColumns(rows) : []),
    time('avoidable_wait_ns', 'Avoidable wait', 'Waited while matched to an idle CPU that it could have used'),
    {
      key: 'share',
      title: 'of its wait',
      hint: 'Share of its waiting that was avoidable: the scheduler’s fault',
      number: true,
      order: (row) => row.avoidable_wait_ns / Math.max(row.wait_ns, 1),
      cell: (row) => (row.wait_ns > 0 ? percent(row.avoidable_wait_ns / row.wait_ns) : '–'),
    },
    {
      key: 'unavoidable_wait_ns',
      title: 'Unavoidable',
      hint: 'Waited while no CPU that it may use was idle',
      number: true,
      order: unavoidable,
      cell: (row) => duration(unavoidable(row)),
    },
    time('run_ns', 'Ran', 'On a CPU'),
  ];
  if (kind !== 'thread') columns.push(number('threads', 'Threads', 'Threads in it'));
  columns.push(number('migrations', 'Moves', 'Migrations between CPUs'));
  if (kind === 'bubble') {
    columns.push(
      number('cpus', 'CPUs', 'On how many it ran'),
      number('llcs', 'Caches', 'In how many last-level caches it ran'),
      number('nodes', 'Nodes', 'On how many nodes it ran'),
    );
    return columns;
  }
  columns.push(
    number('needless_migrations', 'Needless', 'Moves from an idle CPU or with nothing gained'),
    number('switches', 'Switches', 'Times it was switched to'),
    {
      key: 'antagonists',
      title: 'Waited for',
      hint: 'Threads that ran on its CPU while it waited',
      cell: (row) => (
        <span className={styles.antagonists} title={row.antagonists?.join(', ')}>
          {row.antagonists?.join(', ') ?? ''}
        </span>
      ),
    },
  );
  return columns;
}
