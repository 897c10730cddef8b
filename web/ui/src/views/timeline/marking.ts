// Measuring, bookmarks and ranges by key: what they do to the place.

import type { RefObject } from 'react';
import { type Bookmark, MOST_LETTERS, type Selection, type Span } from '../../logic/place';
import { isThreadLane } from '../../logic/timeline/lanes';
import { adjust, go, placeNow } from '../../navigation';
import type { LanesHandle } from './Lanes';
import type { TimelineHit } from './timelineHit';
import type { Viewport } from './viewport';

/** The instant that a key is about: under the pointer, else the start of what is at the cursor, else the middle of what is in sight. */
export function chosenInstant(ref: RefObject<LanesHandle | null>, { span }: Viewport, hit: TimelineHit | null): number {
  const pointed = ref.current?.pointed() ?? null;
  if (pointed !== null) return pointed;
  if (hit) return Math.floor(hit.exact ? hit.start : hit.t);
  return Math.floor((span.start + span.end) / 2);
}

/** The first instant, or the second one; after both a first one again. */
export function measureAt(t: number): void {
  const { measure } = placeNow();
  const open = measure !== null && measure.to === null;
  go({ measure: open ? { from: measure.from, to: t } : { from: t, to: null } });
}

/** Adds a bookmark, or takes the one at this very instant away. */
export function toggleBookmark(t: number, text: string): void {
  const { bookmarks } = placeNow();
  const others = bookmarks.filter((mark) => mark.t !== t);
  const mark: Bookmark = { t, text: text.slice(0, MOST_LETTERS) };
  go({ bookmarks: others.length < bookmarks.length ? others : [...others, mark].sort((a, b) => a.t - b.t) });
}

/** Calls a bookmark otherwise. */
export const renameBookmark = (t: number, text: string): void =>
  adjust({
    bookmarks: placeNow().bookmarks.map((mark) => (mark.t === t ? { t, text: text.slice(0, MOST_LETTERS) } : mark)),
  });

/** The next bookmark after the middle of a span, or the one before it. */
export function bookmarkBeside(
  bookmarks: readonly Bookmark[],
  { start, end }: Span,
  direction: 1 | -1,
): Bookmark | null {
  // A bookmark that was gone to lies in the middle, to within rounding.
  const margin = (end - start) / 1000 + 1;
  const middle = (start + end) / 2;
  const beyond = bookmarks.filter(({ t }) => (direction > 0 ? t > middle + margin : t < middle - margin));
  return (direction > 0 ? beyond[0] : beyond.at(-1)) ?? null;
}

/** Brings an instant to the middle of what is in sight, which keeps its length. */
export function goToInstant(viewport: Viewport, t: number): void {
  const half = (viewport.span.end - viewport.span.start) / 2;
  viewport.glide({ start: t - half, end: t + half });
}

/** The range of what is at the cursor on its lane. */
export function rangeOfHit({ lane, start, end }: TimelineHit): Selection | null {
  if (end <= start) return null;
  const span = { start: Math.floor(start), end: Math.ceil(end) };
  return isThreadLane(lane) ? { ...span, cpus: null, lanes: [lane.key] } : { ...span, cpus: [...lane.cpus] };
}

/** The selected range with its start or end at an instant; what it is of stays. Without one the other end is that of what is in sight. */
export function rangeWithEnd(selection: Selection | null, side: 'start' | 'end', t: number, sight: Span): Selection {
  const base: Selection = selection ?? { start: Math.floor(sight.start), end: Math.ceil(sight.end), cpus: null };
  const moved = { ...base, [side]: t };
  if (moved.start < moved.end) return moved;
  return side === 'start'
    ? { ...moved, end: Math.max(Math.ceil(sight.end), t + 1) }
    : { ...moved, start: Math.min(Math.floor(sight.start), t - 1) };
}
