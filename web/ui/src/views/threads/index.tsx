// Threads, processes, cgroups and bubbles: how long they ran and waited, and how much of the waiting was avoidable.

import { useState } from 'react';
import { ofTrace } from '../../api/client';
import { useJson } from '../../api/hooks';
import type { Rows } from '../../api/types';
import { DataTable } from '../../components/DataTable';
import { EvidenceGaps } from '../../components/EvidenceGaps';
import { Empty, Ready } from '../../components/States';
import { excuseNeeds } from '../../logic/gaps';
import { count } from '../../logic/units';
import { adjust, go, usePlace } from '../../navigation';
import type { ViewProps } from '../registry';
import { columnsOf, KINDS, type Kind, nameOf } from './columns';
import type { TopRow } from './row';
import styles from './Threads.module.css';
import { WaitLegend } from './WaitSplit';

const TITLES: Record<Kind, string> = {
  thread: 'Threads',
  process: 'Processes',
  cgroup: 'Cgroups',
  bubble: 'Bubbles',
};
const MAX_ROWS = 1000;
const NEEDS = {
  migrations: 'moves are counted where a thread was seen on another CPU',
  migration_stacks: 'by which path threads moved is not known',
  ...excuseNeeds('waits count as avoidable where it may have applied'),
};

export default function ThreadsView({ trace }: ViewProps) {
  const { params, filter } = usePlace();
  const kind = KINDS.find((item) => item === params.by) ?? 'thread';
  const answer = useJson<Rows>(ofTrace(trace.id, `top/${kind}?limit=${MAX_ROWS}`));
  return (
    <div className={styles.page}>
      <header className={styles.bar}>
        <div role="tablist" aria-label="By" className={styles.tabs}>
          {KINDS.map((item) => (
            <button
              key={item}
              type="button"
              role="tab"
              aria-selected={item === kind}
              className="quiet"
              onClick={() => go({ params: { by: item } })}
            >
              {TITLES[item]}
            </button>
          ))}
        </div>
        <ThreadsLegend />
        <input
          className="input"
          value={filter}
          onChange={(event) => adjust({ filter: event.target.value })}
          placeholder="Filter by name"
          aria-label="Filter by name"
        />
      </header>
      <EvidenceGaps trace={trace} needs={NEEDS} wakeups="waits after a wakeup are missing" />
      <div className={styles.scroll}>
        <Ready of={answer} what={`Adding up ${TITLES[kind].toLowerCase()}`} height="50vh">
          {({ rows }) => <ThreadList kind={kind} rows={rows as unknown as TopRow[]} filter={filter} />}
        </Ready>
      </div>
    </div>
  );
}

function ThreadList({ kind, rows, filter }: { kind: Kind; rows: TopRow[]; filter: string }) {
  const [all, setAll] = useState(false);
  const text = filter.toLowerCase();
  const still = rows.filter((row) => row.run_ns === 0 && row.wait_ns === 0).length;
  const shown = text
    ? rows.filter((row) => nameOf(kind, row).toLowerCase().includes(text))
    : all || still === rows.length
      ? rows
      : rows.filter((row) => row.run_ns > 0 || row.wait_ns > 0);
  if (shown.length === 0) {
    return (
      <Empty
        title={rows.length === 0 ? `No ${TITLES[kind].toLowerCase()} in this trace` : `Nothing is called “${filter}”`}
      >
        {kind === 'bubble' &&
          rows.length === 0 &&
          'Applications declare bubbles with the library of collector/bubbles.'}
      </Empty>
    );
  }
  return (
    <>
      {kind === 'cgroup' && <WaitLegend rows={rows} />}
      <DataTable
        label={TITLES[kind]}
        columns={columnsOf(kind, rows)}
        rows={shown}
        keyOf={(row) => `${row.utid ?? ''}/${row.upid ?? ''}/${row.cgroup_id ?? ''}/${row.bubble_id ?? ''}`}
        sort="-avoidable_wait_ns"
      />
      {!text && still > 0 && still < rows.length && (
        <p className={styles.foot}>
          {count(still)} that neither ran nor waited{all ? '' : ' are left out'}.{' '}
          <button type="button" className={styles.more} onClick={() => setAll(!all)}>
            {all ? 'Leave them out' : 'Show them'}
          </button>
        </p>
      )}
      {rows.length === MAX_ROWS && (
        <p className={styles.foot}>The {MAX_ROWS} with most avoidable waiting; the SQL view has all.</p>
      )}
    </>
  );
}

function ThreadsLegend() {
  return (
    <ul className={styles.legend} aria-label="Colours of the bar">
      <li>
        <i className={styles.run} /> ran
      </li>
      <li>
        <i className={styles.avoidable} /> waited beside an idle CPU: the scheduler’s fault
      </li>
      <li>
        <i className={styles.unavoidable} /> waited with all CPUs busy or excused: the load’s
      </li>
    </ul>
  );
}
