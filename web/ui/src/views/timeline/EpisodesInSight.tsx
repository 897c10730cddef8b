// In the panel while nothing is chosen: the costliest episodes of the window in sight, each a step to its details.

import { useEffect, useState } from 'react';
import { coreSeconds, duration } from '../../logic/units';
import { hrefTo } from '../../navigation';
import type { Band } from './scene';
import styles from './Timeline.module.css';
import type { Viewport } from './viewport';

const MOST = 5;
/** They are looked for again when the window has rested for so long, ms. */
const RESTED = 150;

export function EpisodesInSight({ bands, viewport }: { bands: readonly Band[]; viewport: Viewport }) {
  const [span, setSpan] = useState(viewport.span);
  useEffect(() => {
    let timer = 0;
    const later = () => {
      window.clearTimeout(timer);
      timer = window.setTimeout(() => setSpan(viewport.span), RESTED);
    };
    const leave = viewport.subscribe(later);
    return () => {
      window.clearTimeout(timer);
      leave();
    };
  }, [viewport]);
  const inSight = bands
    .map((band) => band.episode)
    .filter((episode) => episode.start_ns < span.end && episode.end_ns > span.start)
    .sort((a, b) => b.total_core_ns - a.total_core_ns);
  if (bands.length === 0) return null;
  return (
    // The panel is read out when it changes; this would be with every step of a pan.
    <div className={styles.inSight} aria-live="off">
      <h2>{inSight.length === 0 ? 'No episode of waste in sight' : 'Worst in sight'}</h2>
      <ul aria-label="Worst episodes in sight">
        {inSight.slice(0, MOST).map((episode) => (
          <li key={episode.episode_id}>
            <a href={hrefTo({ episode: episode.episode_id, params: {} })} title={episode.sentence}>
              <b>episode {episode.episode_id}</b>
              <span>
                {coreSeconds(episode.total_core_ns / 1e9)} in {duration(episode.dur_ns)}
              </span>
            </a>
          </li>
        ))}
        {inSight.length > MOST && <li className="muted">{inSight.length - MOST} more: n, p</li>}
      </ul>
    </div>
  );
}
