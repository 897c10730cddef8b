// The parts of a lane of CPUs, from top to bottom: what they do, lines of waiting threads where there is space, a gap.

import { type LaneLayout, NAMED_HEIGHT, type TimelineLane } from '../../logic/timeline/lanes';
import type { TimelineScene } from './scene';

/** Rows of waiting threads under a lane, where the lane is high enough. */
export const STACK = 4;
/** Below the stack there is space for a name. */
const MIN_STACK_HEIGHT = NAMED_HEIGHT + 2 * STACK + 1;

/** Pixels between lanes; those of a large machine that fits into the window have none to spare. */
export const gapOf = (height: number): number => (height > 12 ? 2 : height > 3 ? 1 : 0);

/** Height of a row of the stack. */
export const stackPixels = (visible: readonly TimelineLane[]): number => ((visible[0]?.height ?? 0) >= 32 ? 3 : 2);

/** Lanes are high enough for the stack of waiting threads. */
export const hasStack = (lanes: LaneLayout): boolean => (lanes.lanes[0]?.height ?? 0) >= MIN_STACK_HEIGHT;

/** Rows of pixels that a lane takes: its own, and those of the stack of waiting threads where it is shown. */
export const rowsPerLane = (scene: TimelineScene, visible: readonly TimelineLane[]): number =>
  scene.overlays.includes('waiting') && (visible[0]?.height ?? 0) >= MIN_STACK_HEIGHT ? 1 + STACK : 1;

/** Height of the stack with the line above it; 0 where it is not shown. */
export const stackHeight = (scene: TimelineScene, visible: readonly TimelineLane[]): number =>
  rowsPerLane(scene, visible) > 1 ? STACK * stackPixels(visible) + 1 : 0;

/** Height of the part that shows what the CPU does. */
export const bodyHeight = (scene: TimelineScene, lane: TimelineLane): number =>
  lane.height - stackHeight(scene, [lane]) - gapOf(lane.height);
