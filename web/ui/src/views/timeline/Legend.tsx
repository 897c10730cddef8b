// Under the lanes: what the colours of the scheme and of the arcs mean, and what cannot be shown at this zoom.

import { OTHERS } from '../../logic/hues';
import { PATH_COLOURS, pathsOfColour } from '../../logic/paths';
import type { Overlay, Scheme } from '../../logic/place';
import { distinguishesThreads } from '../../logic/timeline/colour';
import type { Threads } from '../../logic/timeline/names';
import { frequencyWords, type PowerRange, shadeOf } from '../../logic/timeline/power';
import type { CrowdedKind } from './frameResult';
import styles from './Timeline.module.css';

type LegendEntry = readonly [token: string, text: string];

const WASTED: LegendEntry = ['--wasted-fill', 'idle, wasted'];
const UNOBSERVED: LegendEntry = ['--unobserved', 'not observed'];
const IDLE: LegendEntry = ['--idle-fill', 'idle'];
const STATE: readonly LegendEntry[] = [
  IDLE,
  ['--busy-fill', 'running'],
  ['--overload-fill', 'running, others wait'],
  WASTED,
  UNOBSERVED,
];

/** Beside running, in the colour of the scheme. */
const THREAD_STATES: readonly LegendEntry[] = [
  ['--waiting-fill', 'thread waiting'],
  ['--idle-fill', 'asleep'],
  ['--blocked-fill', 'blocked (D)'],
  ['--stopped-fill', 'stopped'],
  ['--throttled-fill', 'no quota'],
];

const HEAT: readonly LegendEntry[] = [
  ...['0', '1', '2', '4', '8', '16 threads'].map((n, i): LegendEntry => [`--heat-${i}`, n]),
  WASTED,
  UNOBSERVED,
];

/** Groups that are named; the lanes carry the names of all. */
const MOST_NAMED = 8;

/** What a scheme's colours mean: all that is painted, and nothing else. */
export function entriesOf(scheme: Scheme, named: readonly string[]): readonly LegendEntry[] {
  if (scheme === 'state') return STATE;
  if (scheme === 'queue' || scheme === 'wait') return HEAT;
  const kinds = named.slice(0, MOST_NAMED).map((name, hue): LegendEntry => [`--kind-${hue}`, name]);
  return [IDLE, WASTED, UNOBSERVED, ...kinds, [`--kind-${OTHERS}`, `other ${PLURAL[scheme]}`]];
}

const PLURAL: Partial<Record<Scheme, string>> = {
  thread: 'threads',
  process: 'processes',
  cgroup: 'cgroups',
  bubble: 'bubbles',
};

const PATHS = Object.entries(PATH_COLOURS);

const CROWDED: Record<CrowdedKind, string> = {
  migrations: 'migrations',
  flows: 'wakeups of pinned threads',
  wakeups: 'wakeups',
  attempts: 'load-balance attempts',
  scans: 'scanned CPUs',
  attemptScans: 'CPUs scanned by attempts',
  interrupts: 'interrupts',
  idle: 'idle states',
  frequency: 'frequencies',
  jobs: 'jobs',
};

/** What is drawn of each job of a thread with a deadline. */
function JobMarks() {
  return (
    <ul aria-label="Marks of jobs">
      <li>
        <span aria-hidden="true">↑</span> released
      </li>
      <li>
        <span aria-hidden="true">↓</span> deadline
      </li>
      <li>
        <span aria-hidden="true">●</span> ended
      </li>
      <li title="From the deadline to the end of the job">
        <i className={styles.arc} style={{ background: 'var(--missed)' }} />
        late
      </li>
    </ul>
  );
}

/** Marks of placements and load-balance attempts. */
function ScanMarks() {
  return (
    <ul aria-label="Marks of CPUs scanned">
      <li title="Of a wakeup, fork or exec">
        <span aria-hidden="true">○</span> CPU scanned
      </li>
      <li>
        <span aria-hidden="true">●</span> CPU chosen
      </li>
      <li title="The same of a load-balance attempt">
        <span aria-hidden="true">□ ■</span> by an attempt
      </li>
    </ul>
  );
}

/** The band along the top of a lane. */
function InterruptColours() {
  return (
    <ul aria-label="Colours of interrupts">
      <li title="Interrupt work from 20 µs on, each at least a pixel">
        <i className={styles.arc} style={{ background: 'var(--irq-hard)' }} />
        hard interrupt
      </li>
      <li title="Interrupt work from 20 µs on, each at least a pixel">
        <i className={styles.arc} style={{ background: 'var(--irq-soft)' }} />
        softirq
      </li>
      <li title="The one after the other">
        <i className={styles.bothInterrupts} />
        both
      </li>
    </ul>
  );
}

