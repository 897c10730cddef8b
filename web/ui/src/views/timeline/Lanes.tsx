// The canvas of lanes with its brackets: draws when something changed, and turns pointers into spans and hits.

import { type RefObject, useCallback, useEffect, useImperativeHandle, useLayoutEffect, useRef, useState } from 'react';
import { paintTiles } from '../../api/client';
import { useSize } from '../../components/useSize';
import type { Selection } from '../../logic/place';
import { atRest } from '../../logic/rest';
import { cpusBetween, isThreadLane, type LaneLayout, laneUnder } from '../../logic/timeline/lanes';
import { type Pinch, pan, pinched, toTime, toX, zoom } from '../../logic/timeline/timescale';
import type { CrowdedKind, FrameGaps, FrameResult } from './frameResult';
import { Gutter } from './Gutter';
import { hitAt } from './hit';
import { MachineMap, mapScale } from './machineMap';
import { factsOf, itemAt, itemsInSight, keyOf, pointOf } from './overlayItems';
import { Renderer } from './renderer';
import { AXIS, type GivenScene, type OverlayItem, type TimelineScene } from './scene';
import styles from './Timeline.module.css';
import { LaneTooltip, type PointerPlace, type TooltipContent, type TooltipHandle } from './Tooltip';
import type { TimelineHit } from './timelineHit';
import type { Viewport } from './viewport';

/** What the view asks of the canvas. */
export interface LanesHandle {
  redraw(): void;
  /** The last frame, for the keyboard's steps. */
  last(): { scene: TimelineScene; drawn: FrameResult } | null;
  /** The instant under the pointer, that of a start or end of a slice within a few pixels; null while it is elsewhere. */
  pointed(): number | null;
  /** Shows the tooltip of what overlays draw singly in sight, the next or previous one; null: of none. */
  stepItem(direction: 1 | -1 | null): void;
  /** Bring a lane into sight. */
  reveal(top: number, height: number): void;
  /** By how much the lanes are scrolled. */
  scrolled(): number;
  /** Scroll the lanes by the height of the window. */
  page(direction: 1 | -1): void;
}

interface LanesProps {
  handle: RefObject<LanesHandle | null>;
  viewport: Viewport;
  scene: GivenScene;
  /** All CPUs are shown beside the lanes. */
  withMap: boolean;
  /** Height for the lanes, to lay them out. */
  onHeight: (height: number) => void;
  onPick: (hit: TimelineHit | null) => void;
  /** A click chooses an instant instead of a slice; null: it does not. */
  onInstant: ((t: number) => void) | null;
  onOpen: (hit: TimelineHit) => void;
  onSelect: (selection: Selection | null) => void;
  onFold: (key: string) => void;
  onCrowded: (kinds: readonly CrowdedKind[]) => void;
  onMissing: (missing: FrameGaps) => void;
}

type Drag =
  | { kind: 'pan'; x: number; y: number; moved: boolean }
  /** `y` of where it began among the lanes; null on the axis. */
  | { kind: 'brush'; from: number; y: number | null }
  | { kind: 'pinch'; from: Pinch };

/** Lanes that stay in sight while they scroll by a page, in pixels. */
const PAGE_OVERLAP = 28;

/** The picture rests when nothing was drawn for so long. */
const REST_MS = 90;

/** Pixels of scrolling after which other names of threads are in sight. */
const SIGHT_STEP = 240;

/** Times of the last frames in ms, for the benchmark. */
const frames = new Float32Array(1024);
let frameCount = 0;
Object.assign(window, { wastenotFrames: () => Array.from(frames.subarray(0, Math.min(frameCount, frames.length))) });

