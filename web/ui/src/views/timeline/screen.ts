// The lanes' part of the canvas as pixels. Rows are stretched to the height of their lanes here and reach the canvas in one piece: an image
// drawn for each row takes the browser longer.

import type { Pixel } from '../../logic/timeline/colour';

export class Screen {
  private image: ImageData | null = null;
  private pixels = new Uint32Array(0);

  /** Of so many pixels of the canvas, all of one colour. */
  clear(width: number, height: number, colour: Pixel): void {
    if (this.image?.width !== width || this.image.height !== height) {
      this.image = new ImageData(width, height);
      this.pixels = new Uint32Array(this.image.data.buffer);
    }
    this.pixels.fill(colour);
  }

  /** The row of pixels that starts at `offset` in `rows`, from `top` to before `bottom`; what lies outside the screen is left out. */
  stretch(rows: Uint32Array, offset: number, top: number, bottom: number): void {
    if (!this.image) return;
    const { width, height } = this.image;
    const [first, end] = [Math.max(top, 0), Math.min(bottom, height)];
    if (first >= end) return;
    this.pixels.set(rows.subarray(offset, offset + width), first * width);
    for (let y = first + 1; y < end; y++) this.pixels.copyWithin(y * width, first * width, (first + 1) * width);
  }

  /** Onto the canvas, from row `y` of its pixels on. */
  put(context: CanvasRenderingContext2D, y: number): void {
    if (this.image) context.putImageData(this.image, 0, y);
  }
}
