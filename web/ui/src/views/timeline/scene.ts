// What one frame of the timeline shows.

import type { Episode } from '../../api/types';
import type { Bookmark, Measure, Overlay, Selection, Span } from '../../logic/place';
import type { Flow } from '../../logic/timeline/flows';
import type { Interrupt } from '../../logic/timeline/interrupts';
import type { LaneLayout, TimelineLane } from '../../logic/timeline/lanes';
import type { Threads } from '../../logic/timeline/names';
import type { PowerRange } from '../../logic/timeline/power';
import type { Paint } from '../../logic/timeline/raster';
import type { Scan } from '../../logic/timeline/scans';
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

/** What an overlay draws singly, with a tooltip of its own. */
export type OverlayItem =
  | { kind: 'flow'; flow: Flow }
  | { kind: 'scan'; scan: Scan }
  | { kind: 'interrupt'; interrupt: Interrupt };

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
  /** By which idle states and frequencies are scaled. */
  power: PowerRange;
  /** An event that was searched for. */
  event: { id: number; t: number } | null;
  followed: FollowedThread | null;
  /** The wakeup that the picked slice or state began with, or ended by. */
  flow: Flow | null;
  /** Which CPUs were scanned for that wakeup. */
  scan: Scan | null;
  /** What the tooltip is about that is shown. */
  shown: OverlayItem | null;
}

/** Lane of each CPU. */
export function laneOfCpu({ lanes }: Pick<TimelineScene, 'lanes'>): Map<number, TimelineLane> {
  const found = new Map<number, TimelineLane>();
  for (const lane of lanes.lanes) for (const cpu of lane.cpus) found.set(cpu, lane);
  return found;
}

/** A scene but for what the canvas knows itself. */
export type GivenScene = Omit<TimelineScene, 'span' | 'scroll' | 'shown'>;
