// Episodes, the worst first, grouped by cause.

import { useState } from 'react';
import type { Episode, Verdict } from '../../api/types';
import { CauseText } from '../../components/CauseText';
import { Icon } from '../../components/Icon';
import { EpisodeLink } from '../../components/Links';
import { Severity } from '../../components/Severity';
import { Empty } from '../../components/States';
import { formatCpuList } from '../../logic/cpulist';
import { coreSeconds, count, duration, moment, percent, plural } from '../../logic/units';
import { type Waste, wastesOf } from '../../logic/wastes';
import { causeKey, gradeWords, severityWords } from '../../logic/words';
import { around } from './Sentence';
import styles from './Verdict.module.css';

const EPISODES_SHOWN = 8;

/** From this share of the waste on it is said that it is in episodes that are not listed. */
const UNLISTED = 0.005;

interface Group {
  key: string;
  /** An episode with its cause and the proofs of its parts, the same for all. */
  cause: Episode;
  core_s: number;
  /** Of recurrent episodes: the intervals are counted in their own grades, under their own causes. */
  recurrent_s: number;
  episodes: Waste<Episode>[];
}

/**
 * The wastes of the list by cause, the costliest first. `all` has their parts too, by which each moment is counted once;
 * recurrent episodes are listed but not added (their intervals count in their own grades).
 */
export function grouped(listed: readonly Episode[], all: readonly Episode[]): Group[] {
  const groups = new Map<string, Group>();
  const wanted = new Set(listed.map((episode) => episode.episode_id));
  const known = new Set(all.map((episode) => episode.episode_id));
  const wastes = wastesOf([...all, ...listed.filter((episode) => !known.has(episode.episode_id))]);
  for (const row of wastes) {
    const { episode, parts } = row;
    if (!wanted.has(episode.episode_id)) continue;
    const key = causeKey(episode);
    const group = groups.get(key) ?? { key, cause: episode, core_s: 0, recurrent_s: 0, episodes: [] };
    const timed = [episode, ...parts].filter((one) => one.grade !== 'recurrent');
    if (episode.grade === 'recurrent') group.recurrent_s += episode.total_core_ns / 1e9;
    else group.core_s += timed.reduce((sum, one) => sum + one.core_ns, 0) / 1e9;
    group.episodes.push(row);
    groups.set(key, group);
  }
  for (const group of groups.values()) group.episodes.sort((a, b) => b.episode.total_core_ns - a.episode.total_core_ns);
  return [...groups.values()].sort((a, b) => b.core_s - a.core_s || b.recurrent_s - a.recurrent_s);
}

interface WorstEpisodesProps {
  episodes: readonly Episode[];
  all: readonly Episode[];
  verdict: Verdict;
  start: number;
}

export function WorstEpisodes({ episodes, all, verdict, start }: WorstEpisodesProps) {
  const groups = grouped(episodes, all);
  const recurs = groups.some((group) => group.recurrent_s > 0);
  const unlisted = verdict.wasted.core_s - groups.reduce((sum, group) => sum + group.core_s, 0);
  const most = Math.max(...episodes.map((episode) => episode.total_core_ns), 1);
  if (groups.length === 0) {
    return (
      <Empty title="No episode lasted">
        {verdict.wasted.core_s > 0
          ? 'All waste was in flight: threads reached an idle CPU within microseconds.'
          : 'No core was idle beside a thread that could have used it.'}
      </Empty>
    );
  }
  return (
    <>
      <h2>Worst episodes, by cause</h2>
      <p className={styles.hint}>
        Each cause with all of its waste, however it ended
        {verdict.main_reason && '; the main reason above counts one way of ending alone'}.
        {recurs && ' Short intervals that recur are the same waste once more, by the CPUs between which they recur.'}
      </p>
      {groups.map((group) => (
        <CauseGroup key={group.key} group={group} most={most} all={verdict.wasted.core_s} start={start} />
      ))}
      {unlisted > UNLISTED * verdict.wasted.core_s && (
        <p className="muted">
          In episodes that are not listed: {coreSeconds(unlisted)} · {percent(unlisted / verdict.wasted.core_s)}
        </p>
      )}
    </>
  );
}

