// Statistics of the selected range: what its CPUs did, what each thread did, which causes its avoidable waits had.

import { useEffect, useState } from 'react';
import { ofTrace, query } from '../../api/client';
import { useJson } from '../../api/hooks';
import type { SelectionFigures, TraceSummary } from '../../api/types';
import { Icon } from '../../components/Icon';
import { STACKS_OF } from '../../components/RangeStacks';
import { StacksDialog } from '../../components/StacksDialog';
import { Ready } from '../../components/States';
import { download } from '../../download';
import { formatCpuList } from '../../logic/cpulist';
import type { Selection } from '../../logic/place';
import { csvOf } from '../../logic/rowText';
import type { LaneLayout } from '../../logic/timeline/lanes';
import type { Threads } from '../../logic/timeline/names';
import { rangeOf, rangeTable } from '../../logic/timeline/rangeRows';
import { threadKey } from '../../logic/timeline/threadRows';
import { coreSeconds, duration, moment, percent, plural, significant } from '../../logic/units';
import { causeWords } from '../../logic/words';
import { adjust, usePlace } from '../../navigation';
import { CloseButton, PanelFact } from './PanelParts';
import { togglePin } from './pinning';
import styles from './Timeline.module.css';
import type { Viewport } from './viewport';

/** Threads that are listed; a file has all of them. */
const MOST_LISTED = 100;

interface RangeProps {
  trace: TraceSummary;
  selection: Selection;
  threads: Threads;
  lanes: LaneLayout;
  viewport: Viewport;
}

export function RangePanel({ trace, selection, threads, lanes, viewport }: RangeProps) {
  const settled = useSettledSelection(selection);
  const answer = useJson<SelectionFigures>(ofTrace(trace.id, `selection${parametersOf(settled)}`));
  const figures = answer.data;
  const { params } = usePlace();
  const stacks = STACKS_OF.find((item) => item === params.stacks);
  const nameOf = (key: string) =>
    lanes.threads.find((lane) => lane.key === key)?.name ??
    (key.startsWith('t') ? threads.label(Number(key.slice(1))) : key);
  const title = `${duration(selection.end - selection.start)} from ${moment(selection.start - trace.start_ns)}${rangeOf(selection, nameOf)}`;
  return (
    <>
      {stacks && (
        <StacksDialog
          trace={trace}
          range={settled}
          title={title}
          of={stacks}
          onOf={(of) => adjust({ params: { stacks: of } })}
          onClose={() => adjust({ params: {} })}
        />
      )}
      <header>
        <h2>{title}</h2>
        <button
          type="button"
          className="button"
          disabled={!figures}
          title="All threads of the range, as a table in a file (e)"
          onClick={() => figures && saveRange(trace, figures, threads)}
        >
          <Icon name="download" /> CSV
        </button>
        <button
          type="button"
          className="button"
          aria-haspopup="dialog"
          title="Kernel stacks of its switches, wakeups and moves, as a flame graph"
          onClick={() => adjust({ params: { stacks: STACKS_OF[0] } })}
        >
          <Icon name="stacks" /> Stacks
        </button>
        <button type="button" className="button" title="z" onClick={() => viewport.glide(selection)}>
          <Icon name="zoom" /> Zoom
        </button>
        <CloseButton />
      </header>
      <Ready of={answer} what="Adding up the selection" height={96}>
        {(found) => <RangeFacts figures={found} threads={threads} ofThreads={selection.lanes !== undefined} />}
      </Ready>
    </>
  );
}

/** The parameters by which the server is asked about a range. */
export function parametersOf({ start, end, cpus, lanes }: Selection): string {
  return query({ start, end, cpus: cpus ? formatCpuList(cpus) : null, lanes: lanes?.join(',') });
}

/** Hands a file with the threads of a range to the user. */
export function saveRange(trace: TraceSummary, figures: SelectionFigures, threads: Threads): void {
  const text = csvOf(rangeTable(figures, threads));
  const name = `${trace.name.replace(/\.duckdb$/, '')}-range-${figures.start_ns}-${figures.end_ns}.csv`;
  download(name, new Blob([text], { type: 'text/csv' }));
}

interface FactsProps {
  figures: SelectionFigures;
  threads: Threads;
  /** Of chosen threads, not of CPUs. */
  ofThreads: boolean;
}

