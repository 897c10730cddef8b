// Where one thread's slice ends and the next one's begins.

import type { Span } from '../place';
import { above, type Stretch } from './chunks';
import { type Frame, toX } from './timescale';

/** A slice narrower than this many pixels has no borders: they would be all that is seen of it. */
const NARROWEST = 3;

/** Pixels at which a thread takes over from another without a gap, within `part`; of slices that are wide enough. */
export function bordersOf(slices: Stretch, cpu: number, part: Span, frame: Frame): number[] {
  const low = slices.first[cpu] ?? 0;
  const high = slices.first[cpu + 1] ?? low;
  const begin = Math.max(part.start, frame.start);
  const end = Math.min(part.end, frame.end);
  const found: number[] = [];
  for (let row = Math.max(above(slices.start, begin, low, high) - 1, low + 1); row < high; row++) {
    const at = slices.start[row] as number;
    if (at >= end) break;
    if (at < begin) continue;
    const before = row - 1;
    const meets = (slices.utid[row] as number) > 0 && (slices.utid[before] as number) > 0 && slices.end[before] === at;
    if (!meets) continue;
    const x = toX(frame, at);
    const wide = Math.min(x - toX(frame, slices.start[before] as number), toX(frame, slices.end[row] as number) - x);
    if (wide >= NARROWEST) found.push(x);
  }
  return found;
}
