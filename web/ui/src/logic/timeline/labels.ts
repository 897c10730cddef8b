// Names on slices, in colours that are readable on their background.

/** A background with more parts than this counts as a pattern: the text has one colour, the one readable on most of it. */
const MOST_PARTS = 5;

export interface LabelPart {
  from: number;
  to: number;
  /** Its background is light. */
  light: boolean;
}

/** [from, to) cut where its background, per device pixel, turns from light to dark or back. */
export function partsOfLabel(
  from: number,
  to: number,
  ratio: number,
  isLight: (pixel: number) => boolean,
): LabelPart[] {
  const parts: LabelPart[] = [];
  let light = 0;
  const [first, last] = [Math.round(from * ratio), Math.round(to * ratio)];
  for (let pixel = first; pixel < last; pixel++) {
    const now = isLight(pixel);
    light += Number(now);
    const part = parts[parts.length - 1];
    if (part?.light === now) part.to = (pixel + 1) / ratio;
    else parts.push({ from: pixel / ratio, to: (pixel + 1) / ratio, light: now });
  }
  return parts.length <= MOST_PARTS ? parts : [{ from, to, light: light * 2 >= last - first }];
}

interface LabelPen {
  save(): void;
  restore(): void;
  beginPath(): void;
  rect(x: number, y: number, width: number, height: number): void;
  clip(): void;
  fillText(text: string, x: number, y: number): void;
  fillStyle: unknown;
}

/** Writes a text at x, each part of it clipped to its background and in a colour that reads on it. */
export function drawLabel(pen: LabelPen, text: string, x: number, middle: number, parts: readonly LabelPart[]): void {
  for (const { from, to, light } of parts) {
    pen.save();
    pen.beginPath();
    pen.rect(from, middle - 10, to - from, 20);
    pen.clip();
    pen.fillStyle = light ? '#10151c' : '#ffffff';
    pen.fillText(text, x, middle);
    pen.restore();
  }
}
