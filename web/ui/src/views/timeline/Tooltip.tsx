// A tooltip for what is under the pointer, placed beside the pointer.

import { type RefObject, useEffect, useImperativeHandle, useRef, useState } from 'react';
import { atRest, type Rest } from '../../logic/rest';
import styles from './Timeline.module.css';
import type { TimelineHit } from './timelineHit';

const TOOLTIP_WIDTH = 300;
/** The picture rests when nothing was drawn for so long. */
const REST_MS = 90;

/** In the window. */
export interface PointerPlace {
  x: number;
  y: number;
}

export interface TooltipHandle {
  /** Where the pointer rests over the canvas; null elsewhere and while it drags. */
  pointAt(at: PointerPlace | null): void;
  /** A frame was drawn: something else may be under a pointer that does not move, and is if the picture has `moved`. */
  drawn(moved: boolean): void;
}

/** What is under the pointer. It renders by itself, and not with each frame while the picture moves. */
export function LaneTooltip({
  handle,
  hitAt,
}: {
  handle: RefObject<TooltipHandle | null>;
  hitAt: (at: PointerPlace) => TimelineHit | null;
}) {
  const [hover, setHover] = useState<({ hit: TimelineHit } & PointerPlace) | null>(null);
  const at = useRef<PointerPlace | null>(null);
  const rest = useRef<Rest | null>(null);
  useImperativeHandle(handle, () => {
    const show = () => {
      const hit = at.current && hitAt(at.current);
      setHover(hit && at.current ? { hit, ...at.current } : null);
    };
    rest.current = atRest(REST_MS, show);
    return {
      pointAt: (place) => {
        at.current = place;
        show();
      },
      drawn: (moved) => {
        if (!at.current) return;
        if (moved) setHover(null);
        rest.current?.moved();
      },
    };
  }, [hitAt]);
  useEffect(() => () => rest.current?.cancel(), []);
  return hover && <Tooltip {...hover} />;
}

function Tooltip({ hit, x, y }: { hit: TimelineHit; x: number; y: number }) {
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
