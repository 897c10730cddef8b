// The columns of the table of threads, processes or cgroups: how often and how long each waited.

import type { Latency, LatencyRow, TraceSummary, WaitGroup } from '../../api/types';
import type { ColumnSpec } from '../../components/DataTable';
import { Icon } from '../../components/Icon';
import { count, duration, moment } from '../../logic/units';
import { windowAround } from '../../logic/windowAround';
import { hrefTo } from '../../navigation';
import { keyText } from './groupKey';
import { Sparkline } from './Histogram';
import styles from './Latency.module.css';

export const labelOf = (row: LatencyRow): string =>
  row.key === null ? 'not recorded' : (row.label ?? row.name ?? 'unknown');

/** Of a chosen group, with its number: there may be several of one name. */
export function nameOf(group: WaitGroup, by: string): string {
  if (group.key === null) return `a ${by} that is not recorded`;
  const number = by === 'thread' ? group.tid : by === 'process' ? group.tgid : null;
  return `${group.label ?? group.name ?? 'unknown'}${number === null ? '' : ` ${number}`}`;
}

type FigureName = 'median_ns' | 'p99_ns' | 'longest_ns';
type KindName = 'wakeup' | 'preemption';

const figure = (key: FigureName, title: string, hint: string): ColumnSpec<LatencyRow> => ({
  key,
  title,
  hint,
  number: true,
  order: (row) => row[key],
  cell: (row) => duration(row[key]),
});

const ofKind = (kind: KindName, name: FigureName, title: string): ColumnSpec<LatencyRow> => ({
  key: `${kind}_${name}`,
  title,
  hint: `Of the waits after a ${kind}`,
  number: true,
  order: (row) => row[kind]?.[name] ?? 0,
  cell: (row) => {
    const value = row[kind]?.[name];
    return value === undefined ? '' : duration(value);
  },
});

/** The name chooses its row, which a click elsewhere on the row does as well. */
function Name({ row, by, chosen, choose }: { row: LatencyRow; by: string; chosen: boolean; choose: () => void }) {
  const id = by === 'thread' ? row.tid : by === 'process' ? row.tgid : null;
  return (
    <span className={styles.name}>
      <button
        type="button"
        className={styles.group}
        aria-pressed={chosen}
        title={`${row.name ?? labelOf(row)}: ${chosen ? 'show all waits again' : 'show its waits alone'}`}
        onClick={choose}
      >
        {labelOf(row)} {id !== null && <span className="muted">{id}</span>}
      </button>
      {by === 'thread' && row.key !== null && (
        <a
          className={styles.follow}
          href={hrefTo({ view: 'timeline', utid: row.key, scheme: 'thread', filter: '' })}
          title="Follow it on the timeline"
          aria-label={`Follow ${labelOf(row)} ${id ?? ''} on the timeline`}
        >
          <Icon name="follow" />
        </a>
      )}
    </span>
  );
}

export function columnsOf(
  data: Latency,
  trace: TraceSummary,
  range: readonly [number, number],
  chosen: string | null,
  choose: (row: LatencyRow) => void,
): ColumnSpec<LatencyRow>[] {
  const split: ColumnSpec<LatencyRow>[] =
    data.after === 'any'
      ? [
          ofKind('wakeup', 'p99_ns', 'p99 after a wakeup'),
          ofKind('wakeup', 'longest_ns', 'Longest'),
          ofKind('preemption', 'p99_ns', 'p99 after a preemption'),
          ofKind('preemption', 'longest_ns', 'Longest'),
        ]
      : [];
  return [
    {
      key: 'name',
      title: { thread: 'Thread', process: 'Process', cgroup: 'Cgroup' }[data.by] ?? 'Name',
      order: labelOf,
      cell: (row) => <Name row={row} by={data.by} chosen={keyText(row.key) === chosen} choose={() => choose(row)} />,
    },
    {
      key: 'waits',
      title: 'Waits',
      hint: 'Times that it waited for a CPU',
      number: true,
      order: (row) => row.waits,
      cell: (row) => count(row.waits),
    },
    figure('median_ns', 'Median', 'Half of its waits are no longer'),
    figure('p99_ns', 'p99', '99 % of its waits are no longer; of fewer than a hundred the longest'),
    {
      ...figure('longest_ns', 'Longest', 'Its longest wait; the link shows it on the timeline'),
      cell: (row) => (
        <a
          href={hrefTo({
            view: 'timeline',
            window: windowAround(row.longest_at_ns, row.longest_ns, trace),
            utid: data.by === 'thread' ? row.key : null,
          })}
          title={`At ${moment(row.longest_at_ns - trace.start_ns)}: show it on the timeline`}
        >
          {duration(row.longest_ns)}
        </a>
      ),
    },
    ...split,
    {
      key: 'histogram',
      title: 'By length',
      cell: (row) => <Sparkline bins={row.histogram} range={range} label={`Histogram of ${labelOf(row)}`} />,
    },
  ];
}