export function Lanes(props: LanesProps) {
  const { handle, viewport, scene, withMap, onHeight, onPick, onInstant, onOpen, onSelect, onFold } = props;
  const [outer, size] = useSize<HTMLDivElement>();
  const canvas = useRef<HTMLCanvasElement>(null);
  const renderer = useRef<Renderer | null>(null);
  const mapCanvas = useRef<HTMLCanvasElement>(null);
  const map = useRef<MachineMap | null>(null);
  const latest = useRef(props);
  const last = useRef<{ scene: TimelineScene; drawn: FrameResult } | null>(null);
  const pending = useRef(0);
  /** What is too crowded to draw is said when the picture rests: all of the view renders then. */
  const [crowding] = useState(() => atRest(REST_MS, () => latest.current.onCrowded(last.current?.drawn.crowded ?? [])));
  const pointer = useRef<PointerPlace | null>(null);
  const tooltip = useRef<TooltipHandle>(null);
  const shown = useRef<OverlayItem | null>(null);
  useLayoutEffect(() => {
    latest.current = props;
  });

  const draw = useCallback(() => {
    pending.current = 0;
    const element = canvas.current;
    const scroller = outer.current;
    if (!element || !scroller || element.clientWidth === 0) return;
    const began = performance.now();
    renderer.current ??= new Renderer(element);
    const full: TimelineScene = {
      ...latest.current.scene,
      span: latest.current.viewport.span,
      scroll: scroller.scrollTop,
      shown: shown.current,
    };
    if (map.current?.canvas !== mapCanvas.current)
      map.current = mapCanvas.current && new MachineMap(mapCanvas.current, renderer.current.tileColours);
    paintTiles(full.paint);
    const mapped = map.current?.pieces(full) ?? [];
    const drawn = renderer.current.draw(full, element.clientWidth, element.clientHeight);
    map.current?.draw(full, mapped);
    const before = last.current?.scene;
    last.current = { scene: full, drawn };
    crowding.moved();
    latest.current.onMissing(drawn.missing);
    tooltip.current?.drawn(before?.span !== full.span || before?.scroll !== full.scroll);
    frames[frameCount++ % frames.length] = performance.now() - began;
  }, [outer, crowding]);
  const redraw = useCallback(() => {
    pending.current ||= requestAnimationFrame(draw);
  }, [draw]);

  const showItem = useCallback(
    (item: OverlayItem | null) => {
      if (keyOf(item) === keyOf(shown.current)) return;
      shown.current = item;
      redraw();
    },
    [redraw],
  );
  const stepItem = (direction: 1 | -1 | null) => {
    const now = last.current;
    if (direction === null || !now) {
      showItem(null);
      tooltip.current?.fix(null);
      return;
    }
    const items = itemsInSight(now.scene, now.drawn.frame);
    const key = keyOf(shown.current);
    const at = items.findIndex((item) => keyOf(item) === key);
    const item =
      items[at < 0 ? (direction > 0 ? 0 : items.length - 1) : (at + direction + items.length) % items.length];
    showItem(item ?? null);
    tooltip.current?.fix(() =>
      item ? itemTooltip(canvas.current, last.current, item) : noItemTooltip(canvas.current),
    );
  };

  useImperativeHandle(handle, () => ({
    redraw,
    stepItem,
    last: () => last.current,
    pointed: () =>
      pointer.current && canvas.current ? instantAt(canvas.current, last.current, pointer.current) : null,
    reveal: (top, height) => {
      const scroller = outer.current;
      if (!scroller) return;
      const visible = scroller.clientHeight - AXIS;
      if (top < scroller.scrollTop) scroller.scrollTop = top;
      else if (top + height > scroller.scrollTop + visible) scroller.scrollTop = top + height - visible;
    },
    scrolled: () => outer.current?.scrollTop ?? 0,
    page: (direction) => {
      const scroller = outer.current;
      scroller?.scrollBy(0, direction * Math.max(scroller.clientHeight - AXIS - PAGE_OVERLAP, AXIS));
    },
  }));
  useEffect(() => viewport.subscribe(redraw), [viewport, redraw]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: every change of the scene is drawn
  useEffect(redraw, [scene, size.width, size.height]);
  useEffect(
    () => () => {
      cancelAnimationFrame(pending.current);
      crowding.cancel();
    },
    [crowding],
  );
  useEffect(() => onHeight(size.height - AXIS), [size.height, onHeight]);

  useWheel(canvas, viewport, outer);
  const pointAt = useCallback((at: PointerPlace | null) => {
    pointer.current = at;
    tooltip.current?.pointAt(at);
  }, []);
  const under = useCallback(
    (at: PointerPlace | null): TooltipContent | null => {
      const now = last.current;
      if (!at) showItem(null);
      if (!at || !canvas.current || !now) return null;
      const box = canvas.current.getBoundingClientRect();
      const [x, y] = [at.x - box.left, at.y - box.top];
      const item = y < AXIS ? null : itemAt(now.scene, now.drawn.frame, x, y - AXIS + now.scene.scroll);
      showItem(item);
      return item ? factsOf(now.scene, item) : hitAt(now.scene, now.drawn, x, y);
    },
    [showItem],
  );
  const [seen, setSeen] = useState(0);
  const countSeen = useCallback(() => {
    const top = outer.current?.scrollTop ?? 0;
    setSeen(cpusBetween(scene.lanes, top, top + size.height - AXIS));
  }, [outer, scene.lanes, size.height]);
  useLayoutEffect(countSeen, [countSeen]);
  const [step, setStep] = useState(0);
  const sight = { top: (step - 2) * SIGHT_STEP, height: size.height + 4 * SIGHT_STEP };
  const onScroll = () => {
    redraw();
    setStep(Math.floor((outer.current?.scrollTop ?? 0) / SIGHT_STEP));
    countSeen();
  };
  const onPointer = usePointer({ canvas, outer, viewport, last, pointAt, onPick, onInstant, onOpen, onSelect });

  // biome-ignore lint/correctness/useExhaustiveDependencies: a map that appears is drawn
  useEffect(redraw, [withMap]);
  const scrollTo = (event: React.PointerEvent<HTMLCanvasElement>) => {
    const scroller = outer.current;
    if (event.buttons !== 1 || !scroller) return;
    const box = event.currentTarget.getBoundingClientRect();
    const { from, scale } = mapScale(scene.lanes, box.height);
    const middle = from + (event.clientY - box.top) / scale;
    scroller.scrollTop = middle - (scroller.clientHeight - AXIS) / 2;
  };

  return (
    <div ref={outer} className={styles.scroller} onScroll={onScroll} data-guide="lanes">
      <div className={styles.inner} style={{ height: Math.max(scene.lanes.height + AXIS, 0) }}>
        <Gutter
          lanes={scene.lanes}
          top={AXIS}
          seen={seen}
          sight={sight}
          onFold={onFold}
          onSelectLane={(lane) => onSelect({ ...roundedSpan(viewport), cpus: null, lanes: [lane.key] })}
          onSelect={(cpus) => onSelect({ ...viewport.span, cpus: [...cpus] })}
        />
        <canvas
          ref={canvas}
          className={styles.canvas}
          style={{ height: size.height, cursor: onInstant ? 'crosshair' : undefined }}
          role="img"
          aria-label="What each CPU and each listed thread did over time; arrow keys step from slice to slice and the panel below describes them"
          {...onPointer}
        />
        {withMap && (
          <canvas
            ref={mapCanvas}
            className={styles.map}
            style={{ height: size.height }}
            role="img"
            aria-label="All CPUs in this window of time; those in sight are framed, and PageUp and PageDown scroll"
            title="All CPUs in this window of time, with those in sight framed: click or drag to scroll"
            onPointerDown={(event) => {
              event.currentTarget.setPointerCapture(event.pointerId);
              scrollTo(event);
            }}
            onPointerMove={scrollTo}
          />
        )}
      </div>
      <LaneTooltip handle={tooltip} contentAt={under} />
    </div>
  );
}

/** The tooltip of an arrow at its wakeup, of a scan at the CPU chosen, of an interrupt at its start; null where that is not in sight. */
function itemTooltip(
  canvas: HTMLCanvasElement | null,
  last: { scene: TimelineScene; drawn: FrameResult } | null,
  item: OverlayItem,
): { at: PointerPlace; content: TooltipContent } | null {
  const point = last && pointOf(last.scene, last.drawn.frame, item);
  if (!canvas || !last || !point) return null;
  const box = canvas.getBoundingClientRect();
  const at = (low: number, value: number, high: number) => Math.min(Math.max(value, low), high);
  return {
    at: {
      x: at(box.left, box.left + point.x, box.right),
      y: at(box.top, box.top + AXIS + point.y - last.scene.scroll, box.bottom),
    },
    content: factsOf(last.scene, item),
  };
}

function noItemTooltip(canvas: HTMLCanvasElement | null): { at: PointerPlace; content: TooltipContent } | null {
  const box = canvas?.getBoundingClientRect();
  const rows: [string, string][] = [
    ['', 'pin a thread (t), pick a slice that began with a wakeup, or zoom in with Scans or Interrupts on'],
  ];
  return box
    ? { at: { x: box.left, y: box.top + AXIS }, content: { title: 'No arrow, scan or interrupt in sight', rows } }
    : null;
}

/** What is under a point of the window in the last frame. */
function hoverAt(
  canvas: HTMLCanvasElement,
  last: { scene: TimelineScene; drawn: FrameResult } | null,
  at: PointerPlace,
) {
  const box = canvas.getBoundingClientRect();
  return last && hitAt(last.scene, last.drawn, at.x - box.left, at.y - box.top);
}

/** Within so many pixels the start or end of a slice is taken for an instant. */
const SNAP = 7;

/** The instant at a point of the window, or the start or end of the slice there. */
function instantAt(
  canvas: HTMLCanvasElement,
  last: { scene: TimelineScene; drawn: FrameResult } | null,
  at: PointerPlace,
): number | null {
  if (!last) return null;
  const { frame } = last.drawn;
  const x = at.x - canvas.getBoundingClientRect().left;
  const hit = hoverAt(canvas, last, at);
  const ends = hit?.exact ? [hit.start, hit.end] : [];
  const far = (t: number) => Math.abs(toX(frame, t) - x);
  const nearest = ends.filter((t) => far(t) <= SNAP).sort((a, b) => far(a) - far(b))[0];
  return Math.round(nearest ?? toTime(frame, x));
}

/** Wheel zooms at the pointer; sideways or with Shift it pans; with Alt it scrolls the lanes. */
function useWheel(
  canvas: RefObject<HTMLCanvasElement | null>,
  viewport: Viewport,
  outer: RefObject<HTMLDivElement | null>,
) {
  useEffect(() => {
    const element = canvas.current;
    if (!element) return;
    const onWheel = (event: WheelEvent) => {
      event.preventDefault();
      const unit = event.deltaMode === 1 ? 16 : 1;
      const dy = event.deltaY * unit;
      const dx = event.deltaX * unit;
      if (event.altKey) outer.current?.scrollBy(0, dy);
      else if (event.shiftKey || Math.abs(dx) > Math.abs(dy)) {
        viewport.set(pan(viewport.span, (dx || dy) / element.clientWidth, viewport.bounds));
      } else {
        const share = (event.clientX - element.getBoundingClientRect().left) / element.clientWidth;
        viewport.set(zoom(viewport.span, 2 ** (-dy / 260), share, viewport.bounds));
      }
    };
    element.addEventListener('wheel', onWheel, { passive: false });
    return () => element.removeEventListener('wheel', onWheel);
  }, [canvas, viewport, outer]);
}

/** What lies between two heights: CPUs or threads, of the kind of lane where the brush began; all where it is null. */
function lanesBetween(layout: LaneLayout, from: number | null, to: number): Pick<Selection, 'cpus' | 'lanes'> {
  const start = from === null ? undefined : laneUnder(layout, from);
  if (from === null || !start) return { cpus: null };
  const [top, bottom] = [Math.min(from, to), Math.max(from, to)];
  const isBetween = (lane: { top: number; height: number }) => lane.top <= bottom && lane.top + lane.height > top;
  if (isThreadLane(start)) return { cpus: null, lanes: layout.threads.filter(isBetween).map((lane) => lane.key) };
  const lanes = layout.lanes.filter(isBetween);
  return { cpus: lanes.length < layout.lanes.length ? lanes.flatMap((lane) => lane.cpus) : null };
}

const roundedSpan = ({ span }: Viewport) => ({ start: Math.round(span.start), end: Math.round(span.end) });

interface PointerParts {
  canvas: RefObject<HTMLCanvasElement | null>;
  outer: RefObject<HTMLDivElement | null>;
  viewport: Viewport;
  last: RefObject<{ scene: TimelineScene; drawn: FrameResult } | null>;
  /** Says where the pointer is, in the window; null: nowhere, or at work. */
  pointAt: (at: PointerPlace | null) => void;
  onPick: (hit: TimelineHit | null) => void;
  onInstant: ((t: number) => void) | null;
  onOpen: (hit: TimelineHit) => void;
  onSelect: (selection: Selection | null) => void;
}

/** Drag pans, with Shift (or on the axis) it brushes; two fingers pinch; a click picks, a double click zooms. */
function usePointer(parts: PointerParts) {
  const { canvas, outer, viewport, last, pointAt, onPick, onInstant, onOpen, onSelect } = parts;
  const drag = useRef<Drag | null>(null);
  const fingers = useRef(new Map<number, number>());
  const place = (event: React.PointerEvent | React.MouseEvent) => {
    const box = event.currentTarget.getBoundingClientRect();
    return { x: event.clientX - box.left, y: event.clientY - box.top };
  };
  const hit = (event: React.PointerEvent | React.MouseEvent) => {
    const { x, y } = place(event);
    return last.current ? hitAt(last.current.scene, last.current.drawn, x, y) : null;
  };
  const contentY = (y: number) => y - AXIS + (outer.current?.scrollTop ?? 0);
  const spread = (): Pinch => {
    const [a = 0, b = 0] = [...fingers.current.values()];
    const box = canvas.current?.getBoundingClientRect();
    const middle = (a + b) / 2 - (box?.left ?? 0);
    return { share: middle / (box?.width || 1), distance: Math.max(Math.abs(a - b), 20) };
  };

  const brush = (x: number, y: number, from: number, startY: number | null) => {
    const now = last.current;
    if (!now) return;
    const t = Math.min(Math.max(toTime(now.drawn.frame, x), viewport.bounds.start), viewport.bounds.end);
    const span = { start: Math.round(Math.min(from, t)), end: Math.round(Math.max(from, t)) + 1 };
    onSelect({ ...span, ...lanesBetween(now.scene.lanes, startY, contentY(y)) });
  };

  return {
    onPointerDown: (event: React.PointerEvent) => {
      if (event.button !== 0) return;
      canvas.current?.setPointerCapture(event.pointerId);
      fingers.current.set(event.pointerId, event.clientX);
      const { x, y } = place(event);
      if (fingers.current.size === 2) drag.current = { kind: 'pinch', from: spread() };
      else if (event.shiftKey || y < AXIS) {
        const from = last.current ? toTime(last.current.drawn.frame, x) : viewport.span.start;
        drag.current = { kind: 'brush', from, y: y >= AXIS ? contentY(y) : null };
      } else drag.current = { kind: 'pan', x: event.clientX, y: event.clientY, moved: false };
      pointAt(null);
    },
    onPointerMove: (event: React.PointerEvent) => {
      const now = drag.current;
      const { x, y } = place(event);
      if (!now) {
        pointAt({ x: event.clientX, y: event.clientY });
        return;
      }
      fingers.current.set(event.pointerId, event.clientX);
      if (now.kind === 'brush') brush(x, y, now.from, now.y);
      else if (now.kind === 'pinch') {
        const to = spread();
        viewport.set(pinched(viewport.span, now.from, to, viewport.bounds));
        now.from = to;
      } else {
        const width = canvas.current?.clientWidth ?? 1;
        if (!now.moved && Math.abs(event.clientX - now.x) + Math.abs(event.clientY - now.y) < 4) return;
        now.moved = true;
        viewport.set(pan(viewport.span, (now.x - event.clientX) / width, viewport.bounds));
        outer.current?.scrollBy(0, now.y - event.clientY);
        now.x = event.clientX;
        now.y = event.clientY;
      }
    },
    onPointerUp: (event: React.PointerEvent) => {
      fingers.current.delete(event.pointerId);
      const now = drag.current;
      drag.current = null;
      if (now?.kind !== 'pan' || now.moved) return;
      const t = canvas.current && instantAt(canvas.current, last.current, { x: event.clientX, y: event.clientY });
      if (onInstant && t !== null) onInstant(t);
      else onPick(hit(event));
    },
    onPointerCancel: (event: React.PointerEvent) => {
      fingers.current.delete(event.pointerId);
      drag.current = null;
    },
    onPointerLeave: () => pointAt(null),
    onDoubleClick: (event: React.MouseEvent) => {
      const found = hit(event);
      if (found) onOpen(found);
    },
  };
}
