// What a link, a key or a search leads to is in sight: the lane of the cursor, else the first wasted CPU of the episode.

import { type RefObject, useEffect, useRef } from 'react';
import { type LaneLayout, laneNamed } from '../../logic/timeline/lanes';
import type { LanesHandle } from './Lanes';
import type { Band, TimelineCursor } from './scene';

/** Scrolls for each cursor and each chosen episode, again when the window changes its height, until the user scrolls. */
export function useReveal(
  lanesRef: RefObject<LanesHandle | null>,
  layout: LaneLayout,
  height: number,
  cursor: TimelineCursor | null,
  bands: readonly Band[],
): void {
  const done = useRef<{ target: string; scrolled: number } | null>(null);
  const chosen = bands.find((band) => band.chosen);
  const target = cursor ? `${cursor.lane}@${cursor.t}` : chosen && `e${chosen.episode.episode_id}`;
  // biome-ignore lint/correctness/useExhaustiveDependencies: in a lower window the lane may be out of sight
  useEffect(() => {
    const handle = lanesRef.current;
    if (target === undefined || !handle) return;
    if (target === done.current?.target && handle.scrolled() !== done.current.scrolled) return;
    const lane = cursor
      ? laneNamed(layout, cursor.lane)
      : layout.lanes.find((item) => item.cpus.some((cpu) => chosen?.idle.has(cpu)));
    if (!lane) return;
    handle.reveal(lane.top, lane.height);
    done.current = { target, scrolled: handle.scrolled() };
  }, [lanesRef, layout, height, cursor, chosen, target]);
}
