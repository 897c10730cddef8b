// The keyboard on the timeline: zoom, pan, from slice to slice and lane to lane, follow, episodes.

import type { RefObject } from 'react';
import { json, ofTrace } from '../../api/client';
import { queries } from '../../api/hooks';
import type { SelectionFigures, TraceSummary } from '../../api/types';
import { ANY } from '../../components/RangeStacks';
import { useKeys } from '../../components/useKeys';
import { CPU_ORDERS, GROUPINGS, LANE_ORDERS, type Span } from '../../logic/place';
import { above } from '../../logic/timeline/chunks';
import {
  canFit,
  foldedPlace,
  inOrder,
  isThreadLane,
  laneNamed,
  otherFit,
  placeOfLane,
  type ThreadLane,
  type TimelineLane,
} from '../../logic/timeline/lanes';
import type { Threads } from '../../logic/timeline/names';
import { threadKey, toggled } from '../../logic/timeline/threadRows';
import { nsPerPixel, pan, zoom } from '../../logic/timeline/timescale';
import { adjust, go, placeNow } from '../../navigation';
import { hitOf, instantHit } from './hit';
import { withJob } from './jobOverlay';
import type { LanesHandle } from './Lanes';
import {
  bookmarkBeside,
  chosenInstant,
  goToInstant,
  measureAt,
  rangeOfHit,
  rangeWithEnd,
  toggleBookmark,
} from './marking';
import { chooseCpus, toggleOpen, togglePin, toggleProcess } from './pinning';
import { parametersOf, saveRange } from './RangePanel';
import type { Band, TimelineCursor } from './scene';
import { threadInstantHit } from './threadHit';
import type { Viewport } from './viewport';

interface KeyTargets {
  viewport: Viewport;
  lanesRef: RefObject<LanesHandle | null>;
  bands: readonly Band[];
  cursor: TimelineCursor | null;
  toEpisode: (id: number) => void;
  trace: TraceSummary;
  threads: Threads;
  /** Clicks choose slices again. */
  endMeasuring: () => void;
  /** Key of the whole machine, whose lanes fold into one. */
  machineKey: string;
}

