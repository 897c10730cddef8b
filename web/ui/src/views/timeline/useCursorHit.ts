// What is at the cursor of the timeline, as soon as it is known.

import { type RefObject, useEffect, useState } from 'react';
import type { LanesHandle } from './Lanes';
import type { TimelineCursor } from './scene';
import type { Source } from './source';
import type { TimelineHit } from './timelineHit';
import { cursorHit } from './useTimelineKeys';
import type { Viewport } from './viewport';

/** The hit of the cursor, looked up again until the data for it has come, when the picture has moved, and with other overlays, which add to it. */
export function useCursorHit(
  cursor: TimelineCursor | null,
  source: Source,
  lanesRef: RefObject<LanesHandle | null>,
  viewport: Viewport,
  overlays: string,
): TimelineHit | null {
  const [hit, setHit] = useState<TimelineHit | null>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: what the overlays that are on say is part of the hit
  useEffect(() => {
    if (!cursor) return setHit(null);
    // Timers and frames are numbered apart: the number of a timer may also be that of another part's frame.
    let stop = () => {};
    const after = (ms: number, then: () => void) => {
      const timer = setTimeout(then, ms);
      stop = () => clearTimeout(timer);
    };
    const nextFrame = (then: () => void) => {
      const frame = requestAnimationFrame(then);
      stop = () => cancelAnimationFrame(frame);
    };
    const findTarget = (tries: number) => {
      const found = cursorHit(lanesRef, cursor);
      setHit(found);
      // The hit may be that of a tile that was drawn while the slices were loading.
      const waiting = !found || found.rows.length < 2 || source.busy;
      if (waiting && (tries < 40 || source.busy)) after(100, () => findTarget(tries + 1));
    };
    const schedule = () => {
      stop();
      nextFrame(() => nextFrame(() => findTarget(0))); // once the frame is drawn
    };
    schedule();
    const leave = viewport.subscribe(schedule);
    return () => {
      stop();
      leave();
    };
  }, [cursor, source, lanesRef, viewport, overlays]);
  return cursor ? hit : null;
}
