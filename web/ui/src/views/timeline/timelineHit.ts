// What lies under the cursor, or was picked.

import type { Episode } from '../../api/types';
import type { ThreadLane, TimelineLane } from '../../logic/timeline/lanes';

export interface TimelineHit {
  lane: TimelineLane | ThreadLane;
  /** The lane as links call it. */
  place: string;
  t: number;
  title: string;
  rows: [string, string][];
  /** Thread of a raw slice, or the bin's dominant one. */
  utid: number | null;
  /** The slice, the wasted stretch of it, or the bin. Equal while nothing is known: there is nothing to zoom to. */
  start: number;
  end: number;
  /** The CPU was wasted here, or for a part of the bin. */
  wasted: boolean;
  /** The gravest listed episode that it belongs to. */
  episode: Episode | null;
  /** Single and whole: a slice, a wasted stretch or a state; false of a bin with many, and of a lane of several. */
  exact: boolean;
}
