// A tooltip for what is under the pointer, placed beside the pointer.

import type { TimelineHit } from './hit';
import styles from './Timeline.module.css';

const TOOLTIP_WIDTH = 300;

export function Tooltip({ hit, x, y }: { hit: TimelineHit; x: number; y: number }) {
  const left = x + 16 + TOOLTIP_WIDTH > window.innerWidth ? Math.max(x - TOOLTIP_WIDTH - 12, 4) : x + 16;
  const below = y < window.innerHeight - 240;
  return (
    <div
      className={styles.tooltip}
      style={{ left, width: TOOLTIP_WIDTH, ...(below ? { top: y + 16 } : { bottom: window.innerHeight - y + 12 }) }}
    >
      <b>{hit.title}</b>
      <dl>
        {hit.rows.map(([name, value]) => (
          <div key={name + value}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
    </div>
  );
}
