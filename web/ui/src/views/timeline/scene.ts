// What one frame of the timeline shows.

import type { Episode } from '../../api/types';
import type { Bookmark, Measure, Overlay, Selection, Span } from '../../logic/place';
import type { Flow } from '../../logic/timeline/flows';
import type { LaneLayout } from '../../logic/timeline/lanes';
import type { Threads } from '../../logic/timeline/names';
import type { Paint } from '../../logic/timeline/raster';
import type { CanvasColours } from './palette';
import type { Source } from './source';

/** Height of the axis above the lanes. */
export const AXIS = 30;
/** An episode as it is drawn over the lanes. */
export interface Band {
  episode: Episode;
  /** The one that is looked at: its CPUs are marked. */
  chosen: boolean;
  idle: ReadonlySet<number>;
  /** Share of its idle CPUs' time that was wasted, on average. */
  share: number;
}

/** Where a thread was, stretch by stretch; phase 0 is running. */
export interface FollowedThread {
  utid: number;
  start: Float64Array;
  end: Float64Array;
  cpu: Int32Array;
  phase: Int32Array;
}

/** Where the keyboard or a click is: a lane as links call it (`placeOfLane`), and an instant. */
export interface TimelineCursor {
  lane: string;
  t: number;
}

/** All that a frame shows. */
export interface TimelineScene {
  source: Source;
  span: Span;
  /** Start of the trace: the axis counts from it. */
  origin: number;
  lanes: LaneLayout;
  scroll: number;
  ink: CanvasColours;
  paint: Paint;
  threads: Threads;
  overlays: readonly Overlay[];
  bands: readonly Band[];
  /** All that are listed, of every grade: what a wasted stretch belongs to. */
  episodes: readonly Episode[];
  selection: Selection | null;
  cursor: TimelineCursor | null;
  measure: Measure | null;
  bookmarks: readonly Bookmark[];
  /** Declared tasks, whose jobs are drawn beside those that were recorded. */
  tasks: readonly string[];
  /** An event that was searched for. */
  event: { id: number; t: number } | null;
  followed: FollowedThread | null;
  /** The wakeup that the picked slice or state began with, or ended by. */
  flow: Flow | null;
  /** The one whose tooltip is shown. */
  shownFlow: Flow | null;
}

/** A scene but for what the canvas knows itself. */
export type GivenScene = Omit<TimelineScene, 'span' | 'scroll' | 'shownFlow'>;
