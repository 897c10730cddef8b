// Statistics of a range: what its CPUs did, what each thread did, how they waited, which causes their avoidable waits had.

import type { SelectionFigures, TraceSummary } from '../../api/types';
import { Icon } from '../../components/Icon';
import type { Threads } from '../../logic/timeline/names';
import { threadKey } from '../../logic/timeline/threadRows';
import { coreSeconds, duration, percent, plural, significant } from '../../logic/units';
import { causeWords } from '../../logic/words';
import { adjust, hrefTo, usePlace } from '../../navigation';
import { PanelFact } from './PanelParts';
import { togglePin } from './pinning';
import type { Reasons } from './RangeReasons';
import { RangeWaits } from './RangeWaits';
import styles from './Timeline.module.css';

/** Threads that are listed; a file has all of them. */
const MOST_LISTED = 100;

interface FactsProps {
  trace: TraceSummary;
  figures: SelectionFigures;
  reasons: Reasons;
  threads: Threads;
  /** Of chosen threads, not of CPUs. */
  ofThreads: boolean;
  /** There are other views to lead to: not in a report. */
  linked?: boolean;
}

export function RangeFacts({ trace, figures, reasons, threads, ofThreads, linked = true }: FactsProps) {
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
        <RangeWaits trace={trace} figures={figures} reasons={reasons} />
        {figures.causes.length > 0 && <RangeCauses causes={figures.causes} all={avoidable} linked={linked} />}
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
            <RangeThread key={thread.utid} thread={thread} name={threads.label(thread.utid)} linked={linked} />
          ))}
        </tbody>
      </table>
      {listed.length < figures.threads.length && (
        <p className={styles.hint}>
          The {MOST_LISTED} that ran and waited most{linked && '; CSV has all'}.
        </p>
      )}
    </div>
  );
}

interface ThreadProps {
  thread: SelectionFigures['threads'][number];
  name: string;
  linked: boolean;
}

function RangeThread({ thread, name, linked }: ThreadProps) {
  const { pins } = usePlace();
  const key = threadKey(thread.utid);
  const pinned = pins.includes(key);
  const time = (ns: number) => (ns === 0 ? '–' : duration(ns));
  return (
    <tr>
      <td>
        {linked ? (
          <>
            <button
              type="button"
              className={styles.link}
              onClick={() => adjust({ utid: thread.utid })}
              title="Follow it"
            >
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
          </>
        ) : (
          name
        )}
      </td>
      <td>{time(thread.run_ns)}</td>
      <td title={plural(thread.waits, 'wait')}>{time(thread.wait_ns)}</td>
      <td>{time(thread.avoidable_ns)}</td>
      <td>{linked ? <LongestWait thread={thread} of={key} name={name} /> : time(thread.longest_wait_ns)}</td>
      <td>{time(thread.sleep_ns)}</td>
      <td>{time(thread.blocked_ns)}</td>
    </tr>
  );
}

/** Leads to the wait: its panel says behind whom. */
function LongestWait({ thread, of, name }: { thread: ThreadProps['thread']; of: string; name: string }) {
  const { longest_wait_ns: ns, longest_wait_at_ns: at } = thread;
  if (at === null) return '–';
  return (
    <button
      type="button"
      className={styles.link}
      aria-label={`The longest wait of ${name}: ${duration(ns)}`}
      title="Behind which threads it waited"
      onClick={() => adjust({ params: { slice: `${of}@${at + Math.floor(ns / 2)}` } })}
    >
      {duration(ns)}
    </button>
  );
}

interface CausesProps {
  causes: SelectionFigures['causes'];
  all: number;
  linked: boolean;
}

function RangeCauses({ causes, all, linked }: CausesProps) {
  return (
    <ul className={styles.causes} aria-label="Causes of the avoidable waiting">
      {causes.map((cause) => (
        <li key={causeName(cause)}>
          <b>{percent(cause.avoidable_ns / Math.max(all, 1))}</b> {causeName(cause)}
          {linked && cause.worst_episode_id !== null && (
            <>
              {' '}
              <a href={hrefTo({ view: 'episodes', episode: cause.worst_episode_id })}>
                {cause.episodes === 1 ? 'episode' : 'worst: episode'} {cause.worst_episode_id}
              </a>
            </>
          )}
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
