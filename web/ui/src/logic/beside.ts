// The position of a box beside the part of the page that it explains.

export interface Box {
  left: number;
  top: number;
  width: number;
  height: number;
}

const overlap = (a: Box, b: Box): number =>
  Math.max(0, Math.min(a.left + a.width, b.left + b.width) - Math.max(a.left, b.left)) *
  Math.max(0, Math.min(a.top + a.height, b.top + b.height) - Math.max(a.top, b.top));

/** The place within `view` for a box of `size` that covers least of `part`: right of it, left, below or above, `gap` pixels off. */
export function beside(part: Box, size: { width: number; height: number }, view: Box, gap: number): Box {
  const right = part.left + part.width;
  const bottom = part.top + part.height;
  const within = (left: number, top: number): Box => ({
    width: size.width,
    height: size.height,
    left: Math.max(Math.min(left, view.left + view.width - size.width - gap), view.left + gap),
    top: Math.max(Math.min(top, view.top + view.height - size.height - gap), view.top + gap),
  });
  const places = [
    within(right + gap, part.top),
    within(part.left - size.width - gap, part.top),
    within(right - size.width, bottom + gap),
    within(right - size.width, part.top - size.height - gap),
  ];
  return places.reduce((best, place) => (overlap(place, part) < overlap(best, part) ? place : best));
}