/** Shades of idle states that are shown: of more states not each. */
const MOST_SHADES = 10;

/** The band along the bottom of a lane. */
function IdleStateShades({ deepest }: { deepest: number }) {
  const count = Math.min(deepest + 1, MOST_SHADES);
  const shades = Array.from({ length: count }, (_, at) => Math.round((at * deepest) / Math.max(count - 1, 1)));
  return (
    <ul aria-label="Colours of idle states">
      <li title="By the number of the state in the kernel">
        <span className={styles.ramp}>
          {shades.map((state) => (
            <i key={state} style={{ background: 'var(--idle-state)', opacity: shadeOf(state, deepest) }} />
          ))}
        </span>
        {deepest === 0 ? 'idle state 0' : `idle states 0 to ${deepest}`}
      </li>
    </ul>
  );
}

/** The line in a lane. */
function FrequencyLine({ highest }: { highest: number }) {
  return (
    <ul aria-label="Line of the frequency">
      <li title="From 0, at the bottom of the lane, to the highest one in the trace, at its top">
        <i className={styles.arc} style={{ background: 'var(--frequency)' }} />
        frequency, up to {frequencyWords(highest)}
      </li>
    </ul>
  );
}

interface LegendProps {
  scheme: Scheme;
  overlays: readonly Overlay[];
  crowded: readonly CrowdedKind[];
  threads: Threads;
  /** Lanes are high enough for the lines of waiting threads under them. */
  stacked: boolean;
  /** Marks of CPUs scanned are drawn: of all in sight, or of what was picked. */
  withScans: boolean;
  power: PowerRange;
  /** There are lanes of threads. */
  withThreads: boolean;
  /** There are lanes of processes or cgroups. */
  withGroups: boolean;
  /** Parts of the lanes could not be loaded. */
  hatched: boolean;
}

export function Legend(props: LegendProps) {
  const { scheme, overlays, crowded, threads, stacked, withScans, power, withThreads, withGroups, hatched } = props;
  const isDrawn = (overlay: Overlay & CrowdedKind) => overlays.includes(overlay) && !crowded.includes(overlay);
  const entries = entriesOf(scheme, distinguishesThreads(scheme) ? threads.named(scheme) : []);
  const arcs = isDrawn('migrations') ? PATHS : [];
  return (
    // It scrolls on a phone: by keys, too.
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to have the focus
    <section className={styles.legend} aria-label="Colours" tabIndex={0}>
      <ul aria-label="Colours of the lanes">
        {entries.map(([token, text]) => (
          <li key={token}>
            <i style={{ background: `var(${token})` }} />
            {text}
          </li>
        ))}
        {hatched && (
          <li>
            <i className={styles.hatching} />
            could not be loaded
          </li>
        )}
        {stacked && overlays.includes('waiting') && (
          <li title="A line under a lane for each thread that waits there">
            <i className={styles.arc} style={{ background: 'var(--waiting-fill)' }} />
            waiting
          </li>
        )}
      </ul>
      {withScans && <ScanMarks />}
      {isDrawn('interrupts') && <InterruptColours />}
      {isDrawn('idle') && power.deepest !== null && <IdleStateShades deepest={power.deepest} />}
      {isDrawn('frequency') && power.highest !== null && <FrequencyLine highest={power.highest} />}
      {withThreads && overlays.includes('jobs') && <JobMarks />}
      {withThreads && (
        <ul aria-label="Colours of the lanes of threads">
          {THREAD_STATES.map(([token, text]) => (
            <li key={token}>
              <i style={{ background: `var(${token})` }} />
              {text}
            </li>
          ))}
          {withGroups && (
            <li title="Threads of a process or cgroup that run">
              <span className={styles.ramp}>
                {HEAT.slice(0, 6).map(([token]) => (
                  <i key={token} style={{ background: `var(${token})` }} />
                ))}
              </span>
              0 to 16 threads run
            </li>
          )}
        </ul>
      )}
      <ul aria-label="Colours of migrations">
        {arcs.map(([colour, text]) => (
          <li key={colour} title={pathsOfColour(colour)}>
            <i className={styles.arc} style={{ background: `var(--path-${colour})` }} />
            {text}
          </li>
        ))}
        {crowded.length > 0 && (
          <li className={styles.much}>
            too many {crowded.map((kind) => CROWDED[kind]).join(' and ')} to draw: zoom in
          </li>
        )}
      </ul>
    </section>
  );
}
