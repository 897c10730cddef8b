// What the picture is drawn with: a 2D canvas context, or an object that writes the same strokes as SVG.

export type Pen = Pick<
  CanvasRenderingContext2D,
  | 'fillStyle'
  | 'strokeStyle'
  | 'lineWidth'
  | 'globalAlpha'
  | 'font'
  | 'textAlign'
  | 'textBaseline'
  | 'beginPath'
  | 'moveTo'
  | 'lineTo'
  | 'quadraticCurveTo'
  | 'arc'
  | 'rect'
  | 'roundRect'
  | 'fill'
  | 'stroke'
  | 'fillRect'
  | 'fillText'
  | 'setLineDash'
>;

const n = (v: number): string => String(Math.round(v * 100) / 100);
const escaped = (s: string): string =>
  s.replace(/[&<>"]/g, (c) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' })[c] as string);

/** A pen whose strokes become an SVG picture. */
export class SvgPen implements Pen {
  fillStyle: string | CanvasGradient | CanvasPattern = '#000000';
  strokeStyle: string | CanvasGradient | CanvasPattern = '#000000';
  lineWidth = 1;
  globalAlpha = 1;
  font = '12px sans-serif';
  textAlign: CanvasTextAlign = 'left';
  textBaseline: CanvasTextBaseline = 'alphabetic';
  private dash: number[] = [];
  private path: string[] = [];
  private readonly out: string[] = [];

  beginPath(): void {
    this.path = [];
  }
  moveTo(x: number, y: number): void {
    this.path.push(`M${n(x)} ${n(y)}`);
  }
  lineTo(x: number, y: number): void {
    this.path.push(`L${n(x)} ${n(y)}`);
  }
  quadraticCurveTo(cx: number, cy: number, x: number, y: number): void {
    this.path.push(`Q${n(cx)} ${n(cy)} ${n(x)} ${n(y)}`);
  }
  /** Whole circles only: that is all the picture has. */
  arc(x: number, y: number, r: number): void {
    this.path.push(
      `M${n(x + r)} ${n(y)}A${n(r)} ${n(r)} 0 1 1 ${n(x - r)} ${n(y)}A${n(r)} ${n(r)} 0 1 1 ${n(x + r)} ${n(y)}`,
    );
  }
  rect(x: number, y: number, w: number, h: number): void {
    this.path.push(`M${n(x)} ${n(y)}h${n(w)}v${n(h)}h${n(-w)}z`);
  }
  roundRect(x: number, y: number, w: number, h: number, radius?: unknown): void {
    const r = Math.min(typeof radius === 'number' ? radius : 0, w / 2, h / 2);
    this.path.push(
      `M${n(x + r)} ${n(y)}h${n(w - 2 * r)}q${n(r)} 0 ${n(r)} ${n(r)}v${n(h - 2 * r)}q0 ${n(r)} ${n(-r)} ${n(r)}` +
        `h${n(2 * r - w)}q${n(-r)} 0 ${n(-r)} ${n(-r)}v${n(2 * r - h)}q0 ${n(-r)} ${n(r)} ${n(-r)}z`,
    );
  }
  fill(): void {
    if (this.path.length > 0)
      this.out.push(`<path d="${this.path.join('')}" fill="${String(this.fillStyle)}"${this.opacity()}/>`);
  }
  stroke(): void {
    if (this.path.length === 0) return;
    const dash = this.dash.length > 0 ? ` stroke-dasharray="${this.dash.map(n).join(' ')}"` : '';
    this.out.push(
      `<path d="${this.path.join('')}" fill="none" stroke="${String(this.strokeStyle)}" stroke-width="${n(this.lineWidth)}"${dash}${this.opacity()}/>`,
    );
  }
  fillRect(x: number, y: number, w: number, h: number): void {
    this.out.push(
      `<rect x="${n(x)}" y="${n(y)}" width="${n(w)}" height="${n(h)}" fill="${String(this.fillStyle)}"${this.opacity()}/>`,
    );
  }
  fillText(text: string, x: number, y: number): void {
    const anchor = this.textAlign === 'center' ? 'middle' : this.textAlign === 'right' ? 'end' : 'start';
    const base = this.textBaseline === 'middle' ? 'central' : this.textBaseline === 'top' ? 'text-before-edge' : 'auto';
    this.out.push(
      `<text x="${n(x)}" y="${n(y)}" style="font:${escaped(this.font)}" text-anchor="${anchor}" dominant-baseline="${base}"` +
        ` fill="${String(this.fillStyle)}"${this.opacity()}>${escaped(text)}</text>`,
    );
  }
  setLineDash(segments: Iterable<number>): void {
    this.dash = [...segments];
  }

  /** The picture so far. */
  svg(width: number, height: number, title: string): string {
    return (
      `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}">` +
      `<title>${escaped(title)}</title>${this.out.join('')}</svg>`
    );
  }

  private opacity(): string {
    return this.globalAlpha < 1 ? ` opacity="${n(this.globalAlpha)}"` : '';
  }
}
