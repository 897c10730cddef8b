// Episodes, the worst first, grouped by cause.

import { useState } from 'react';
import type { Episode, Verdict } from '../../api/types';
import { Icon } from '../../components/Icon';
import { Empty } from '../../components/States';
import { formatCpuList } from '../../logic/cpulist';
import { coreSeconds, count, duration, moment, percent, plural } from '../../logic/units';
import { causeKey, causeWords, gradeWords } from '../../logic/words';
import { hrefTo } from '../../navigation';
import { around } from './Sentence';
import styles from './Verdict.module.css';

const FIRST = 8;

interface Group {
  key: string;
  title: string;
  proof: string;
  core_s: number;
  /** Of recurrent episodes: the spells are counted in their own grades, under their own causes. */
  recurrent_s: number;
  episodes: Episode[];
}

/** Groups by cause, the costliest first; recurrent episodes rank but do not add up (their spells count elsewhere). */
export function grouped(episodes: readonly Episode[]): Group[] {
  const groups = new Map<string, Group>();
  for (const episode of episodes) {
    const key = causeKey(episode);
    const none = { core_s: 0, recurrent_s: 0, episodes: [] };
    const group = groups.get(key) ?? { key, title: causeWords(episode), proof: episode.proof, ...none };
    if (episode.grade === 'recurrent') group.recurrent_s += episode.core_ns / 1e9;
    else group.core_s += episode.core_ns / 1e9;
    group.episodes.push(episode);
    groups.set(key, group);
  }
  for (const group of groups.values()) group.episodes.sort((a, b) => b.core_ns - a.core_ns);
  return [...groups.values()].sort((a, b) => b.core_s - a.core_s || b.recurrent_s - a.recurrent_s);
}

export function Worst({ episodes, verdict, start }: { episodes: readonly Episode[]; verdict: Verdict; start: number }) {
  const groups = grouped(episodes);
  const most = Math.max(...episodes.map((episode) => episode.core_ns), 1);
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
      {groups.map((group) => (
        <CauseGroup key={group.key} group={group} most={most} all={verdict.wasted.core_s} start={start} />
      ))}
    </>
  );
}

function CauseGroup({ group, most, all, start }: { group: Group; most: number; all: number; start: number }) {
  const [open, setOpen] = useState(false);
  const shown = open ? group.episodes : group.episodes.slice(0, FIRST);
  return (
    <section className={styles.cause}>
      <header>
        <h3>{group.title}</h3>
        {group.proof !== 'unknown' && <span className={styles.proof}>{group.proof}</span>}
        <span className={styles.causeSum}>
          {group.core_s > 0 || group.recurrent_s === 0 ? (
            <>
              {coreSeconds(group.core_s)}
              {all > 0 && ` · ${percent(Math.min(group.core_s / all, 1))}`}
            </>
          ) : (
            <span title="Short spells between the same CPUs; each is counted in its own grade as well">
              {coreSeconds(group.recurrent_s)} in short spells
            </span>
          )}
        </span>
      </header>
      <ol className={styles.episodes}>
        {shown.map((episode) => (
          <li key={episode.episode_id}>
            <EpisodeRow episode={episode} most={most} start={start} />
          </li>
        ))}
      </ol>
      {group.episodes.length > FIRST && (
        <button type="button" className="quiet no-print" onClick={() => setOpen(!open)}>
          {open ? 'Fewer' : `${count(group.episodes.length - FIRST)} more`}
        </button>
      )}
    </section>
  );
}

function EpisodeRow({ episode, most, start }: { episode: Episode; most: number; start: number }) {
  const id = episode.episode_id;
  return (
    <div className={styles.episode}>
      <a
        className={styles.main}
        href={hrefTo({ view: 'timeline', episode: id, window: around(episode) })}
        title={episode.sentence}
      >
        <span className={styles.when}>
          <b>#{id}</b> {moment(episode.start_ns - start)}
        </span>
        <span className={styles.long}>{duration(episode.dur_ns)}</span>
        <span className={styles.cost}>
          <span aria-hidden="true" className={styles.costBar}>
            <i style={{ width: `${(episode.core_ns / most) * 100}%` }} />
          </span>
          {coreSeconds(episode.core_ns / 1e9)}
        </span>
        <span className={styles.what}>
          idle <b>{formatCpuList(episode.idle_cpus)}</b> beside {plural(episode.threads, 'thread')} on{' '}
          <b>{formatCpuList(episode.overloaded_cpus)}</b>
        </span>
        <span className={styles.chip} data-grade={episode.grade}>
          {gradeWords(episode.grade)}
        </span>
      </a>
      <a
        className={`quiet icon ${styles.why}`}
        href={hrefTo({ view: 'episodes', episode: id })}
        aria-label={`Why: episode ${id}`}
        title="Why: the episode with its evidence"
      >
        <Icon name="right" />
      </a>
    </div>
  );
}
