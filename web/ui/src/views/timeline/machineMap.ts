// All lanes of CPUs at once, a few pixels wide, for the window in sight: where to scroll to on a large machine. From tiles alone: where
// the window is narrower than the bins of the finest ones, it has the average of the bins that the window meets.

import { heightOfCpus, type LaneLayout, type TimelineLane } from '../../logic/timeline/lanes';
import { levelFor } from '../../logic/timeline/pyramid';
import type { TileColours } from '../../logic/timeline/tileColours';
import { nsPerPixel, type PixelSpan } from '../../logic/timeline/timescale';
import { LaneRows } from './laneRow';
import { AXIS, type TimelineScene } from './scene';
import type { Piece } from './source';

export class MachineMap {
  private readonly context: CanvasRenderingContext2D;
  private readonly rows = document.createElement('canvas');
  private readonly rowContext: CanvasRenderingContext2D;
  private image: ImageData | null = null;
  private readonly laneRows: LaneRows;

  constructor(
    readonly canvas: HTMLCanvasElement,
    colours: TileColours,
  ) {
    this.laneRows = new LaneRows(colours);
    const context = canvas.getContext('2d', { alpha: false });
    const rowContext = this.rows.getContext('2d');
    if (!context || !rowContext) throw new Error('this browser gives no canvas to draw on');
    this.context = context;
    this.rowContext = rowContext;
  }

  /** What it needs of the source, requested with the pieces of the lanes: call it before they are drawn. */
  pieces({ source, span }: TimelineScene): Piece[] {
    const level = Math.max(levelFor(source.meta, nsPerPixel({ ...span, width: this.canvas.clientWidth })), 0);
    return source.mapPieces(level, span);
  }

  draw(scene: TimelineScene, pieces: readonly Piece[]): void {
    const { clientWidth: width, clientHeight: height } = this.canvas;
    const ratio = window.devicePixelRatio || 1;
    if (width === 0 || height === 0) return;
    if (this.canvas.width !== Math.round(width * ratio) || this.canvas.height !== Math.round(height * ratio)) {
      this.canvas.width = Math.round(width * ratio);
      this.canvas.height = Math.round(height * ratio);
    }
    const { context } = this;
    const { lanes } = scene.lanes;
    const frame: PixelSpan = { ...scene.span, width };
    const pixels = this.pixelsFor(width, lanes.length);
    this.laneRows.begin(scene, frame, pieces);
    lanes.forEach((lane, index) => {
      this.laneRows.fill(scene, lane, pixels, index * width, false);
    });
    if (this.image) this.rowContext.putImageData(this.image, 0, 0);
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.fillStyle = scene.ink.surface;
    context.fillRect(0, 0, width, height);
    context.imageSmoothingEnabled = false;
    const { from, scale } = mapScale(scene.lanes, height);
    const at = (y: number) => Math.round((y - from) * scale * ratio) / ratio;
    // Lanes without a gap between them at once: an image for each takes longer than all else.
    for (let first = 0; first < lanes.length; ) {
      let next = first + 1;
      while (next < lanes.length && lanes[next]?.top === bottomOf(lanes[next - 1])) next++;
      const top = at(lanes[first]?.top ?? 0);
      const height = Math.max(at(bottomOf(lanes[next - 1])) - top, 1 / ratio);
      context.drawImage(this.rows, 0, first, width, next - first, 0, top, width, height);
      first = next;
    }
    this.drawSight(scene, width, height);
  }

  private pixelsFor(width: number, rows: number): Uint32Array {
    if (this.image?.width !== width || this.image.height !== rows) {
      this.rows.width = width;
      this.rows.height = rows;
      this.image = new ImageData(width, rows);
    }
    return new Uint32Array(this.image.data.buffer);
  }

  /** The lanes in sight; the others are shaded. */
  private drawSight({ ink, scroll, lanes }: TimelineScene, width: number, height: number): void {
    const { context } = this;
    const { from, scale } = mapScale(lanes, height);
    const within = (y: number) => Math.min(Math.max((y - from) * scale, 0), height);
    const [top, bottom] = [within(scroll), within(scroll + height - AXIS)];
    context.globalAlpha = 0.4;
    context.fillStyle = ink.surface;
    context.fillRect(0, 0, width, top);
    context.fillRect(0, bottom, width, height - bottom);
    context.globalAlpha = 1;
    context.strokeStyle = ink.accent;
    context.lineWidth = 2;
    context.strokeRect(1, top + 1, width - 2, Math.max(bottom - top - 2, 2));
  }
}

const bottomOf = (lane: TimelineLane | undefined): number => (lane ? lane.top + lane.height : 0);

/** Where the lanes of CPUs start, and pixels of a map of this height per pixel of them. */
export function mapScale(layout: LaneLayout, mapHeight: number): { from: number; scale: number } {
  const from = layout.lanes[0]?.top ?? 0;
  return { from, scale: mapHeight / Math.max(heightOfCpus(layout), 1) };
}
