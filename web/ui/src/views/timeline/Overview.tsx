// The whole trace in a strip: wasted cores over time, episodes, and the window in sight, to drag and to draw anew.

import * as d3 from 'd3';
import { useLayoutEffect, useMemo, useRef } from 'react';
import { ofTrace, query } from '../../api/client';
import { useTable } from '../../api/hooks';
import { numbers, type Table } from '../../api/table';
import type { TraceSummary } from '../../api/types';
import { useSize } from '../../components/useSize';
import { clamp } from '../../logic/timeline/timescale';
import { peakOf } from '../../replay/curve';
import type { Band } from './scene';
import styles from './Timeline.module.css';
import type { Viewport } from './viewport';

const OVERVIEW_HEIGHT = 46;

export function Overview({
  trace,
  viewport,
  bands,
  corner,
  onEpisode,
}: {
  trace: TraceSummary;
  viewport: Viewport;
  bands: readonly Band[];
  /** Beside it, above the names of the lanes. */
  corner?: React.ReactNode;
  onEpisode: (id: number) => void;
}) {
  const curve = useTable(ofTrace(trace.id, `curve${query({ bins: 800 })}`));
  const [ref, { width }] = useSize<HTMLDivElement>();
  const drag = useRef<{ from: number; offset: number | null } | null>(null);
  const x = d3.scaleLinear([trace.start_ns, trace.end_ns], [0, Math.max(width, 1)]);
  const peak = useMemo(() => (curve.data ? peakOf(numbers(curve.data, 'wasted_max')) : 0), [curve.data]);
  const path = useMemo(
    () => (curve.data && width > 0 ? areaOf(curve.data, trace, width, peak) : ''),
    [curve.data, trace, width, peak],
  );
  const timeAt = (event: React.PointerEvent) =>
    x.invert(event.clientX - event.currentTarget.getBoundingClientRect().left);
  const isWhole = () => viewport.span.start === trace.start_ns && viewport.span.end === trace.end_ns;
  return (
    <div ref={ref} className={styles.overview}>
      <div className={styles.corners}>
        {peak > 0 && <span title={`At most ${peak} of ${trace.cpus} cores were wasted at once`}>peak {peak}</span>}
        {corner}
      </div>
      <svg
        width={width}
        height={OVERVIEW_HEIGHT}
        aria-hidden="true"
        onPointerDown={(event) => {
          event.currentTarget.setPointerCapture(event.pointerId);
          const t = timeAt(event);
          const { start, end } = viewport.span;
          const inside = !isWhole() && t >= start && t <= end;
          drag.current = { from: t, offset: inside ? t - start : null };
        }}
        onPointerMove={(event) => {
          const now = drag.current;
          if (!now) return;
          const t = timeAt(event);
          const { start, end } = viewport.span;
          if (now.offset !== null)
            viewport.set(clamp({ start: t - now.offset, end: t - now.offset + end - start }, viewport.bounds));
          else if (Math.abs(x(t) - x(now.from)) > 3)
            viewport.set({ start: Math.min(t, now.from), end: Math.max(t, now.from) });
        }}
        onPointerUp={(event) => {
          const now = drag.current;
          drag.current = null;
          const t = timeAt(event);
          const { start, end } = viewport.span;
          if (now?.offset === null && Math.abs(x(t) - x(now.from)) <= 3 && !isWhole()) {
            viewport.glide({ start: t - (end - start) / 2, end: t + (end - start) / 2 });
          }
        }}
      >
        <path d={path} fill="var(--wasted-fill)" opacity={0.85} />
        {bands.map(({ episode, chosen }) => (
          // biome-ignore lint/a11y/noStaticElementInteractions: the strip is for pointers; keys n and p do the same
          <rect
            key={episode.episode_id}
            className={styles.mark}
            data-chosen={chosen}
            x={x(episode.start_ns)}
            width={Math.max(x(episode.end_ns) - x(episode.start_ns), 2)}
            y={OVERVIEW_HEIGHT - 6}
            height={5}
            onPointerDown={(event) => event.stopPropagation()}
            onClick={() => onEpisode(episode.episode_id)}
          >
            <title>{episode.sentence}</title>
          </rect>
        ))}
      </svg>
      <WindowInSight viewport={viewport} width={width} />
    </div>
  );
}

/** The window in sight and shades beside it: moved once per frame without React, and apart from the strip, which is not painted anew. */
function WindowInSight({ viewport, width }: { viewport: Viewport; width: number }) {
  const before = useRef<HTMLDivElement>(null);
  const after = useRef<HTMLDivElement>(null);
  const frame = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    let pending = 0;
    const move = () => {
      pending = 0;
      const { span, bounds } = viewport;
      const x = (t: number) => ((t - bounds.start) / (bounds.end - bounds.start)) * width;
      const left = Math.max(x(span.start), 0);
      const right = Math.max(x(span.end), left + 3);
      if (before.current) before.current.style.transform = `translateX(${left - width}px)`;
      if (after.current) after.current.style.transform = `translateX(${right}px)`;
      if (frame.current) {
        frame.current.style.transform = `translateX(${left}px)`;
        frame.current.style.width = `${Math.max(right - left - 1, 2)}px`;
      }
    };
    move();
    const leave = viewport.subscribe(() => {
      pending ||= requestAnimationFrame(move);
    });
    return () => {
      cancelAnimationFrame(pending);
      leave();
    };
  }, [viewport, width]);
  return (
    <div className={styles.sight} style={{ width, height: OVERVIEW_HEIGHT }} aria-hidden="true">
      <div ref={before} className={styles.shade} />
      <div ref={after} className={styles.shade} />
      <div ref={frame} className={styles.window} />
    </div>
  );
}

/** Up to the most cores that were wasted at once: of 256 CPUs, 30 wasted ones are a lot. */
function areaOf(table: Table, trace: TraceSummary, width: number, peak: number): string {
  const x = d3.scaleLinear([trace.start_ns, trace.end_ns], [0, width]);
  const y = d3.scaleLinear([0, Math.max(peak, 1)], [OVERVIEW_HEIGHT - 8, 2]);
  const starts = numbers(table, 'start_ns');
  const lengths = numbers(table, 'dur_ns');
  const wasted = numbers(table, 'wasted');
  const points: [number, number][] = [];
  for (let i = 0; i < table.rows; i++) {
    const from = starts[i] as number;
    const to = from + (lengths[i] as number);
    points.push([from, 0], [from, wasted[i] as number], [to, wasted[i] as number], [to, 0]);
  }
  return (
    d3.area<[number, number]>(
      (p) => x(p[0]),
      y(0),
      (p) => y(p[1]),
    )(points) ?? ''
  );
}
