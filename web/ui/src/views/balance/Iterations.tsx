// Iterations by ranks: a cell each, coloured by what the rank did in it. A click or Enter opens it on the timeline.

import { type PointerEvent, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react';
import type { BalanceCells, ParallelApplication, TraceSummary } from '../../api/types';
import { useSize } from '../../components/useSize';
import {
  boxOf,
  type Cell,
  cellAt,
  columnWords,
  formatCell,
  layoutOf,
  onTimeline,
  parseCell,
  shownCells,
  stepped,
  windowsWords,
} from '../../logic/balance/cells';
import {
  COLOURINGS,
  type Colouring,
  cellNs,
  GROUP_MEANINGS,
  GROUPS,
  type Group,
  groupWords,
} from '../../logic/balance/parts';
import { duration, percent, plural } from '../../logic/units';
import { adjust, go, usePlace } from '../../navigation';
import styles from './Balance.module.css';
import { CellCard } from './CellCard';
import { type CellColours, paintCells, readCellColours } from './paintCells';

export function Iterations({ trace, app }: { trace: TraceSummary; app: ParallelApplication }) {
  const { params } = usePlace();
  const colouring = COLOURINGS.find((item) => item === params.colour) ?? 'parts';
  const cells = useMemo(() => shownCells(app), [app]);
  return (
    <section className={`card ${styles.panel}`}>
      <header className={styles.title}>
        <h2>{windowsWords(app)} by ranks</h2>
        {cells && (
          <div role="tablist" aria-label="Colour by" className={styles.tabs}>
            {COLOURINGS.map((item) => (
              <button
                key={item}
                type="button"
                role="tab"
                aria-selected={item === colouring}
                className="quiet"
                onClick={() => adjust({ params: { ...params, colour: item } })}
              >
                {item === 'parts' ? 'All parts' : groupWords(item, app)}
              </button>
            ))}
          </div>
        )}
      </header>
      {cells ? (
        <Picture trace={trace} app={app} cells={cells} colouring={colouring} />
      ) : (
        <p className="muted">
          {plural(app.ranks, 'rank')} in {plural(app.windows, 'window')} are too many to be kept one by one; the figures
          of ranks and segments below are of all.
        </p>
      )}
    </section>
  );
}

interface PictureProps {
  trace: TraceSummary;
  app: ParallelApplication;
  cells: BalanceCells;
  colouring: Colouring;
}

function Picture({ trace, app, cells, colouring }: PictureProps) {
  const { params, pins } = usePlace();
  const [outer, { width }] = useSize<HTMLDivElement>();
  const canvas = useRef<HTMLCanvasElement>(null);
  const [pointed, setPointed] = useState<Cell | null>(null);
  const [focused, setFocused] = useState(false);
  const touched = useRef(false);
  const colours = useCellColours();
  const [ranks, columns] = [app.ranks, cells.columns.length];
  const layout = layoutOf(width, ranks, columns);
  const chosen = parseCell(params.cell, cells);
  const cursor = chosen ?? { rank: 0, column: 0 };
  const shown = pointed ?? (focused ? cursor : null);
  useScrollAway(() => setPointed(null));

  useLayoutEffect(() => {
    if (canvas.current && width > 0)
      paintCells(canvas.current, { app, cells, layout, colouring, colours, cursor: shown ?? chosen });
  });
  const choose = (cell: Cell) => {
    adjust({ params: { ...params, cell: formatCell(cells, cell) } });
    reveal(outer.current, layout, cell);
  };
  const open = (cell: Cell) => {
    const [column, rank] = [cells.columns[cell.column], app.rank[cell.rank]];
    if (!column || !rank) return;
    choose(cell);
    go(onTimeline(rank.utid, column, trace, pins));
  };
  const under = (event: { clientX: number; clientY: number }) => {
    const box = canvas.current?.getBoundingClientRect();
    return box ? cellAt(layout, ranks, columns, event.clientX - box.left, event.clientY - box.top) : null;
  };
  const click = (event: React.MouseEvent) => {
    // Enter and Space come as clicks without a place.
    const cell = event.detail === 0 ? cursor : under(event);
    if (!cell) return;
    const isNew = chosen?.rank !== cell.rank || chosen.column !== cell.column;
    // A finger does not hover: its first touch shows what the cell has.
    if (touched.current && isNew) choose(cell);
    else open(cell);
  };
  const several = cells.columns.find(({ first, last }) => last > first);
  return (
    <>
      <p className="muted" id="cells-hint">
        A row per rank, a column for {several ? 'several windows, since they are many' : 'each iteration or window'}.
        Arrow keys go from cell to cell; a click or Enter opens one on the timeline, with the lane of its rank.
      </p>
      <div ref={outer} className={styles.wide}>
        <button
          type="button"
          className={styles.cells}
          style={{ width: layout.width, height: layout.height }}
          aria-label={`Cells of ${plural(ranks, 'rank')} in ${plural(columns, 'column')}`}
          aria-describedby="cells-hint"
          onClick={click}
          onKeyDown={(event) => {
            const next =
              event.ctrlKey || event.metaKey || event.altKey ? null : stepped(cursor, event.key, ranks, columns);
            if (!next) return;
            event.preventDefault();
            touched.current = false;
            setPointed(null);
            choose(next);
          }}
          onPointerDown={(event: PointerEvent) => {
            touched.current = event.pointerType === 'touch';
          }}
          onPointerMove={(event: PointerEvent) => setPointed(event.pointerType === 'touch' ? null : under(event))}
          onPointerLeave={() => setPointed(null)}
          onFocus={() => setFocused(true)}
          onBlur={() => setFocused(false)}
        >
          <canvas ref={canvas} style={{ width: layout.width, height: layout.height }} />
        </button>
      </div>
      <output className="unseen">{focused ? spoken(app, cells, cursor) : ''}</output>
      <Legend app={app} colouring={colouring} />
      {shown && <CellCard app={app} cells={cells} cell={shown} beside={boxInWindow(canvas.current, layout, shown)} />}
    </>
  );
}

/** What a screen reader says of a cell. */
function spoken(app: ParallelApplication, cells: BalanceCells, { rank, column }: Cell): string {
  const of = cells.columns[column];
  if (!of) return '';
  const length = of.end_ns - of.start_ns;
  const groups = GROUPS.filter((group) => cellNs(cells, group, rank, column) > 0);
  const shares = groups.map(
    (group) => `${groupWords(group, app)} ${percent(cellNs(cells, group, rank, column) / length)}`,
  );
  return `Rank ${rank}, ${columnWords(app, cells, column)}, ${duration(length)}: ${shares.join(', ')}`;
}

/** Scrolls sideways until a cell is in sight. */
function reveal(scroller: HTMLElement | null, layout: ReturnType<typeof layoutOf>, cell: Cell): void {
  if (!scroller) return;
  const box = boxOf(layout, cell);
  if (box.left - layout.left < scroller.scrollLeft) scroller.scrollLeft = box.left - layout.left;
  else if (box.left + box.width > scroller.scrollLeft + scroller.clientWidth)
    scroller.scrollLeft = box.left + box.width - scroller.clientWidth;
}

/** Where a cell is in the window. */
function boxInWindow(canvas: HTMLCanvasElement | null, layout: ReturnType<typeof layoutOf>, cell: Cell) {
  const box = boxOf(layout, cell);
  const { left, top } = canvas?.getBoundingClientRect() ?? { left: 0, top: 0 };
  return { ...box, left: box.left + left, top: box.top + top };
}

/** What is beside the pointer leaves when the page scrolls under it. */
function useScrollAway(leave: () => void): void {
  const latest = useRef(leave);
  useEffect(() => {
    latest.current = leave;
  });
  useEffect(() => {
    const onScroll = () => latest.current();
    window.addEventListener('scroll', onScroll, true);
    return () => window.removeEventListener('scroll', onScroll, true);
  }, []);
}

/** The colours in force; read anew when the theme changes. */
function useCellColours(): CellColours {
  const [colours, setColours] = useState(readCellColours);
  useEffect(() => {
    const observer = new MutationObserver(() => setColours(readCellColours()));
    observer.observe(document.documentElement, { attributeFilter: ['data-theme'] });
    return () => observer.disconnect();
  }, []);
  return colours;
}

const HEAT = ['none', '≤ 20 %', '≤ 40 %', '≤ 60 %', '≤ 80 %', '≤ 100 %'] as const;

function Legend({ app, colouring }: { app: ParallelApplication; colouring: Colouring }) {
  const used = GROUPS.filter((group: Group) => group !== 'unknown' || app.cells?.parts.other);
  return (
    <ul className={styles.legend} aria-label="Colours of the cells">
      {colouring === 'parts'
        ? used.map((group) => (
            <li key={group} title={GROUP_MEANINGS[group]}>
              <i data-group={group} /> {groupWords(group, app)}
            </li>
          ))
        : HEAT.map((words, step) => (
            <li key={words}>
              <i style={{ background: `var(--heat-${step})` }} /> {words}
            </li>
          ))}
    </ul>
  );
}
