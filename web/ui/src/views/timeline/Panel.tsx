// Below the lanes, always of one height: the brushed span's statistics, the picked slice, or the episode.

import { ofTrace, query } from '../../api/client';
import { useTable } from '../../api/hooks';
import { numbers } from '../../api/table';
import type { Episode, ThreadInstant, TraceSummary } from '../../api/types';
import { Icon } from '../../components/Icon';
import { cpusWords } from '../../logic/cpulist';
import { isThreadLane } from '../../logic/timeline/lanes';
import type { Threads } from '../../logic/timeline/names';
import { threadKey } from '../../logic/timeline/threadRows';
import { besideWords } from '../../logic/timeline/waste';
import { coreSeconds, duration, moment } from '../../logic/units';
import { causeWords, severityWords } from '../../logic/words';
import { go, hrefTo, usePlace } from '../../navigation';
import { EpisodesInSight } from './EpisodesInSight';
import { InstantFacts } from './InstantFacts';
import { CloseButton, PanelFact } from './PanelParts';
import { togglePin } from './pinning';
import { RangePanel } from './RangePanel';
import type { GivenScene } from './scene';
import styles from './Timeline.module.css';
import type { TimelineHit } from './timelineHit';
import { zoomTo } from './useTimelineKeys';
import type { Viewport } from './viewport';

interface PanelProps {
  trace: TraceSummary;
  scene: GivenScene;
  viewport: Viewport;
  /** What is at the cursor, and the thread there. */
  hit: TimelineHit | null;
  instant: ThreadInstant | undefined;
  /** The list of episodes was loaded: an episode that is not in it does not exist. */
  episodesKnown: boolean;
}

export function Panel({ trace, scene, viewport, hit, instant, episodesKnown }: PanelProps) {
  const { selection, episode: wanted } = usePlace();
  const episode = scene.bands.find((band) => band.chosen)?.episode;
  return (
    <section className={styles.panel} aria-label="Details" aria-live="polite">
      {selection ? (
        <RangePanel
          trace={trace}
          selection={selection}
          threads={scene.threads}
          lanes={scene.lanes}
          viewport={viewport}
        />
      ) : hit ? (
        <SlicePanel trace={trace} hit={hit} instant={instant} viewport={viewport} threads={scene.threads} />
      ) : episode ? (
        <EpisodePanel episode={episode} start={trace.start_ns} />
      ) : wanted !== null && episodesKnown ? (
        <p className={styles.hint} role="alert">
          There is no episode {wanted} in this trace.
        </p>
      ) : scene.event ? (
        <p className={styles.hint}>
          Event {scene.event.id}, at {moment(scene.event.t - trace.start_ns, 1)} from the trace’s start
        </p>
      ) : (
        <>
          <PanelHint />
          <EpisodesInSight bands={scene.bands} viewport={viewport} />
        </>
      )}
    </section>
  );
}

const fingers = matchMedia('(hover: none)').matches;

/** What to do with it, while nothing is chosen. */
function PanelHint() {
  if (fingers) return <p className={styles.hint}>Two fingers zoom, one pans, a tap on a lane shows what ran.</p>;
  return (
    <p className={styles.hint}>
      <span>
        <kbd>wheel</kbd> or <kbd>w</kbd> <kbd>s</kbd> zooms
      </span>
      <span>
        <kbd>drag</kbd> or <kbd>a</kbd> <kbd>d</kbd> pans
      </span>
      <span>
        <kbd>Shift</kbd> <kbd>drag</kbd> selects
      </span>
      <span>
        <kbd>t</kbd> pins the thread of a slice, <kbd>g</kbd> lists all
      </span>
      <span>
        <kbd>n</kbd> next episode
      </span>
      <span>
        <kbd>?</kbd> all keys
      </span>
    </p>
  );
}

interface SliceProps {
  trace: TraceSummary;
  hit: TimelineHit;
  instant: ThreadInstant | undefined;
  viewport: Viewport;
  threads: Threads;
}

