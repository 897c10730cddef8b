// What the time of each rank went to: a bar whose parts add up to all of it, and the shares beside it.

import type { ParallelApplication, RankTimes, TraceSummary } from '../../api/types';
import { type ColumnSpec, DataTable } from '../../components/DataTable';
import { meaningOfPart, nsOf, PARTS, partWords, shownParts } from '../../logic/balance/parts';
import { meaningOf } from '../../logic/glossary';
import { duration, percent } from '../../logic/units';
import { windowAround } from '../../logic/windowAround';
import { hrefTo, usePlace } from '../../navigation';
import styles from './Balance.module.css';

export function Ranks({ trace, app }: { trace: TraceSummary; app: ParallelApplication }) {
  const { pins } = usePlace();
  return (
    <section className={`card ${styles.panel}`}>
      <h2>Ranks</h2>
      <p className="muted">
        The parts of each bar add up to {duration(app.run_ns)}, from the instant at which all ranks are alive to the
        first end of one.
      </p>
      <ul className={styles.legend} aria-label="Colours of the parts">
        {shownParts(app).map((part) => (
          <li key={part} title={meaningOfPart(part, app)}>
            <i data-part={part} /> {partWords(part, app)}
          </li>
        ))}
      </ul>
      <div className={styles.wide}>
        <DataTable
          label="Ranks"
          columns={columnsOf(trace, app, pins)}
          rows={app.rank}
          keyOf={({ rank }) => rank}
          sort="rank"
        />
      </div>
    </section>
  );
}

/** By how much U in iterations differs from that of the run, for some rank, or it has no column. */
const LEAST_APART = 0.005;

function differsInIterations(app: ParallelApplication): boolean {
  return app.rank.some(
    ({ utilization: run, utilization_in_iterations: within }) =>
      run !== null && within !== null && Math.abs(run - within) >= LEAST_APART,
  );
}

const inIterations: ColumnSpec<RankTimes> = {
  key: 'u-in-iterations',
  title: 'In iterations',
  hint: 'U without start and end of the program, as it measures itself from its first barrier to its last one',
  number: true,
  order: ({ utilization_in_iterations: u }) => u ?? -1,
  cell: ({ utilization_in_iterations: u }) => (u === null ? '–' : percent(u)),
};

function columnsOf(trace: TraceSummary, app: ParallelApplication, pins: readonly string[]): ColumnSpec<RankTimes>[] {
  const share = (ns: number) => percent(ns / app.run_ns);
  const window = windowAround(app.start_ns, app.end_ns - app.start_ns, trace);
  const columns: ColumnSpec<RankTimes>[] = [
    { key: 'rank', title: 'Rank', number: true, order: ({ rank }) => rank, cell: ({ rank }) => rank },
    {
      key: 'name',
      title: 'Thread',
      order: ({ name }) => name,
      cell: ({ name, tid, utid }) => (
        <a
          href={hrefTo({ view: 'timeline', window, utid, pins: [...new Set([...pins, `t${utid}`])] })}
          title="Show it on the timeline"
        >
          {name} <span className="muted">{tid}</span>
        </a>
      ),
    },
    {
      key: 'u',
      title: 'U',
      hint: meaningOf('U') ?? '',
      number: true,
      order: ({ utilization }) => utilization ?? -1,
      cell: ({ utilization }) => (utilization === null ? '–' : percent(utilization)),
    },
    ...(differsInIterations(app) ? [inIterations] : []),
    { key: 'bar', title: 'Its time', cell: (rank) => <PartsBar app={app} rank={rank} /> },
    ...shownParts(app).map(
      (part): ColumnSpec<RankTimes> => ({
        key: part,
        title: partWords(part, app),
        hint: meaningOfPart(part, app),
        number: true,
        order: (rank) => nsOf(rank, part),
        cell: (rank) => <span title={duration(nsOf(rank, part))}>{share(nsOf(rank, part))}</span>,
      }),
    ),
  ];
  if (app.rank.some(({ avoidable_wait_ns }) => avoidable_wait_ns > 0))
    columns.push({
      key: 'avoidable_wait_ns',
      title: 'Avoidable wait',
      hint: 'Preempted or queued while matched to an idle CPU that it could have used; part of those columns',
      number: true,
      order: ({ avoidable_wait_ns }) => avoidable_wait_ns,
      cell: ({ avoidable_wait_ns }) => share(avoidable_wait_ns),
    });
  if (app.rank.every(({ counters }) => counters !== null))
    columns.push({
      key: 'ipc',
      title: 'IPC',
      hint: meaningOf('IPC') ?? '',
      number: true,
      order: ({ counters }) => ipc(counters),
      cell: ({ counters }) => (
        <span title={`${(counters?.instructions ?? 0).toLocaleString('en')} instructions`}>
          {ipc(counters).toFixed(2)}
        </span>
      ),
    });
  return columns;
}

/** Instructions per cycle; 0 where nothing was counted. */
function ipc(counters: RankTimes['counters']): number {
  return counters ? counters.instructions / counters.cycles : 0;
}

function PartsBar({ app, rank }: { app: ParallelApplication; rank: RankTimes }) {
  const some = PARTS.filter((part) => nsOf(rank, part) > 0);
  const words = some.map((part) => `${partWords(part, app)} ${duration(nsOf(rank, part))}`).join(', ');
  return (
    <span className={styles.parts} role="img" aria-label={`Rank ${rank.rank}: ${words}`} title={words}>
      {some.map((part) => (
        <i key={part} data-part={part} style={{ width: `${(nsOf(rank, part) / app.run_ns) * 100}%` }} />
      ))}
    </span>
  );
}