export function useTimelineKeys(targets: KeyTargets): void {
  const { viewport, lanesRef, bands, cursor, toEpisode, trace, threads, endMeasuring, machineKey } = targets;
  const scale = (factor: number) => () =>
    viewport.glide(zoom(viewport.span, factor, shareOf(viewport, cursor), viewport.bounds));
  const shift = (share: number) => () => viewport.glide(pan(viewport.span, share, viewport.bounds));
  const step = (direction: 1 | -1) => () => moveCursor(lanesRef, viewport, cursor, direction, 0);
  const lane = (direction: 1 | -1) => () => moveCursor(lanesRef, viewport, cursor, 0, direction);
  const episode = (direction: 1 | -1) => () => {
    const next = nextBand(bands, viewport, direction);
    if (next) toEpisode(next.episode.episode_id);
  };
  const bookmark = (direction: 1 | -1) => () => {
    const mark = bookmarkBeside(placeNow().bookmarks, viewport.span, direction);
    if (mark) goToInstant(viewport, mark.t);
  };
  const rangeEnd = (side: 'start' | 'end') => () => {
    const hit = cursorHit(lanesRef, cursor);
    const t =
      side === 'end' && hit?.exact && lanesRef.current?.pointed() == null
        ? Math.ceil(hit.end)
        : chosenInstant(lanesRef, viewport, hit);
    adjust({ selection: rangeWithEnd(placeNow().selection, side, t, viewport.span) });
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
    v: (event) => lanesRef.current?.stepItem(event.shiftKey ? -1 : 1),
    z: () => zoomToChosen(lanesRef, viewport, cursor, bands),
    enter: () => follow(lanesRef, cursor),
    t: (event) => pinCursor(lanesRef, cursor, threads, event.shiftKey),
    f: () => foldCursor(lanesRef, cursor),
    g: () => go({ grouping: next(GROUPINGS, placeNow().grouping) }),
    o: () => {
      const { grouping, order, cpuOrder } = placeNow();
      go(grouping === 'none' ? { cpuOrder: next(CPU_ORDERS, cpuOrder) } : { order: next(LANE_ORDERS, order) });
    },
    x: () => onlyCpus(lanesRef, cursor),
    h: () => toggleFit(lanesRef),
    pageup: () => lanesRef.current?.page(-1),
    pagedown: () => lanesRef.current?.page(1),
    c: () => toggleFolded(lanesRef, machineKey),
    m: () => measureAt(chosenInstant(lanesRef, viewport, cursorHit(lanesRef, cursor))),
    b: () => {
      const hit = cursorHit(lanesRef, cursor);
      toggleBookmark(chosenInstant(lanesRef, viewport, hit), hit?.title ?? '');
    },
    ',': bookmark(-1),
    '.': bookmark(1),
    r: (event) => selectRange(lanesRef, viewport, cursor, event.shiftKey),
    '[': rangeEnd('start'),
    ']': rangeEnd('end'),
    k: () => placeNow().selection && adjust({ params: { stacks: ANY } }),
    e: () => void saveChosenRange(trace, threads),
    escape: () => {
      endMeasuring();
      lanesRef.current?.stepItem(null);
      adjust({ selection: null, params: {}, measure: null, utid: null, filter: '' });
    },
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

/** All CPUs in the window, or lanes that have names; nothing where they have both. */
function toggleFit(ref: RefObject<LanesHandle | null>): void {
  const lanes = ref.current?.last()?.scene.lanes;
  const { fit, grouping } = placeNow();
  if (lanes && (canFit(lanes) || fit !== null)) go({ fit: otherFit(lanes, grouping !== 'none') });
}

/** The range of the slice or state at the cursor; with Shift, and where there is none, all that is in sight. */
function selectRange(
  ref: RefObject<LanesHandle | null>,
  { span }: Viewport,
  cursor: KeyTargets['cursor'],
  all: boolean,
): void {
  const hit = all ? null : cursorHit(ref, cursor);
  const range = hit && rangeOfHit(hit);
  adjust({ selection: range ?? { start: Math.floor(span.start), end: Math.ceil(span.end), cpus: null } });
}

/** Saves the selected range, if there is one. */
async function saveChosenRange(trace: TraceSummary, threads: Threads): Promise<void> {
  const { selection } = placeNow();
  if (!selection) return;
  const path = ofTrace(trace.id, `selection${parametersOf(selection)}`);
  const figures = await queries.fetchQuery({ queryKey: [path], queryFn: () => json<SelectionFigures>(path) });
  saveRange(trace, figures, threads);
}

const next = <T>(all: readonly T[], now: T): T => all[(all.indexOf(now) + 1) % all.length] as T;

/** Pins the lane at the cursor, or the thread of its slice; with Shift the thread's process. Again: unpins. */
function pinCursor(
  ref: RefObject<LanesHandle | null>,
  cursor: KeyTargets['cursor'],
  threads: Threads,
  process: boolean,
): void {
  const hit = cursorHit(ref, cursor);
  if (!hit) return;
  if (process && hit.utid !== null) toggleProcess(threads, hit.utid);
  else if (isThreadLane(hit.lane)) togglePin(hit.lane.key);
  else if (hit.utid !== null) togglePin(threadKey(hit.utid));
}

/** Leaves lanes to the CPUs of the selection, or of the lane at the cursor, alone; all have theirs again where not all had. */
function onlyCpus(ref: RefObject<LanesHandle | null>, cursor: KeyTargets['cursor']): void {
  const layout = ref.current?.last()?.scene.lanes;
  const lane = cursor && layout ? laneNamed(layout, cursor.lane) : undefined;
  const cpus = placeNow().selection?.cpus ?? (lane && !isThreadLane(lane) ? lane.cpus : null);
  if (placeNow().cpus !== null) chooseCpus(null);
  else if (cpus) chooseCpus(cpus);
}

/** Folds what is around the lane at the cursor, or unfolds the lane: a group of threads, or a part of the machine. */
function foldCursor(ref: RefObject<LanesHandle | null>, cursor: KeyTargets['cursor']): void {
  const layout = ref.current?.last()?.scene.lanes;
  const lane = cursor && layout ? laneNamed(layout, cursor.lane) : undefined;
  if (!layout || !lane) return;
  if (isThreadLane(lane)) {
    const head = lane.nested
      ? layout.threads.filter((item) => item.folded !== null && item.top < lane.top).at(-1)
      : lane;
    if (!head || head.folded === null) return;
    toggleOpen(head.key);
    if (lane.nested && cursor) adjust({ params: { slice: `${head.key}@${cursor.t}` } });
    return;
  }
  const around = layout.brackets.filter(({ cpus }) => cpus.includes(lane.cpus[0] as number));
  const bracket = around.sort((a, b) => b.depth - a.depth)[0];
  if (bracket) toggleFolded(ref, bracket.key);
}

function toggleFolded(ref: RefObject<LanesHandle | null>, key: string): void {
  const layout = ref.current?.last()?.scene.lanes;
  if (layout) go({ folded: foldedPlace(layout, toggled(layout.folded, key)) });
}

/**
 * What is at the cursor: of a single CPU the whole slice or wasted stretch, whether the last frame has slices there,
 * a bin of many, or does not show the instant; of folded lanes the bin of the last frame.
 */
export function cursorHit(ref: RefObject<LanesHandle | null>, cursor: KeyTargets['cursor']) {
  const last = ref.current?.last();
  const lane = cursor && last ? laneNamed(last.scene.lanes, cursor.lane) : undefined;
  if (!last || !lane || !cursor) return null;
  if (isThreadLane(lane)) {
    const hit = hitOf(last.scene, last.drawn, lane, cursor.t);
    return hit?.exact ? hit : withJob(last.scene, threadInstantHit(last.scene, lane, cursor.t), cursor.t);
  }
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
  const lanes = inOrder(last.scene.lanes);
  const { start, end } = viewport.span;
  const inSight = cursor !== null && cursor.t >= start && cursor.t < end;
  const t = inSight ? cursor.t : Math.floor((start + end) / 2);
  const current = cursor ? laneNamed(last.scene.lanes, cursor.lane) : undefined;
  const at = current ? lanes.findIndex((lane) => lane.top === current.top) : -1;
  const chosen = last.scene.bands.find((band) => band.chosen);
  const first = Math.max(
    lanes.findIndex((item) => !isThreadLane(item) && item.cpus.some((cpu) => chosen?.idle.has(cpu))),
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
  adjust({ params: { slice: `${placeOfLane(lane)}@${Math.floor(to)}` }, selection: null });
}

/** A moment within the next slice, or the next bin where slices are not drawn. */
function nextSlice(
  last: NonNullable<ReturnType<LanesHandle['last']>>,
  lane: TimelineLane | ThreadLane,
  t: number,
  along: number,
): number {
  const { pieces, frame } = last.drawn;
  if (isThreadLane(lane)) return nextState(last, lane, t, along);
  const piece = pieces.find((item) => t >= item.part.start && t < item.part.end);
  const cpu = lane.cpus[0] as number;
  if (piece?.kind !== 'raw') return t + along * 8 * nsPerPixel(frame);
  const { start, end, first } = piece.slices;
  const row = above(start, t, first[cpu] ?? 0, first[cpu + 1] ?? 0) - 1 + along;
  if (row < (first[cpu] ?? 0)) return piece.part.start - 1;
  if (row >= (first[cpu + 1] ?? 0)) return piece.part.end;
  return Math.floor(((start[row] as number) + (end[row] as number)) / 2);
}

/** A moment within the next state of a thread, at every zoom once the present one is known; of a group the next bin. */
function nextState(
  { scene, drawn }: NonNullable<ReturnType<LanesHandle['last']>>,
  lane: ThreadLane,
  t: number,
  along: number,
): number {
  const drawnHit = hitOf(scene, drawn, lane, t);
  const hit = drawnHit?.exact || lane.utid === null ? drawnHit : threadInstantHit(scene, lane, Math.floor(t));
  if (!hit?.exact) return t + along * 8 * nsPerPixel(drawn.frame);
  return along > 0 ? hit.end : hit.start - 1;
}
