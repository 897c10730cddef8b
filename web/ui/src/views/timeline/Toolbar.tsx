// Above the lanes: colour scheme, overlays, filter, and what is followed.

import { Icon } from '../../components/Icon';
import { GROUPINGS, type Grouping, OVERLAYS, type Overlay, type Place, SCHEMES, type Scheme } from '../../logic/place';
import { canFit, isFitted, type LaneLayout, otherFit } from '../../logic/timeline/lanes';
import type { Threads } from '../../logic/timeline/names';
import { plural } from '../../logic/units';
import { adjust, go } from '../../navigation';
import { hasStack } from './laneParts';
import type { Band } from './scene';
import styles from './Timeline.module.css';

const SCHEME_WORDS: Record<Scheme, string> = {
  state: 'State',
  thread: 'Thread',
  process: 'Process',
  cgroup: 'Cgroup',
  bubble: 'Bubble',
  queue: 'Runqueue length',
  wait: 'Waiting',
};

const GROUPING_WORDS: Record<Grouping, string> = {
  none: 'Pinned threads',
  process: 'All by process',
  cgroup: 'All by cgroup',
  bubble: 'All by bubble',
};

export const OVERLAY_WORDS: Record<Overlay, string> = {
  episodes: 'Episodes',
  waiting: 'Waiting',
  migrations: 'Migrations',
  flows: 'Flows',
  wakeups: 'Wakeups',
  attempts: 'Balancing',
  scans: 'Scans',
  interrupts: 'Interrupts',
  idle: 'Idle states',
  frequency: 'Frequency',
  jobs: 'Jobs',
};

const OVERLAY_TITLES: Record<Overlay, string> = {
  episodes: 'The chosen episode, its idle and its overloaded CPUs',
  waiting: 'Threads that wait on each CPU',
  migrations: 'Moves of threads between CPUs, by path',
  flows: 'Of pinned threads: waker, wakeup, wait and run',
  wakeups: 'All wakeups, from CPU to CPU',
  attempts: 'Load-balance attempts',
  scans:
    'The CPUs that each wakeup, fork or exec scanned, and the one that it chose; with Balancing those of load-balance attempts too',
  interrupts: 'Interrupt work of more than 20 µs, along the top of the lane of its CPU',
  idle: 'Idle states of CPUs, along the bottom of their lanes: the deeper, the darker',
  frequency: 'Frequencies of CPUs, as lines in their lanes; the highest of the trace at the top',
  jobs: 'On lanes of threads with deadlines: release, deadline and end of each job',
};

interface ToolbarProps {
  place: Place;
  threads: Threads;
  bands: readonly Band[];
  lanes: LaneLayout;
  /** Overlays that the trace has something for, and those that are on. */
  offered: readonly Overlay[];
  onEpisode: (id: number) => void;
  /** Measure tool and bookmarks. */
  marks: React.ReactNode;
}

export function Toolbar({ place, threads, bands, lanes, offered, onEpisode, marks }: ToolbarProps) {
  const chosen = bands.findIndex((band) => band.chosen);
  const isTooLow = (overlay: Overlay) => overlay === 'waiting' && !hasStack(lanes);
  const toggle = (overlay: Overlay) =>
    go({ overlays: OVERLAYS.filter((item) => (item === overlay) !== place.overlays.includes(item)) });
  return (
    <div className={`${styles.toolbar} no-print`}>
      <label className={styles.choice}>
        <span className={styles.colour}>Colour</span>
        <select
          className="input"
          value={place.scheme}
          onChange={(event) => go({ scheme: event.target.value as Scheme })}
        >
          {SCHEMES.map((scheme) => (
            <option key={scheme} value={scheme}>
              {SCHEME_WORDS[scheme]}
            </option>
          ))}
        </select>
      </label>
      <label className={styles.choice}>
        <span className="unseen">Threads</span>
        <select
          className="input"
          value={place.grouping}
          title="Lanes of all threads, below those of the CPUs (g)"
          onChange={(event) => go({ grouping: event.target.value as Grouping })}
        >
          {GROUPINGS.map((grouping) => (
            <option key={grouping} value={grouping}>
              {GROUPING_WORDS[grouping]}
            </option>
          ))}
        </select>
      </label>
      <fieldset className={styles.overlays}>
        <legend className="unseen">Overlays</legend>
        {offered.map((overlay) => (
          <button
            key={overlay}
            type="button"
            className="quiet"
            aria-pressed={place.overlays.includes(overlay)}
            disabled={isTooLow(overlay)}
            title={`${OVERLAY_TITLES[overlay]}${isTooLow(overlay) ? ': these lanes are too low for them' : ''}`}
            onClick={() => toggle(overlay)}
          >
            {OVERLAY_WORDS[overlay]}
          </button>
        ))}
      </fieldset>
      {(canFit(lanes) || place.fit !== null) && (
        <button
          type="button"
          className="quiet icon"
          aria-pressed={isFitted(lanes)}
          aria-label="All CPUs in the window"
          title="All CPUs in the window, however low their lanes (h)"
          onClick={() => go({ fit: otherFit(lanes, place.grouping !== 'none') })}
        >
          <Icon name="fit" />
        </button>
      )}
      {marks}
      <span className={styles.spring} />
      {bands.length > 0 && (
        <span className={styles.stepper}>
          <button
            type="button"
            className="quiet icon"
            aria-label="Previous episode"
            title="Previous episode (p)"
            disabled={chosen === 0}
            onClick={() => onEpisode(bands[chosen < 0 ? bands.length - 1 : chosen - 1]?.episode.episode_id ?? 0)}
          >
            ‹
          </button>
          <span>{chosen < 0 ? plural(bands.length, 'episode') : `episode ${bands[chosen]?.episode.episode_id}`}</span>
          <button
            type="button"
            className="quiet icon"
            aria-label="Next episode"
            title="Next episode (n)"
            disabled={chosen === bands.length - 1}
            onClick={() => onEpisode(bands[chosen + 1]?.episode.episode_id ?? 0)}
          >
            ›
          </button>
        </span>
      )}
      {place.utid !== null && (
        <button
          type="button"
          className={`quiet ${styles.followed}`}
          aria-pressed="true"
          onClick={() => go({ utid: null })}
          title={`${threads.label(place.utid)}: follow no longer (Esc)`}
        >
          <Icon name="follow" /> <span>{threads.label(place.utid)}</span> <Icon name="close" />
        </button>
      )}
      <input
        className={`input ${styles.filter}`}
        value={place.filter}
        onChange={(event) => adjust({ filter: event.target.value })}
        placeholder={place.grouping === 'none' ? 'Highlight a thread' : 'Filter threads'}
        aria-label="Threads whose name, process, cgroup or id matches: highlighted on the CPUs; only they have lanes by process or cgroup"
      />
    </div>
  );
}
