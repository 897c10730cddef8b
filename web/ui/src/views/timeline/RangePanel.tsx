// The panel of the selected range: its statistics, and what can be done with them.

import { useEffect, useState } from 'react';
import { ofTrace, query } from '../../api/client';
import { useJson } from '../../api/hooks';
import type { SelectionFigures, TraceSummary } from '../../api/types';
import { Icon } from '../../components/Icon';
import { ANY, stacksOf } from '../../components/RangeStacks';
import { StacksDialog } from '../../components/StacksDialog';
import { Ready } from '../../components/States';
import { download } from '../../download';
import { formatCpuList } from '../../logic/cpulist';
import type { Selection } from '../../logic/place';
import { csvOf } from '../../logic/rowText';
import type { LaneLayout } from '../../logic/timeline/lanes';
import type { Threads } from '../../logic/timeline/names';
import { rangeOf, rangeTable } from '../../logic/timeline/rangeRows';
import { duration, moment } from '../../logic/units';
import { adjust, usePlace } from '../../navigation';
import { CloseButton } from './PanelParts';
import { chooseCpus, togglePinnedCpus } from './pinning';
import { RangeFacts } from './RangeFacts';
import { useReasons } from './RangeReasons';
import { ReportCommand } from './ReportCommand';
import type { Viewport } from './viewport';

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
  const reasons = useReasons(trace, parametersOf(settled));
  const figures = answer.data;
  const { params } = usePlace();
  const stacks = stacksOf(params.stacks);
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
          onClick={() => adjust({ params: { stacks: ANY } })}
        >
          <Icon name="stacks" /> Stacks
        </button>
        <button type="button" className="button" title="z" onClick={() => viewport.glide(selection)}>
          <Icon name="zoom" /> Zoom
        </button>
        {selection.cpus && <CpuButtons cpus={selection.cpus} />}
        <CloseButton />
      </header>
      <Ready of={answer} what="Adding up the selection" height={96}>
        {(found) => (
          <RangeFacts
            trace={trace}
            figures={found}
            reasons={reasons}
            threads={threads}
            ofThreads={selection.lanes !== undefined}
          />
        )}
      </Ready>
      <ReportCommand key={parametersOf(settled)} trace={trace} selection={selection} />
    </>
  );
}

/** Which CPUs have lanes, and where. */
function CpuButtons({ cpus }: { cpus: readonly number[] }) {
  const { cpus: only, first } = usePlace();
  const arePinned = cpus.every((cpu) => first.includes(cpu));
  return (
    <>
      <button
        type="button"
        className="button"
        aria-pressed={only !== null}
        title={only ? 'Lanes of all CPUs again (x)' : 'Lanes of these CPUs alone (x)'}
        onClick={() => chooseCpus(only ? null : cpus)}
      >
        Only these
      </button>
      <button
        type="button"
        className="button"
        aria-pressed={arePinned}
        title={arePinned ? 'Back to their places' : 'Their lanes above those of the other CPUs'}
        onClick={() => togglePinnedCpus(cpus)}
      >
        <Icon name={arePinned ? 'close' : 'pin'} /> {arePinned ? 'Unpin' : 'Pin'}
      </button>
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

/** A selection that has rested for a moment: figures are not asked for while it is being drawn. */
function useSettledSelection(selection: Selection): Selection {
  const [settled, setSettled] = useState(selection);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(selection), 180);
    return () => clearTimeout(timer);
  }, [selection]);
  return settled;
}