function SlicePanel({ trace, hit, instant, viewport, threads }: SliceProps) {
  const { utid, pins } = usePlace();
  const key = laneKeyOf(hit);
  const beside = useBeside(trace, hit, threads);
  const rows = beside === null ? hit.rows : [...hit.rows, ['beside', beside] as const];
  return (
    <>
      <header>
        <h2>{hit.title}</h2>
        {hit.utid !== null && (
          <button
            type="button"
            className="button"
            aria-pressed={utid === hit.utid}
            onClick={() => go({ utid: utid === hit.utid ? null : hit.utid })}
          >
            <Icon name="follow" /> Follow
          </button>
        )}
        {key !== null && (
          <button
            type="button"
            className="button"
            aria-pressed={pins.includes(key)}
            title="A lane above the CPUs (t)"
            onClick={() => togglePin(key)}
          >
            <Icon name="pin" /> {pins.includes(key) ? 'Unpin' : 'Pin'}
          </button>
        )}
        {hit.episode && (
          <a
            className="button primary"
            href={hrefTo({ view: 'episodes', episode: hit.episode.episode_id, params: {} })}
          >
            Why: episode {hit.episode.episode_id}
          </a>
        )}
        {hit.end > hit.start && (
          <button type="button" className="button" onClick={() => zoomTo(viewport, hit)}>
            <Icon name="zoom" /> Zoom
          </button>
        )}
        <CloseButton />
      </header>
      <dl className={styles.facts} data-wasted={hit.wasted}>
        {rows.map(([name, value]) => (
          <div key={name + value}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
        {instant && <InstantFacts instant={instant} threads={threads} />}
      </dl>
    </>
  );
}

/** The lane that is pinned from here: that of the group which was picked, else of its thread. */
const laneKeyOf = ({ lane, utid }: TimelineHit): string | null =>
  isThreadLane(lane) ? lane.key : utid === null ? null : threadKey(utid);

/** The threads that waited beside an idle CPU within a folded lane's wasted bin, the longest wait first; null where the hit names them, or they are not known. */
function useBeside(trace: TraceSummary, hit: TimelineHit, threads: Threads): string | null {
  const isBin = hit.wasted && !hit.rows.some(([name]) => name === 'beside');
  const window = { start: Math.floor(hit.start), end: Math.ceil(hit.end), limit: 20_000 };
  const answer = useTable(isBin ? ofTrace(trace.id, `avoidable${query(window)}`) : null);
  if (!isBin) return null;
  if (!answer.data || answer.isPlaceholderData) return 'on its way …';
  const rows = answer.data;
  const [utid, cpu, length] = [numbers(rows, 'utid'), numbers(rows, 'cpu'), numbers(rows, 'dur_ns')];
  const longest = new Map<number, { utid: number; cpu: number; ns: number }>();
  for (let row = 0; row < rows.rows; row++) {
    const wait = { utid: utid[row] as number, cpu: cpu[row] as number, ns: length[row] as number };
    if (wait.ns > (longest.get(wait.utid)?.ns ?? 0)) longest.set(wait.utid, wait);
  }
  return besideWords(
    threads,
    [...longest.values()].sort((a, b) => b.ns - a.ns),
  );
}

function EpisodePanel({ episode, start }: { episode: Episode; start: number }) {
  return (
    <>
      <header>
        <h2 title={episode.sentence}>{episode.sentence}</h2>
        <a className="button primary" href={hrefTo({ view: 'episodes' })}>
          Why
        </a>
        <a className="button" href={hrefTo({ view: 'replay' })}>
          Replay it
        </a>
        <button type="button" className="quiet icon" aria-label="Close" onClick={() => go({ episode: null })}>
          <Icon name="close" />
        </button>
      </header>
      <dl className={styles.facts}>
        <PanelFact name="episode" value={`${episode.episode_id}, ${severityWords(episode)}`} />
        <PanelFact name="from" value={`${moment(episode.start_ns - start)} for ${duration(episode.dur_ns)}`} />
        <PanelFact name="wasted" value={coreSeconds(episode.total_core_ns / 1e9)} />
        <PanelFact name="cause" value={causeWords(episode)} />
        <PanelFact name="idle" value={cpusWords(episode.idle_cpus)} />
        <PanelFact name="threads waited on" value={cpusWords(episode.overloaded_cpus)} />
      </dl>
    </>
  );
}