function CauseGroup({ group, most, all, start }: { group: Group; most: number; all: number; start: number }) {
  const [open, setOpen] = useState(false);
  const shown = open ? group.episodes : group.episodes.slice(0, EPISODES_SHOWN);
  return (
    <section className={styles.cause}>
      <header>
        <h3>
          <CauseText cause={group.cause} />
        </h3>
        <span className={styles.causeSum}>
          {group.core_s > 0 || group.recurrent_s === 0 ? (
            <>
              {coreSeconds(group.core_s)}
              {all > 0 && ` · ${percent(Math.min(group.core_s / all, 1))}`}
            </>
          ) : (
            <span title="Short intervals between the same CPUs; each is counted in its own grade as well">
              {coreSeconds(group.recurrent_s)} in short intervals
            </span>
          )}
        </span>
      </header>
      <ol className={styles.episodes}>
        {shown.map(({ episode, parts }) => (
          <li key={episode.episode_id}>
            <EpisodeRow episode={episode} parts={parts} most={most} start={start} />
          </li>
        ))}
      </ol>
      {group.episodes.length > EPISODES_SHOWN && (
        <button type="button" className="quiet no-print" onClick={() => setOpen(!open)}>
          {open ? 'Fewer' : `${count(group.episodes.length - EPISODES_SHOWN)} more`}
        </button>
      )}
    </section>
  );
}

interface EpisodeRowProps {
  episode: Episode;
  parts: readonly Episode[];
  most: number;
  start: number;
}

function EpisodeRow({ episode, parts, most, start }: EpisodeRowProps) {
  const id = episode.episode_id;
  const span = { start_ns: episode.start_ns, end_ns: episode.end_ns };
  return (
    <div className={styles.episode}>
      <EpisodeLink className={styles.main} episode={id} window={around(span)} title={episode.sentence}>
        <span className={styles.which}>episode {id}</span>
        <span className={styles.when}>
          <span className="unseen">at </span>
          {moment(episode.start_ns - start)}
        </span>
        <span className={styles.long}>
          <span className="unseen">for </span>
          {duration(episode.dur_ns)}
        </span>
        <span className={styles.cost}>
          <span aria-hidden="true" className={styles.costBar}>
            <i style={{ width: `${(episode.total_core_ns / most) * 100}%` }} />
          </span>
          <span className="unseen">wasted </span>
          {coreSeconds(episode.total_core_ns / 1e9)}
          <span className="unseen">: CPU </span>
        </span>
        <span className={styles.what}>
          idle <b>{formatCpuList(episode.idle_cpus)}</b> beside {plural(episode.threads, 'thread')} on{' '}
          <span className="unseen">CPU </span>
          <b>{formatCpuList(episode.overloaded_cpus)}</b>
          <span className="unseen">; severity</span>
        </span>
        <span className={styles.chip}>
          <Severity level={episode.severity}>{severityWords(episode)}</Severity>
        </span>
      </EpisodeLink>
      <EpisodeLink
        className={`quiet icon ${styles.why}`}
        episode={id}
        label={`Why: episode ${id}`}
        title="Why: the episode with its evidence"
      >
        <Icon name="right" />
      </EpisodeLink>
      {parts.length > 0 && (
        <p className={styles.shorter}>
          of it{' '}
          {parts.map((part, index) => (
            <span key={part.episode_id}>
              {index > 0 && ', '}
              {coreSeconds(part.core_ns / 1e9)} in {gradeWords(part.grade)} intervals (
              <EpisodeLink episode={part.episode_id}>episode {part.episode_id}</EpisodeLink>)
            </span>
          ))}
        </p>
      )}
    </div>
  );
}
