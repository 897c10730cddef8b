// The keyboard on the timeline: zoom, pan, from slice to slice and lane to lane, follow, episodes.

import type { RefObject } from 'react';
import { useKeys } from '../../components/useKeys';
import type { Span } from '../../logic/place';
import { above } from '../../logic/timeline/chunks';
import type { TimelineLane } from '../../logic/timeline/lanes';
import { nsPerPixel, pan, zoom } from '../../logic/timeline/timescale';
import { adjust, go, placeNow } from '../../navigation';
import { hitOf, instantHit } from './hit';
import type { LanesHandle } from './Lanes';
import type { Band } from './scene';
import type { Viewport } from './viewport';

interface KeyTargets {
  viewport: Viewport;
  lanesRef: RefObject<LanesHandle | null>;
  bands: readonly Band[];
  cursor: { cpu: number; t: number } | null;
  toEpisode: (id: number) => void;
}

export function useTimelineKeys({ viewport, lanesRef, bands, cursor, toEpisode }: KeyTargets): void {
  const scale = (factor: number) => () =>
    viewport.glide(zoom(viewport.span, factor, shareOf(viewport, cursor), viewport.bounds));
  const shift = (share: number) => () => viewport.glide(pan(viewport.span, share, viewport.bounds));
  const step = (direction: 1 | -1) => () => moveCursor(lanesRef, viewport, cursor, direction, 0);
  const lane = (direction: 1 | -1) => () => moveCursor(lanesRef, viewport, cursor, 0, direction);
  const episode = (direction: 1 | -1) => () => {
    const next = nextBand(bands, viewport, direction);
    if (next) toEpisode(next.episode.episode_id);
  };
  useKeys({
    w: scale(2),
    s: scale(0.5),
    '+': scale(2),
    '-': scale(0.5),
    a: shift(-0.4),
    d: shift(0.4),
    0: () => viewport.glide(viewport.bounds),
    arrowleft: step(-1),
    arrowright: step(1),
    arrowup: lane(-1),
    arrowdown: lane(1),
    n: episode(1),
    p: episode(-1),
    z: () => zoomToChosen(lanesRef, viewport, cursor, bands),
    enter: () => follow(lanesRef, cursor),
    escape: () => adjust({ selection: null, params: {}, utid: null, filter: '' }),
  });
}

/** Zoom about the cursor when it is in sight, else about the middle. */
function shareOf({ span }: Viewport, cursor: { t: number } | null): number {
  if (!cursor || cursor.t < span.start || cursor.t > span.end) return 0.5;
  return (cursor.t - span.start) / (span.end - span.start);
}

function nextBand(bands: readonly Band[], { span }: Viewport, direction: 1 | -1): Band | undefined {
  const at = bands.findIndex((band) => band.chosen);
  if (at >= 0) return bands[at + direction];
  const middle = (span.start + span.end) / 2;
  const before = bands.filter((band) => band.episode.start_ns < middle);
  return direction < 0 ? before.at(-1) : bands[before.length];
}

/** Shows a slice or bin with half its length on either side; nothing where nothing is known of it. */
export function zoomTo(viewport: Viewport, { start, end }: Span): void {
  if (end > start) viewport.glide({ start: start - (end - start) / 2, end: end + (end - start) / 2 });
}

/** The brushed span; else the slice at the cursor, if it is in sight; else the episode. */
function zoomToChosen(
  ref: RefObject<LanesHandle | null>,
  viewport: Viewport,
  cursor: KeyTargets['cursor'],
  bands: readonly Band[],
): void {
  const { selection } = placeNow();
  if (selection) return viewport.glide(selection);
  const { start, end } = viewport.span;
  const hit = cursor && cursor.t >= start && cursor.t < end ? cursorHit(ref, cursor) : null;
  const chosen = bands.find((band) => band.chosen);
  if (hit && hit.end > hit.start) zoomTo(viewport, hit);
  else if (chosen) viewport.glide({ start: chosen.episode.start_ns, end: chosen.episode.end_ns });
}

function follow(ref: RefObject<LanesHandle | null>, cursor: KeyTargets['cursor']): void {
  const utid = cursorHit(ref, cursor)?.utid ?? null;
  go({ utid: utid === placeNow().utid ? null : utid });
}

/**
 * What is at the cursor: of a single CPU the whole slice or wasted stretch, whether the last frame has slices there,
 * a bin of many, or does not show the instant; of folded lanes the bin of the last frame.
 */
export function cursorHit(ref: RefObject<LanesHandle | null>, cursor: KeyTargets['cursor']) {
  const last = ref.current?.last();
  const lane = cursor && last?.scene.lanes.lanes.find((item) => item.cpus.includes(cursor.cpu));
  if (!last || !lane || !cursor) return null;
  const exact = last.drawn.pieces.some(
    ({ kind, part }) => kind === 'raw' && cursor.t >= part.start && cursor.t < part.end,
  );
  return lane.cpus.length === 1 && !exact
    ? instantHit(last.scene, lane, cursor.t)
    : hitOf(last.scene, last.drawn, lane, cursor.t);
}

function moveCursor(
  ref: RefObject<LanesHandle | null>,
  viewport: Viewport,
  cursor: KeyTargets['cursor'],
  along: number,
  across: number,
): void {
  const last = ref.current?.last();
  if (!last) return;
  const { lanes } = last.scene.lanes;
  const { start, end } = viewport.span;
  const inSight = cursor !== null && cursor.t >= start && cursor.t < end;
  const t = inSight ? cursor.t : Math.floor((start + end) / 2);
  const at = cursor ? lanes.findIndex((lane) => lane.cpus.includes(cursor.cpu)) : -1;
  const chosen = last.scene.bands.find((band) => band.chosen);
  const first = Math.max(
    lanes.findIndex((item) => item.cpus.some((cpu) => chosen?.idle.has(cpu))),
    0,
  );
  const lane = lanes[at < 0 ? first : Math.min(Math.max(at + across, 0), lanes.length - 1)];
  if (!lane) return;
  const to = inSight && along !== 0 ? nextSlice(last, lane, t, along) : t;
  ref.current?.reveal(lane.top, lane.height);
  if (to < start || to >= end) {
    const share = (to - (start + end) / 2) / (end - start);
    viewport.glide(pan(viewport.span, share, viewport.bounds));
  }
  adjust({ params: { slice: `${lane.cpus[0]}@${Math.floor(to)}` }, selection: null });
}

/** A moment within the next slice, or the next bin where slices are not drawn. */
function nextSlice(
  last: NonNullable<ReturnType<LanesHandle['last']>>,
  lane: TimelineLane,
  t: number,
  along: number,
): number {
  const { pieces, frame } = last.drawn;
  const piece = pieces.find((item) => t >= item.part.start && t < item.part.end);
  const cpu = lane.cpus[0] as number;
  if (piece?.kind !== 'raw') return t + along * 8 * nsPerPixel(frame);
  const { start, end, first } = piece.slices;
  const row = above(start, t, first[cpu] ?? 0, first[cpu + 1] ?? 0) - 1 + along;
  if (row < (first[cpu] ?? 0)) return piece.part.start - 1;
  if (row >= (first[cpu + 1] ?? 0)) return piece.part.end;
  return Math.floor(((start[row] as number) + (end[row] as number)) / 2);
}
