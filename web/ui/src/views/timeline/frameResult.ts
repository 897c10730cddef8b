// What a frame of the timeline left: for hit testing, and for notices.

import type { PixelSpan } from '../../logic/timeline/timescale';
import type { LaneChunk } from './laneSource';
import type { ArrowKind, Piece } from './source';

/** What a frame lacks because it could not be loaded. */
export interface FrameGaps {
  error: unknown;
  /** Parts of the lanes are hatched. */
  hatched: boolean;
}

export type CrowdedKind = ArrowKind | 'flows' | 'scans' | 'attemptScans' | 'interrupts' | 'idle' | 'frequency' | 'jobs';

/** What the last frame left for hit testing and notices. */
export interface FrameResult {
  frame: PixelSpan;
  level: number;
  pieces: readonly Piece[];
  /** The lanes of threads that were drawn. */
  chunks: readonly LaneChunk[];
  /** Overlays with more arrows than are drawn. */
  crowded: CrowdedKind[];
  missing: FrameGaps;
}
