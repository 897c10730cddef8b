// All wastes, the worst of each severity first.

import { useMemo } from 'react';
import type { Episode } from '../../api/types';
import { meaningOf } from '../../logic/glossary';
import { coreSeconds, duration, moment, plural } from '../../logic/units';
import { gravity, type Waste, wastesOf } from '../../logic/wastes';
import { gradeWords } from '../../logic/words';
import { hrefTo } from '../../navigation';
import styles from './Episode.module.css';

const MAX_EPISODES = 200;
/** Episodes within another one that its row names. */
const PARTS_SHOWN = 6;

/** What a row adds to the whole; of an episode whose row is not in the list, its own waste. */
const amount = (e: Episode): number => e.total_core_ns;

/** Up and down go from episode to episode. */
function step(event: React.KeyboardEvent<HTMLElement>): void {
  const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (by === undefined) return;
  const links = [...event.currentTarget.querySelectorAll<HTMLAnchorElement>('a')];
  const next = links[links.indexOf(document.activeElement as HTMLAnchorElement) + by];
  if (!next) return;
  event.preventDefault();
  next.focus();
  next.click();
}

export function EpisodeList({
  rows,
  chosen,
  origin_ns,
}: {
  rows: readonly Episode[];
  chosen: number;
  origin_ns: number;
}) {
  const groups = useMemo(() => {
    const found = new Map<string, Waste<Episode>[]>();
    for (const row of wastesOf(rows))
      found.set(row.episode.severity, [...(found.get(row.episode.severity) ?? []), row]);
    return [...found]
      .sort(([a], [b]) => gravity(a) - gravity(b))
      .map(([severity, all]) => ({
        severity,
        count: all.length,
        shown: all.sort((a, b) => amount(b.episode) - amount(a.episode)).slice(0, MAX_EPISODES),
      }));
  }, [rows]);
  return (
    <nav className={styles.list} aria-label="Episodes" onKeyDown={step}>
      <p className={styles.heads} aria-hidden="true">
        <span>episode</span>
        <span>at</span>
        <span>lasted</span>
        <span>wasted</span>
      </p>
      {groups.map(({ severity, count, shown }) => (
        <section key={severity}>
          <h2 title={meaningOf('severity')}>
            {gradeWords(severity)} <span className="muted">{plural(count, 'episode')}</span>
          </h2>
          <ul>
            {shown.map(({ episode: e, parts }) => (
              <li key={e.episode_id}>
                <a
                  href={hrefTo({ view: 'episodes', episode: e.episode_id, params: {} })}
                  aria-current={e.episode_id === chosen ? 'page' : undefined}
                  title={e.sentence}
                >
                  <span className={styles.number}>
                    <span className="unseen">episode </span>
                    {e.episode_id}
                  </span>
                  <span>
                    <span className="unseen">at </span>
                    {moment(e.start_ns - origin_ns)}
                  </span>
                  <span className={styles.long}>
                    <span className="unseen">for </span>
                    {duration(e.dur_ns)}
                  </span>
                  <span className={styles.amount}>
                    <span className="unseen">wasted </span>
                    {coreSeconds(amount(e) / 1e9)}
                  </span>
                </a>
                {e.grade === 'recurrent' && <p className={styles.shorter}>recurrent: in short intervals</p>}
                {parts.slice(0, PARTS_SHOWN).map((part) => (
                  <p key={part.episode_id} className={styles.shorter}>
                    of it {coreSeconds(part.core_ns / 1e9)} in{' '}
                    {part.grade === 'recurrent' ? 'short intervals that recur' : `${gradeWords(part.grade)} intervals`}:{' '}
                    <a
                      href={hrefTo({ view: 'episodes', episode: part.episode_id, params: {} })}
                      aria-current={part.episode_id === chosen ? 'page' : undefined}
                    >
                      episode {part.episode_id}
                    </a>
                  </p>
                ))}
                {parts.length > PARTS_SHOWN && (
                  <p className={styles.shorter}>and {plural(parts.length - PARTS_SHOWN, 'episode')} more within it</p>
                )}
              </li>
            ))}
          </ul>
          {count > shown.length && <p className="muted">and {plural(count - shown.length, 'smaller one')}</p>}
        </section>
      ))}
    </nav>
  );
}
