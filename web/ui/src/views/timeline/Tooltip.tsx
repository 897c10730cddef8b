// A tooltip for what is under the pointer, placed beside the pointer.

import { type RefObject, useEffect, useImperativeHandle, useRef, useState } from 'react';
import { atRest, type Rest } from '../../logic/rest';
import styles from './Timeline.module.css';

const TOOLTIP_WIDTH = 300;
/** The picture rests when nothing was drawn for so long. */
const REST_MS = 90;

/** In the window. */
export interface PointerPlace {
  x: number;
  y: number;
}

export interface TooltipContent {
  title: string;
  rows: readonly (readonly [string, string])[];
}

export interface TooltipHandle {
  /** Shows something at a place of its own until the pointer moves, again after each movement of the picture; null: no longer. */
  fix(content: (() => { at: PointerPlace; content: TooltipContent } | null) | null): void;
  /** Where the pointer rests over the canvas; null elsewhere and while it drags. */
  pointAt(at: PointerPlace | null): void;
  /** A frame was drawn: something else may be under a pointer that does not move, and is if the picture has `moved`. */
  drawn(moved: boolean): void;
}

/** What is under the pointer. It renders by itself, and not with each frame while the picture moves. */
export function LaneTooltip({
  handle,
  contentAt,
}: {
  handle: RefObject<TooltipHandle | null>;
  /** Also called with null, when the pointer has left. */
  contentAt: (at: PointerPlace | null) => TooltipContent | null;
}) {
  const [hover, setHover] = useState<({ content: TooltipContent } & PointerPlace) | null>(null);
  /** What the keyboard asked for, for those who cannot see where it is. */
  const [said, setSaid] = useState('');
  const at = useRef<PointerPlace | null>(null);
  const fixed = useRef<Parameters<TooltipHandle['fix']>[0]>(null);
  const rest = useRef<Rest | null>(null);
  useImperativeHandle(handle, () => {
    const show = () => {
      if (fixed.current) {
        const found = fixed.current();
        setHover(found && { content: found.content, ...found.at });
        setSaid(found ? textOf(found.content) : '');
        return;
      }
      const content = contentAt(at.current);
      setHover(content && at.current ? { content, ...at.current } : null);
    };
    rest.current = atRest(REST_MS, show);
    return {
      fix: (content) => {
        fixed.current = content;
        if (!content) setSaid('');
        show();
      },
      pointAt: (place) => {
        // The pointer may rest elsewhere while keys are pressed: only its movement ends what they show.
        if (place && fixed.current) {
          fixed.current = null;
          setSaid('');
        }
        at.current = place;
        if (!fixed.current) show();
      },
      drawn: (moved) => {
        if (!at.current && !fixed.current) return;
        if (moved) setHover(null);
        rest.current?.moved();
      },
    };
  }, [contentAt]);
  useEffect(() => () => rest.current?.cancel(), []);
  return (
    <>
      <output className="unseen">{said}</output>
      {hover && <Tooltip {...hover} />}
    </>
  );
}

const textOf = ({ title, rows }: TooltipContent): string =>
  [title, ...rows.map(([name, value]) => `${name} ${value}`.trim())].join(', ');

function Tooltip({ content: hit, x, y }: { content: TooltipContent; x: number; y: number }) {
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
