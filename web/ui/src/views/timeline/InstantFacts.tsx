// In the panel, of the picked slice or state of a thread: what woke it, how long it waited behind which threads, what it may use.

import type { ThreadInstant } from '../../api/types';
import { ListedText } from '../../components/ListedText';
import { formatCpuList } from '../../logic/cpulist';
import { functionOf } from '../../logic/flame';
import type { Selection } from '../../logic/place';
import type { Threads } from '../../logic/timeline/names';
import { priorityWords } from '../../logic/timeline/priority';
import { scanWords } from '../../logic/timeline/scans';
import { duration } from '../../logic/units';
import { adjust } from '../../navigation';
import styles from './Timeline.module.css';

const MOST_NAMED = 3;
/** Functions of a stack that are shown. */
const MOST_FRAMES = 6;

interface InstantProps {
  instant: ThreadInstant;
  threads: Threads;
}

export function InstantFacts({ instant, threads }: InstantProps) {
  const { wait, wakeup } = instant;
  const ended = instant.phase !== null && instant.phase >= 3 && instant.phase <= 5;
  return (
    <>
      {wakeup && (
        <Fact name={ended ? 'woken, at its end, by' : 'woken by'}>
          <Waker wakeup={wakeup} threads={threads} />
        </Fact>
      )}
      {instant.placement && (
        <Fact name="placement">
          {scanWords({ scanned: instant.placement.scanned, chosen: instant.placement.chosen_cpu })}, on CPU{' '}
          {instant.placement.cpu}
        </Fact>
      )}
      {wait && (
        <Fact name={WAIT_NAMES[wait.after]}>
          <button
            type="button"
            className={styles.link}
            title="Select it as a range of the CPUs it was on: all that ran there meanwhile"
            onClick={() => adjust({ selection: rangeOfWait(wait) })}
          >
            {duration(wait.dur_ns)}
          </button>{' '}
          on CPU {wait.cpus.join(', then ')}
          {wait.throttled_ns > 0 && `, ${duration(wait.throttled_ns)} of it without quota`}
        </Fact>
      )}
      {wait && (
        <Fact name="behind">
          <Behind wait={wait} threads={threads} />
        </Fact>
      )}
      {wait && wait.idle.length > 0 && (
        <Fact name={instant.allowed === null ? 'idle CPUs meanwhile' : 'idle CPUs that it may use'}>
          <Idle idle={wait.idle} />
        </Fact>
      )}
      {instant.stacks.map((stack) => (
        <Fact key={`${stack.of}${stack.ts_ns}`} name={STACK_NAMES[stack.of] ?? stack.of}>
          <StackText symbols={stack.symbols} />
        </Fact>
      ))}
      {instant.prio !== null && <Fact name="priority">{priorityWords(instant.prio)}</Fact>}
      {instant.policy !== null && <Fact name="policy">{instant.policy}</Fact>}
      {instant.process !== null && (
        <Fact name="process">
          {instant.process} {instant.tgid}
        </Fact>
      )}
      {instant.cgroup !== null && <Fact name="cgroup">{instant.cgroup || '/'}</Fact>}
      {instant.allowed !== null && <Fact name="may use CPUs">{formatCpuList(instant.allowed)}</Fact>}
      {instant.lacks.length > 0 && (
        <Fact name="not recorded">
          <span className={styles.lacks}>{instant.lacks.join('; ')}</span>
        </Fact>
      )}
    </>
  );
}

const rangeOfWait = ({ start_ns, dur_ns, cpus }: NonNullable<ThreadInstant['wait']>): Selection => ({
  start: start_ns,
  end: start_ns + dur_ns,
  cpus: cpus.length > 0 ? [...cpus].sort((a, b) => a - b) : null,
});

const WAIT_NAMES = {
  wakeup: 'waited after the wakeup',
  preemption: 'waited after a preemption',
  throttling: 'waited without quota',
} as const;

function Fact({ name, children }: { name: string; children: React.ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

const STACK_NAMES: Readonly<Record<string, string>> = {
  sched_waking: 'stack of the waker',
  sched_wakeup: 'stack of the wakeup',
  sched_migrate_task: 'stack of the move',
  sched_switch: 'stack where it left the CPU',
};

/** The functions of a stack, the innermost first; with offsets in the title. */
function StackText({ symbols }: { symbols: readonly string[] }) {
  return (
    <code className={styles.stack} title={symbols.join('\n')}>
      <ListedText items={symbols.map(functionOf)} most={MOST_FRAMES} between=" ← " />
    </code>
  );
}

function Waker({ wakeup, threads }: { wakeup: NonNullable<ThreadInstant['wakeup']>; threads: Threads }) {
  const { waker_utid: utid, waker_cpu: cpu, waking_ns: at } = wakeup;
  const delay = wakeup.wakeup_ns - at;
  const words =
    utid === null ? `a thread on CPU ${cpu}` : utid === 0 ? `an interrupt on idle CPU ${cpu}` : threads.label(utid);
  const title =
    'Go to where it was made. The waker is the thread that ran there at that instant; an interrupt of it may have made the wakeup';
  return (
    <>
      <button
        type="button"
        className={styles.link}
        title={title}
        onClick={() => adjust({ params: { slice: `${cpu}@${Math.max(Math.floor(at) - 1, 0)}` }, selection: null })}
      >
        {words}
      </button>
      {utid ? ` on CPU ${cpu}` : ''}
      {delay > 0 && `, queued ${duration(delay)} later`}
    </>
  );
}

/** The CPUs that idled longest while the thread waited. */
function Idle({ idle }: { idle: NonNullable<ThreadInstant['wait']>['idle'] }) {
  return <ListedText items={idle.map(({ cpu, ns }) => `CPU ${cpu} ${duration(ns)}`)} most={MOST_NAMED} />;
}

function Behind({ wait, threads }: { wait: NonNullable<ThreadInstant['wait']>; threads: Threads }) {
  const nameOf = (utid: number | null) =>
    utid === null ? 'not observed' : utid === 0 ? 'the idle thread' : threads.label(utid);
  const onCpu = (cpu: number) => (wait.cpus.length > 1 ? ` (CPU ${cpu})` : '');
  const items = wait.behind.map(({ utid, cpu, ns }) => `${nameOf(utid)} ${duration(ns)}${onCpu(cpu)}`);
  return <ListedText items={items} most={MOST_NAMED} total={wait.behind_total} />;
}
