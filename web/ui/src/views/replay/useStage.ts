// The canvas: its size, the frames, the pointer. It draws only while something changes.

import { type RefObject, useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { type BubbleLayout, layBubbles } from '../../replay/bubbles';
import { type CameraKey, cameraByKey, zoomAt } from '../../replay/camera';
import { type ReplayColours, replayColours } from '../../replay/colours';
import type { Hues } from '../../replay/dictionary';
import type { ReplayFrame } from '../../replay/frame';
import { hit, type ReplayHit } from '../../replay/hit';
import { layMachine } from '../../replay/machine';
import { paint } from '../../replay/paint';
import type { Player } from '../../replay/player';
import { Scene } from '../../replay/scene';
import { WasteMatch } from '../../replay/wasteMatch';
import type { ReplayData } from './useReplayData';

export interface PointerTarget {
  hit: ReplayHit;
  x: number;
  y: number;
}

/** Share of the page that the bubbles get. */
const BUBBLES_SHARE = 0.27;

export function useElementSize(ref: RefObject<HTMLElement | null>): { width: number; height: number } {
  const [size, setSize] = useState({ width: 0, height: 0 });
  useEffect(() => {
    const element = ref.current;
    if (!element) return;
    const observer = new ResizeObserver(() => setSize({ width: element.clientWidth, height: element.clientHeight }));
    observer.observe(element);
    return () => observer.disconnect();
  }, [ref]);
  return size;
}

/** The page's colours in the present shade; read again when the shade changes. */
export function useReplayColours(): ReplayColours {
  const read = useCallback(() => {
    const style = getComputedStyle(document.documentElement);
    return replayColours((name) => style.getPropertyValue(name), document.documentElement.dataset.theme === 'dark');
  }, []);
  const [colours, setColours] = useState(read);
  useEffect(() => {
    const observer = new MutationObserver(() => setColours(read()));
    observer.observe(document.documentElement, { attributes: true, attributeFilter: ['data-theme'] });
    return () => observer.disconnect();
  }, [read]);
  return colours;
}

/** Machine and bubbles side by side, or one above the other where the page is narrow. */
export function layScene(data: ReplayData, width: number, height: number): Scene {
  const wide = width >= height * 1.05;
  const none = data.members.length === 0;
  const pad = 8;
  const bubblesWidth = none ? 0 : wide ? width * BUBBLES_SHARE : width - 2 * pad;
  const bubblesHeight = none ? 0 : wide ? height - 2 * pad : height * BUBBLES_SHARE;
  const bubbleLayout = layBubbles(data.bubbles, data.members, {
    x: pad,
    y: pad,
    w: Math.max(1, bubblesWidth),
    h: Math.max(1, bubblesHeight),
  });
  const left = none ? pad : wide ? pad + Math.min(bubblesWidth, Math.max(bubbleLayout.bounds.w, 80)) + 12 : pad;
  const top = none || wide ? pad : pad + bubbleLayout.bounds.h + 10;
  const area = { w: Math.max(60, width - left - pad), h: Math.max(60, height - top - pad) };
  const machine = layMachine(data.tree, area.w, area.h, 240, data.held ? 1.8 : 1);
  // Beside the bubbles, not in the middle of what they leave; the camera centres the whole.
  const dx = left - (wide && !none ? machine.bounds.x : 0);
  const dy = top - (wide || none ? 0 : machine.bounds.y);
  const shift = <T extends { x: number; y: number }>(r: T): T => ({ ...r, x: r.x + dx, y: r.y + dy });
  const layout = {
    ...machine,
    bounds: shift(machine.bounds),
    areas: machine.areas.map(shift),
    cells: machine.cells.map((c) => ({ ...shift(c), runX: c.runX + dx, runY: c.runY + dy, barY: c.barY + dy })),
  };
  if (wide && !none) lower(bubbleLayout, Math.min(layout.bounds.y - pad, height - 2 * pad - bubbleLayout.bounds.h));
  if (none) bubbleLayout.bounds = { x: layout.bounds.x, y: layout.bounds.y, w: 0, h: 0 };
  return new Scene(layout, bubbleLayout);
}

/** Moves the bubbles down to the top of the machine. */
function lower(bubbleLayout: BubbleLayout, by: number): void {
  if (by <= 0) return;
  bubbleLayout.bounds.y += by;
  for (const b of bubbleLayout.bubbles) b.y += by;
  for (let u = 0; u < bubbleLayout.y.length; u++) bubbleLayout.y[u] = (bubbleLayout.y[u] as number) + by;
}

export interface StageOptions {
  data: ReplayData;
  player: Player;
  hues: Hues;
  colours: ReplayColours;
  still: boolean;
  focus: ReadonlySet<number>;
  focusBubble: number;
  onFrame: (scene: Scene, wasteMatch: WasteMatch) => void;
  onPick: (hit: ReplayHit | null, twice: boolean) => void;
}

export function useStage(
  box: RefObject<HTMLDivElement | null>,
  canvas: RefObject<HTMLCanvasElement | null>,
  o: StageOptions,
) {
  const { width, height } = useElementSize(box);
  const [pointed, setPointed] = useState<PointerTarget | null>(null);
  const latest = useRef(o);
  latest.current = o;
  const { data, player } = o;
  const parts = useMemo(() => {
    if (width < 20 || height < 20) return null;
    const scene = layScene(data, width, height);
    const wasteMatch = new WasteMatch(scene.layout.cellOf.length, data.episodes, data.pairs);
    return { scene, wasteMatch };
  }, [data, width, height]);
  const kick = useRef(() => {});

  const frameOf = useCallback((): ReplayFrame | null => {
    if (parts === null) return null;
    const { hues, colours, focus, focusBubble } = latest.current;
    return {
      scene: parts.scene,
      camera: player.camera,
      width,
      height,
      wall: performance.now(),
      colours,
      hueOf: hues.of,
      nameOf: data.threads.nameOf,
      wasted: parts.wasteMatch.wasted,
      unobserved: parts.wasteMatch.unobserved,
      focus,
      focusBubble,
      pairs: parts.wasteMatch.pairs,
    };
  }, [parts, player, data, width, height]);

  useEffect(() => {
    const c = canvas.current;
    const frame = frameOf();
    if (!c || !parts || !frame) return;
    const density = Math.min(window.devicePixelRatio || 1, 2);
    c.width = Math.round(width * density);
    c.height = Math.round(height * density);
    const pen = c.getContext('2d', { alpha: false });
    if (!pen) return;
    player.setScene(parts.scene, parts.wasteMatch, width, height);
    let asked = 0;
    let gone = false;
    const draw = (wall: number) => {
      asked = 0;
      if (gone) return;
      const began = performance.now();
      const { colours, hues, focus, focusBubble, still, onFrame } = latest.current;
      parts.scene.setStill(still);
      const again = player.frame(wall);
      frame.camera = player.camera;
      frame.wall = wall;
      frame.colours = colours;
      frame.hueOf = hues.of;
      frame.focus = focus;
      frame.focusBubble = focusBubble;
      pen.setTransform(density, 0, 0, density, 0, 0);
      paint(pen, frame);
      onFrame(parts.scene, parts.wasteMatch);
      frameTimes.push(performance.now() - began);
      if (again) ask();
    };
    const ask = () => {
      if (asked === 0 && !gone) asked = requestAnimationFrame(draw);
    };
    kick.current = ask;
    ask();
    return () => {
      gone = true;
      cancelAnimationFrame(asked);
    };
  }, [canvas, parts, player, width, height, frameOf]);

  // Every change of the options is drawn.
  useEffect(() => kick.current());

  useEffect(() => {
    const c = canvas.current;
    if (!c || !parts) return;
    const { scene } = parts;
    const held = new Map<number, { x: number; y: number }>();
    let travelled = 0;
    const where = (e: MouseEvent) => {
      const r = c.getBoundingClientRect();
      return { x: e.clientX - r.left, y: e.clientY - r.top };
    };
    const down = (e: PointerEvent) => {
      held.set(e.pointerId, where(e));
      travelled = 0;
      c.setPointerCapture(e.pointerId);
    };
    const moved = (e: PointerEvent) => {
      const p = where(e);
      const from = held.get(e.pointerId);
      if (!from) {
        const h = hit(scene, player.camera, p.x, p.y, e.pointerType === 'touch' ? 10 : 3);
        setPointed(h === null ? null : { hit: h, ...p });
        return;
      }
      const cam = player.camera;
      if (held.size === 1) {
        travelled += Math.hypot(p.x - from.x, p.y - from.y);
        if (travelled > 4) {
          player.setCamera({ ...cam, x: cam.x + p.x - from.x, y: cam.y + p.y - from.y });
          setPointed(null);
        }
      } else {
        travelled = 99;
        const other = [...held].find(([id]) => id !== e.pointerId)?.[1];
        if (other) {
          const f =
            Math.hypot(p.x - other.x, p.y - other.y) / Math.max(1, Math.hypot(from.x - other.x, from.y - other.y));
          player.setCamera(zoomAt(cam, other.x, other.y, f, leastZoom(player)));
        }
      }
      held.set(e.pointerId, p);
      kick.current();
    };
    const up = (e: PointerEvent) => {
      held.delete(e.pointerId);
      if (e.type === 'pointercancel' || travelled > 4) return;
      const p = where(e);
      latest.current.onPick(hit(scene, player.camera, p.x, p.y, e.pointerType === 'touch' ? 10 : 3), false);
    };
    const twice = (e: MouseEvent) => {
      const p = where(e);
      latest.current.onPick(hit(scene, player.camera, p.x, p.y), true);
    };
    const wheel = (e: WheelEvent) => {
      e.preventDefault();
      const p = where(e);
      const step = e.deltaMode === 1 ? e.deltaY * 16 : e.deltaY;
      player.setCamera(zoomAt(player.camera, p.x, p.y, Math.exp(-step / 400), leastZoom(player)));
      setPointed(null);
      kick.current();
    };
    const left = () => setPointed(null);
    c.addEventListener('pointerdown', down);
    c.addEventListener('pointermove', moved);
    c.addEventListener('pointerup', up);
    c.addEventListener('pointercancel', up);
    c.addEventListener('pointerleave', left);
    c.addEventListener('dblclick', twice);
    c.addEventListener('wheel', wheel, { passive: false });
    return () => {
      c.removeEventListener('pointerdown', down);
      c.removeEventListener('pointermove', moved);
      c.removeEventListener('pointerup', up);
      c.removeEventListener('pointercancel', up);
      c.removeEventListener('pointerleave', left);
      c.removeEventListener('dblclick', twice);
      c.removeEventListener('wheel', wheel);
    };
  }, [canvas, parts, player]);

  const again = useCallback(() => kick.current(), []);
  /** Moves the camera as a key does. */
  const look = useCallback(
    (key: CameraKey) => {
      player.setCamera(cameraByKey(player.camera, key, width, height, leastZoom(player)));
      setPointed(null);
      kick.current();
    },
    [player, width, height],
  );
  return { parts, pointed, frameOf, again, look, width, height };
}

/** Nothing gets smaller than half of what fits. */
const leastZoom = (p: Player): number => Math.min(0.5, p.camera.k);

/** Main-thread time of the last frames, ms: what a measurement reads. */
class Ring {
  private readonly values = new Float64Array(1200);
  private n = 0;
  push(v: number): void {
    this.values[this.n++ % this.values.length] = v;
  }
  take(): number[] {
    const all = [...this.values.subarray(0, Math.min(this.n, this.values.length))];
    this.n = 0;
    return all;
  }
}
export const frameTimes = new Ring();
Object.assign(globalThis, { replayFrames: frameTimes });
