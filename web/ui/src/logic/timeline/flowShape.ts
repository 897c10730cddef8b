// The arrow of a wakeup as a shape, and how far a point is from it.

export interface Point {
  x: number;
  y: number;
}

/** From the waker to the wakeup, along the wait to the run, and to the CPU where it ran; null: that part is not drawn. */
export interface FlowShape {
  from: Point | null;
  wakeup: Point;
  run: Point | null;
  on: Point | null;
}

/** The point that bends the curve between two lanes. */
export function bowOf(from: Point, to: Point): Point {
  const bow = Math.min(Math.abs(to.y - from.y) / 4 + 4, 26);
  return { x: Math.max(from.x, to.x) + (to.x - from.x > bow ? 0 : bow), y: (from.y + to.y) / 2 };
}

/** Straight pieces that a curve is taken for. */
const PIECES = 16;

/** Pixels from a point to the nearest part of the arrow. */
export function distanceTo({ from, wakeup, run, on }: FlowShape, p: Point): number {
  return Math.min(
    from ? toCurve(from, wakeup, p) : Math.hypot(p.x - wakeup.x, p.y - wakeup.y),
    run ? toLine(wakeup, run, p) : Number.POSITIVE_INFINITY,
    run && on ? toCurve(run, on, p) : Number.POSITIVE_INFINITY,
  );
}

function toCurve(from: Point, to: Point, p: Point): number {
  const by = bowOf(from, to);
  const at = (t: number): Point => ({
    x: (1 - t) ** 2 * from.x + 2 * t * (1 - t) * by.x + t ** 2 * to.x,
    y: (1 - t) ** 2 * from.y + 2 * t * (1 - t) * by.y + t ** 2 * to.y,
  });
  let least = Number.POSITIVE_INFINITY;
  for (let i = 0; i < PIECES; i++) least = Math.min(least, toLine(at(i / PIECES), at((i + 1) / PIECES), p));
  return least;
}

function toLine(a: Point, b: Point, p: Point): number {
  const [dx, dy] = [b.x - a.x, b.y - a.y];
  const length = dx * dx + dy * dy;
  const along = length === 0 ? 0 : Math.min(1, Math.max(0, ((p.x - a.x) * dx + (p.y - a.y) * dy) / length));
  return Math.hypot(a.x + along * dx - p.x, a.y + along * dy - p.y);
}