function RangeFacts({ figures, threads, ofThreads }: FactsProps) {
  const span = figures.end_ns - figures.start_ns;
  const total = figures.run_ns + figures.idle_ns + figures.unobserved_ns;
  const run = figures.threads.reduce((sum, thread) => sum + thread.run_ns, 0);
  const avoidable = figures.threads.reduce((sum, thread) => sum + thread.avoidable_ns, 0);
  const listed = figures.threads.slice(0, MOST_LISTED);
  return (
    <div className={styles.selected}>
      <div>
        <dl className={styles.facts}>
          {ofThreads ? (
            <PanelFact name="running" value={`${significant(run / span)} threads on average`} />
          ) : (
            <PanelFact name="busy" value={`${percent(figures.run_ns / Math.max(total, 1))} of the CPU time`} />
          )}
          <PanelFact name="waiting" value={`${significant(figures.wait_ns / span)} threads on average`} />
          <PanelFact name="avoidable waiting" value={duration(avoidable)} />
          <PanelFact name="wasted, machine-wide" value={coreSeconds(figures.wasted_core_s)} />
          {!ofThreads && (
            <PanelFact
              name="arrivals"
              value={figures.migrations.map((move) => `${move.migrations} by ${move.path}`).join(', ') || 'none'}
            />
          )}
        </dl>
        {figures.causes.length > 0 && <RangeCauses causes={figures.causes} all={avoidable} />}
      </div>
      <table aria-label="Threads of the range">
        <thead>
          <tr>
            <th>{plural(figures.threads.length, 'thread')}</th>
            <th>ran</th>
            <th>waited</th>
            <th title="Waited while an idle CPU that it may use was there">avoidable</th>
            <th title="The longest wait within the range, on one queue">longest</th>
            <th>asleep</th>
            <th>blocked</th>
          </tr>
        </thead>
        <tbody>
          {listed.map((thread) => (
            <RangeThread key={thread.utid} thread={thread} name={threads.label(thread.utid)} />
          ))}
        </tbody>
      </table>
      {listed.length < figures.threads.length && (
        <p className={styles.hint}>The {MOST_LISTED} that ran and waited most; CSV has all.</p>
      )}
    </div>
  );
}

function RangeThread({ thread, name }: { thread: SelectionFigures['threads'][number]; name: string }) {
  const { pins } = usePlace();
  const key = threadKey(thread.utid);
  const pinned = pins.includes(key);
  const time = (ns: number) => (ns === 0 ? '–' : duration(ns));
  return (
    <tr>
      <td>
        <button type="button" className={styles.link} onClick={() => adjust({ utid: thread.utid })} title="Follow it">
          {name}
        </button>
        <button
          type="button"
          className={styles.rowPin}
          aria-pressed={pinned}
          aria-label={`${pinned ? 'Unpin' : 'Pin above the CPUs'}: ${name}`}
          onClick={() => togglePin(key)}
        >
          <Icon name="pin" />
        </button>
      </td>
      <td>{time(thread.run_ns)}</td>
      <td title={plural(thread.waits, 'wait')}>{time(thread.wait_ns)}</td>
      <td>{time(thread.avoidable_ns)}</td>
      <td>{time(thread.longest_wait_ns)}</td>
      <td>{time(thread.sleep_ns)}</td>
      <td>{time(thread.blocked_ns)}</td>
    </tr>
  );
}

function RangeCauses({ causes, all }: { causes: SelectionFigures['causes']; all: number }) {
  return (
    <ul className={styles.causes} aria-label="Causes of the avoidable waiting">
      {causes.map((cause) => (
        <li key={causeName(cause)}>
          <b>{percent(cause.avoidable_ns / Math.max(all, 1))}</b> {causeName(cause)}
        </li>
      ))}
    </ul>
  );
}

function causeName(cause: SelectionFigures['causes'][number]): string {
  const { placed_by, not_moved_because, placed_by_proof, not_moved_because_proof } = cause;
  if (placed_by === null || not_moved_because === null) return 'in no episode: short intervals';
  const proofs = {
    ...(placed_by_proof === null ? {} : { placed_by_proof }),
    ...(not_moved_because_proof === null ? {} : { not_moved_because_proof }),
  };
  return causeWords({ placed_by, not_moved_because, ...proofs });
}

/** A selection that has rested for a moment: figures are not asked for while it is being drawn. */
function useSettledSelection(selection: Selection): Selection {
  const [settled, setSettled] = useState(selection);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(selection), 180);
    return () => clearTimeout(timer);
  }, [selection]);
  return settled;
}
