// Draws the cells of iterations and ranks, with the numbers of ranks on the left and those of windows above.

import type { BalanceCells, ParallelApplication } from '../../api/types';
import { boxOf, type Cell, type CellLayout, heatStep } from '../../logic/balance/cells';
import { type Colouring, cellNs, GROUPS, type Group } from '../../logic/balance/parts';

export interface CellColours {
  groups: Record<Group, string>;
  heat: readonly string[];
  text: string;
  iterations: string;
  other: string;
  cursor: string;
  font: string;
}

/** Reads the tokens of the document. */
export function readCellColours(): CellColours {
  const style = getComputedStyle(document.documentElement);
  const css = (name: string) => style.getPropertyValue(name).trim();
  return {
    groups: {
      computing: css('--busy-fill'),
      taken: css('--wasted-fill'),
      waiting: css('--unobserved'),
      unknown: css('--stopped-fill'),
    },
    heat: [0, 1, 2, 3, 4, 5].map((step) => css(`--heat-${step}`)),
    text: css('--text-3'),
    iterations: css('--accent'),
    other: css('--line-strong'),
    cursor: css('--text'),
    font: css('--font'),
  };
}

interface CellPicture {
  app: ParallelApplication;
  cells: BalanceCells;
  layout: CellLayout;
  colouring: Colouring;
  colours: CellColours;
  cursor: Cell | null;
}

/** The pixel between cells, where they are at least so wide or high. */
const GAP_FROM = 8;
const gapOf = (size: number): number => (size >= GAP_FROM ? 1 : 0);
const STRIP = 3;
const LABEL = { width: 44, height: 13 };

export function paintCells(canvas: HTMLCanvasElement, picture: CellPicture): void {
  const { layout, colours, cursor } = picture;
  const scale = window.devicePixelRatio || 1;
  canvas.width = Math.round(layout.width * scale);
  canvas.height = Math.round(layout.height * scale);
  const context = canvas.getContext('2d');
  if (!context) return;
  context.setTransform(scale, 0, 0, scale, 0, 0);
  context.clearRect(0, 0, layout.width, layout.height);
  paintLabels(context, picture);
  const { columns } = picture.cells;
  for (let rank = 0; rank < picture.app.ranks; rank++)
    for (let column = 0; column < columns.length; column++) paintCell(context, picture, { rank, column });
  if (cursor) {
    const box = boxOf(layout, cursor);
    context.strokeStyle = colours.cursor;
    context.lineWidth = 2;
    context.strokeRect(box.left, box.top, Math.max(box.width - 1, 2), Math.max(box.height - 1, 2));
  }
}

/** One cell: the groups on top of each other, computing at the bottom; or one group as a step of the scale. */
function paintCell(context: CanvasRenderingContext2D, picture: CellPicture, cell: Cell): void {
  const { cells, layout, colouring, colours } = picture;
  const of = cells.columns[cell.column];
  if (!of) return;
  const box = boxOf(layout, cell);
  const width = box.width - gapOf(layout.columnWidth);
  const height = box.height - gapOf(layout.rowHeight);
  const length = of.end_ns - of.start_ns;
  context.globalAlpha = of.observed === 0 ? 0.4 : 1;
  if (colouring !== 'parts') {
    context.fillStyle = colours.heat[heatStep(cellNs(cells, colouring, cell.rank, cell.column) / length)] ?? '';
    context.fillRect(box.left, box.top, width, height);
  } else {
    let [below, drawn] = [0, 0];
    for (const group of GROUPS) {
      const ns = cellNs(cells, group, cell.rank, cell.column);
      below += ns;
      // What is less than half a pixel would get one or none, by what is below it.
      if (height * ns < 0.5 * length) continue;
      const size = Math.round((height * below) / length) - drawn;
      drawn += size;
      context.fillStyle = colours.groups[group];
      context.fillRect(box.left, box.top + height - drawn, width, size);
    }
  }
  context.globalAlpha = 1;
}

/** Ranks on the left, windows above with a strip that says which are iterations. */
function paintLabels(context: CanvasRenderingContext2D, { app, cells, layout, colours }: CellPicture): void {
  context.font = `11px ${colours.font}`;
  context.textBaseline = 'middle';
  context.textAlign = 'right';
  context.fillStyle = colours.text;
  const everyRank = Math.ceil(LABEL.height / layout.rowHeight);
  for (let rank = 0; rank < app.ranks; rank += everyRank)
    context.fillText(
      String(app.rank[rank]?.rank ?? rank),
      layout.left - 6,
      layout.top + (rank + 0.5) * layout.rowHeight,
    );
  context.textAlign = 'left';
  let free = 0;
  cells.columns.forEach((of, column) => {
    const box = boxOf(layout, { rank: 0, column });
    const kind = app.segments[of.segment - 1]?.kind;
    context.fillStyle = kind === 'iterations' || kind === 'releases' ? colours.iterations : colours.other;
    context.fillRect(box.left, layout.top - STRIP - 1, box.width - gapOf(layout.columnWidth), STRIP);
    if (box.left < free) return;
    context.fillStyle = colours.text;
    context.fillText(String(of.first), box.left, (layout.top - STRIP) / 2);
    free = box.left + LABEL.width;
  });
}
