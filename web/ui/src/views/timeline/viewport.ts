// The span in sight, outside React: it changes with every frame of a pan; listeners draw, the URL follows when it rests.

import type { Span } from '../../logic/place';
import { clamp } from '../../logic/timeline/timescale';

const GLIDE_MS = 260;
const still = matchMedia('(prefers-reduced-motion: reduce)');

export class Viewport {
  span: Span;
  private readonly listeners = new Set<() => void>();
  private gliding = 0;

  constructor(
    readonly bounds: Span,
    span: Span | null,
  ) {
    this.span = span ? clamp(span, bounds) : bounds;
  }

  subscribe(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => void this.listeners.delete(listener);
  }

  /** Show a span at once; ends a glide. */
  set(span: Span): void {
    cancelAnimationFrame(this.gliding);
    this.show(span);
  }

  /** Go to a span in a quarter of a second, or at once where motion is not wanted. */
  glide(target: Span): void {
    cancelAnimationFrame(this.gliding);
    const to = clamp(target, this.bounds);
    if (still.matches) return this.show(to);
    const from = this.span;
    const began = performance.now();
    const step = (now: number) => {
      const share = Math.min(Math.max((now - began) / GLIDE_MS, 0), 1);
      const eased = 1 - (1 - share) ** 3;
      this.show({ start: from.start + (to.start - from.start) * eased, end: from.end + (to.end - from.end) * eased });
      if (share < 1) this.gliding = requestAnimationFrame(step);
    };
    this.gliding = requestAnimationFrame(step);
  }

  private show(span: Span): void {
    this.span = clamp(span, this.bounds);
    for (const listener of this.listeners) listener();
  }
}
