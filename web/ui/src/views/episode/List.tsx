// All episodes, the worst of each grade first; the bar is the core-time.

import { useMemo } from 'react';
import type { Episode } from '../../api/types';
import { coreSeconds, duration, moment, plural } from '../../logic/units';
import { hrefTo } from '../../navigation';
import styles from './Episode.module.css';
import { GRADE_MEANS } from './words';

const MOST = 200;

export function List({ rows, chosen, origin_ns }: { rows: readonly Episode[]; chosen: number; origin_ns: number }) {
  const groups = useMemo(() => {
    const found = new Map<string, Episode[]>();
    for (const e of rows) found.set(e.grade, [...(found.get(e.grade) ?? []), e]);
    return [...found].map(([grade, all]) => ({
      grade,
      count: all.length,
      shown: all.sort((a, b) => b.total_core_ns - a.total_core_ns).slice(0, MOST),
    }));
  }, [rows]);
  const most = rows.reduce((m, e) => Math.max(m, e.total_core_ns), 1);
  return (
    <nav className={styles.list} aria-label="Episodes">
      {groups.map(({ grade, count, shown }) => (
        <section key={grade}>
          <h2 title={GRADE_MEANS[grade]}>
            {grade.replace('_', ' ')} <span className="muted">{plural(count, 'episode')}</span>
          </h2>
          <ul>
            {shown.map((e) => (
              <li key={e.episode_id}>
                <a
                  href={hrefTo({ view: 'episodes', episode: e.episode_id })}
                  aria-current={e.episode_id === chosen ? 'page' : undefined}
                >
                  <span className={styles.number}>#{e.episode_id}</span>
                  <span>{moment(e.start_ns - origin_ns)}</span>
                  <span className={styles.long}>{duration(e.dur_ns)}</span>
                  <span className={styles.amount}>{coreSeconds(e.total_core_ns / 1e9)}</span>
                  <i style={{ width: `${(e.total_core_ns / most) * 100}%` }} />
                </a>
              </li>
            ))}
          </ul>
          {count > shown.length && <p className="muted">and {plural(count - shown.length, 'smaller one')}</p>}
        </section>
      ))}
    </nav>
  );
}
