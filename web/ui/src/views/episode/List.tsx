// All episodes, the worst of each grade first; the bar is the core-time.

import { useMemo } from 'react';
import type { Episode } from '../../api/types';
import { type Layered, layered } from '../../logic/layers';
import { GRADE_MEANS } from '../../logic/meanings';
import { coreSeconds, duration, moment, plural } from '../../logic/units';
import { gradeWords } from '../../logic/words';
import { hrefTo } from '../../navigation';
import styles from './Episode.module.css';

const MOST = 200;

export function List({ rows, chosen, origin_ns }: { rows: readonly Episode[]; chosen: number; origin_ns: number }) {
  const groups = useMemo(() => {
    const found = new Map<string, Layered<Episode>[]>();
    for (const row of layered(rows)) found.set(row.episode.grade, [...(found.get(row.episode.grade) ?? []), row]);
    return [...found].map(([grade, all]) => ({
      grade,
      count: all.length,
      shown: all.sort((a, b) => b.episode.core_ns - a.episode.core_ns).slice(0, MOST),
    }));
  }, [rows]);
  const most = rows.reduce((m, e) => Math.max(m, e.core_ns), 1);
  return (
    <nav className={styles.list} aria-label="Episodes">
      <p className={styles.heads} aria-hidden="true">
        <span>episode</span>
        <span>at</span>
        <span>lasted</span>
        <span>wasted</span>
      </p>
      {groups.map(({ grade, count, shown }) => (
        <section key={grade}>
          <h2 title={GRADE_MEANS[grade]}>
            {gradeWords(grade)} <span className="muted">{plural(count, 'episode')}</span>
          </h2>
          <ul>
            {shown.map(({ episode: e, shorter }) => (
              <li key={e.episode_id}>
                <a
                  href={hrefTo({ view: 'episodes', episode: e.episode_id, params: {} })}
                  aria-current={e.episode_id === chosen ? 'page' : undefined}
                  title={e.sentence}
                >
                  <span className={styles.number}>{e.episode_id}</span>
                  <span>{moment(e.start_ns - origin_ns)}</span>
                  <span className={styles.long}>{duration(e.dur_ns)}</span>
                  <span className={styles.amount}>{coreSeconds(e.core_ns / 1e9)}</span>
                  <i style={{ width: `${(e.core_ns / most) * 100}%` }} />
                </a>
                {shorter.map((layer) => (
                  <p key={layer.episode_id} className={styles.shorter}>
                    and {coreSeconds(layer.core_ns / 1e9)} {gradeWords(layer.grade)} between these:{' '}
                    <a
                      href={hrefTo({ view: 'episodes', episode: layer.episode_id, params: {} })}
                      aria-current={layer.episode_id === chosen ? 'page' : undefined}
                    >
                      episode {layer.episode_id}
                    </a>
                  </p>
                ))}
              </li>
            ))}
          </ul>
          {count > shown.length && <p className="muted">and {plural(count - shown.length, 'smaller one')}</p>}
        </section>
      ))}
    </nav>
  );
}
