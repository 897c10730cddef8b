// Wasted cores against time: drag selects a window, which opens on the timeline; a click opens what is around it.

import * as d3 from 'd3';
import { useMemo, useState } from 'react';
import { ofTrace, query } from '../../api/client';
import { useTable } from '../../api/hooks';
import { numbers, type Table } from '../../api/table';
import type { TraceSummary, WorstEpisode } from '../../api/types';
import { Ready } from '../../components/States';
import { useSize } from '../../components/useSize';
import { duration, moment, roundDuration, significant } from '../../logic/units';
import { go } from '../../navigation';
import { hasEpisode, isReport } from '../replay/stretches';
import styles from './Curve.module.css';
import { around } from './Sentence';

const CURVE_HEIGHT = 224;
/** Top of the episodes' bands, below the axis. */
const BANDS = 186;
const MARGIN = { top: 12, right: 16, bottom: 46, left: 36 };

export function Curve({ trace, worst }: { trace: TraceSummary; worst: readonly WorstEpisode[] }) {
  const curve = useTable(ofTrace(trace.id, `curve${query({ bins: 800 })}`));
  const [ref, { width }] = useSize<HTMLDivElement>();
  return (
    <figure className={`card ${styles.figure}`} data-guide="curve" aria-labelledby="curve">
      <figcaption>
        <h2 id="curve">
          Wasted cores against time
          {curve.data && topOf(curve.data, trace) < trace.cpus && (
            <span className={styles.axis}>
              up to {topOf(curve.data, trace)} of {trace.cpus} CPUs
            </span>
          )}
        </h2>
        <CurveLegend />
      </figcaption>
      <div ref={ref} style={{ height: CURVE_HEIGHT }}>
        <Ready of={curve} what="Adding up the curve" height={CURVE_HEIGHT}>
          {(data) => (width > 0 ? <Plot table={data} trace={trace} worst={worst} width={width} /> : null)}
        </Ready>
      </div>
    </figure>
  );
}

function CurveLegend() {
  return (
    <ul className={styles.legend} aria-label="Colours of the curve">
      <li className={styles.wasted}>wasted</li>
      <li className={styles.busy}>busy</li>
      <li className={styles.idle}>idle</li>
      <li className={styles.unobserved}>not observed</li>
      <li className={styles.most} title="The most cores that were wasted at one instant of a pixel">
        most wasted at once
      </li>
      <li className={styles.idle_while_waiting}>idle while waiting</li>
      <li className={styles.episode}>worst episodes</li>
    </ul>
  );
}

interface PlotProps {
  table: Table;
  trace: TraceSummary;
  worst: readonly WorstEpisode[];
  width: number;
}

function Plot({ table, trace, worst, width }: PlotProps) {
  const x = d3.scaleLinear([trace.start_ns, trace.end_ns], [MARGIN.left, width - MARGIN.right]);
  const top = topOf(table, trace);
  const y = d3.scaleLinear([0, top], [CURVE_HEIGHT - MARGIN.bottom, MARGIN.top]);
  const report = isReport(trace.id); // which has no timeline to open
  const paths = useMemo(() => pathsOf(table, trace, width), [table, trace, width]);
  const [hover, setHover] = useState<number | null>(null);
  const [brush, setBrush] = useState<[number, number] | null>(null);
  const timeAt = (event: React.PointerEvent) => {
    const left = event.currentTarget.getBoundingClientRect().left;
    return Math.min(Math.max(x.invert(event.clientX - left), trace.start_ns), trace.end_ns);
  };

  const onMove = (event: React.PointerEvent) => {
    const t = timeAt(event);
    setHover(t);
    if (brush) setBrush([brush[0], t]);
  };
  const onUp = (event: React.PointerEvent) => {
    if (!brush) return;
    const [start, end] = [Math.min(...brush), Math.max(...brush)];
    const span = trace.end_ns - trace.start_ns;
    const click = x(end) - x(start) < 4;
    const window = click
      ? around({ start_ns: timeAt(event) - span / 40, end_ns: timeAt(event) + span / 40 })
      : { start, end };
    setBrush(null);
    const below = event.clientY - event.currentTarget.getBoundingClientRect().top >= BANDS;
    const t = timeAt(event);
    const episode = below && click ? worst.find((item) => t >= item.start_ns && t < item.end_ns) : undefined;
    if (report)
      return episode && hasEpisode(trace.id, episode.id) ? go({ view: 'episodes', episode: episode.id }) : undefined;
    if (episode) return go({ view: 'timeline', episode: episode.id, window: around(episode) });
    go({ view: 'timeline', window: { start: Math.round(window.start), end: Math.round(window.end) } });
  };

  const step = d3.tickStep(0, trace.end_ns - trace.start_ns, width / 110);
  return (
    <svg
      width={width}
      height={CURVE_HEIGHT}
      className={report ? styles.still : styles.plot}
      role="img"
      aria-label={`Wasted cores over ${duration(trace.end_ns - trace.start_ns)}; the episodes below list the same as text`}
      onPointerDown={(event) => {
        if (report && event.clientY - event.currentTarget.getBoundingClientRect().top < BANDS) return;
        event.currentTarget.setPointerCapture(event.pointerId);
        setBrush([timeAt(event), timeAt(event)]);
      }}
      onPointerMove={onMove}
      onPointerUp={onUp}
      onPointerCancel={() => setBrush(null)}
      onPointerLeave={() => setHover(null)}
    >
      {y.ticks(Math.min(top, 4)).map((value) => (
        <g key={value} transform={`translate(0,${y(value)})`} className={styles.grid}>
          <line x1={MARGIN.left} x2={width - MARGIN.right} />
          <text x={MARGIN.left - 8} dy="0.32em" textAnchor="end">
            {value}
          </text>
        </g>
      ))}
      {d3.range(0, trace.end_ns - trace.start_ns, step).map((t) => (
        <text key={t} x={x(trace.start_ns + t)} y={CURVE_HEIGHT - 8} textAnchor="middle" className={styles.tick}>
          {t === 0 ? '0' : roundDuration(t)}
        </text>
      ))}
      <path d={paths.unobserved} className={styles.unobservedArea} />
      <path d={paths.busy} className={styles.busyArea} />
      <path d={paths.wasted} className={styles.wastedArea} />
      <path d={paths.max} className={styles.maxLine} />
      <path d={paths.idle_while_waiting} className={styles.upperLine} />
      {worst.map((episode) => (
        <rect
          key={episode.id}
          x={x(episode.start_ns)}
          width={Math.max(x(episode.end_ns) - x(episode.start_ns), 3)}
          y={BANDS}
          height={8}
          rx={2}
          className={styles.band}
        >
          <title>{`episode ${episode.id}: ${significant(episode.core_s)} core-s`}</title>
        </rect>
      ))}
      {brush && (
        <rect
          className={styles.brush}
          x={Math.min(x(brush[0]), x(brush[1]))}
          width={Math.abs(x(brush[1]) - x(brush[0]))}
          y={MARGIN.top}
          height={CURVE_HEIGHT - MARGIN.top - MARGIN.bottom}
        />
      )}
      {hover !== null && <Cursor table={table} trace={trace} t={hover} x={x(hover)} width={width} />}
    </svg>
  );
}

function Cursor({
  table,
  trace,
  t,
  x,
  width,
}: {
  table: Table;
  trace: TraceSummary;
  t: number;
  x: number;
  width: number;
}) {
  const row = d3.bisectRight(numbers(table, 'start_ns'), t) - 1;
  const value = (name: string) => numbers(table, name)[row] ?? 0;
  const inside =
    row >= 0 && t < (numbers(table, 'start_ns')[row] as number) + (numbers(table, 'dur_ns')[row] as number);
  const unobserved = value('unobserved') >= 0.005 ? ` · ${significant(value('unobserved'))} not observed` : '';
  const known = `${significant(value('wasted'))} wasted · ${significant(value('busy'))} busy`;
  const text = inside ? `${known}${unobserved}` : '0 wasted';
  const right = x > width - 320;
  return (
    <g className={styles.cursor} transform={`translate(${x},0)`}>
      <line y1={MARGIN.top} y2={CURVE_HEIGHT - MARGIN.bottom} />
      <text x={right ? -8 : 8} y={MARGIN.top + 10} textAnchor={right ? 'end' : 'start'}>
        {moment(t - trace.start_ns)} · {text}
      </text>
    </g>
  );
}

/** Machines from this many CPUs on are not drawn up to the last one where most of them idle throughout. */
const LARGE = 16;
/** Share of CPUs that were not observed which a line at the top of the axis could hardly show. */
const UNSEEN = 0.01;
/** Share of the time for which more than these were not observed and the axis still ends below the last CPU. */
const FOR_A_MOMENT = 0.1;

/** Where the axis ends: at all CPUs, or a little above what was ever busy or wasted. */
export function topOf(table: Table, { cpus }: Pick<TraceSummary, 'cpus'>): number {
  if (cpus < LARGE || table.rows === 0) return cpus;
  const column = (name: string): ArrayLike<number> => numbers(table, name);
  const [wasted, busy, unobserved] = [column('wasted'), column('busy'), column('unobserved')];
  const [most, idle] = [column('wasted_max'), column('idle_while_waiting')];
  const lengths = column('dur_ns');
  let [peak, time, unseen] = [1, 0, 0];
  for (let i = 0; i < table.rows; i++) {
    time += lengths[i] as number;
    if ((unobserved[i] as number) >= cpus * UNSEEN) unseen += lengths[i] as number;
    peak = Math.max(peak, (wasted[i] as number) + (busy[i] as number), most[i] as number, idle[i] as number);
  }
  // CPUs that were not observed hang from the top, which is the last CPU but where that was for a moment, as a recording begins.
  if (unseen > time * FOR_A_MOMENT) return cpus;
  const [, top = cpus] = d3
    .scaleLinear([0, peak * 1.1], [0, 1])
    .nice(4)
    .domain();
  return top > cpus * 0.7 ? cpus : top;
}

function pathsOf(table: Table, trace: TraceSummary, width: number) {
  const x = d3.scaleLinear([trace.start_ns, trace.end_ns], [MARGIN.left, width - MARGIN.right]);
  const top = topOf(table, trace);
  const y = d3.scaleLinear([0, top], [CURVE_HEIGHT - MARGIN.bottom, MARGIN.top]);
  const starts = numbers(table, 'start_ns');
  const lengths = numbers(table, 'dur_ns');
  const rows = d3.range(table.rows);
  // Both ends of each bin, since its mean holds over all of it; nothing where there is no bin.
  const steps = (...names: string[]) => {
    const columns = names.map((name) => numbers(table, name));
    return rows.flatMap((i): [number, number][] => {
      const from = starts[i] as number;
      const to = Math.min(from + (lengths[i] as number), trace.end_ns);
      const value = columns.reduce((sum, column) => sum + (column[i] as number), 0);
      const gap = i === 0 || (starts[i - 1] as number) + (lengths[i - 1] as number) < from;
      const open = i + 1 === table.rows || (starts[i + 1] as number) > to;
      const points: [number, number][] = [
        [from, value],
        [to, value],
      ];
      if (gap) points.unshift([from, 0]);
      if (open) points.push([to, 0]);
      return points;
    });
  };
  const area = d3.area<[number, number]>(
    (p) => x(p[0]),
    y(0),
    (p) => y(p[1]),
  );
  // From the top down, as the share of the machine: on an axis up to the last CPU what is between it and what is busy was idle.
  const hanging = d3.area<[number, number]>(
    (p) => x(p[0]),
    y(top),
    (p) => y(top - (p[1] / trace.cpus) * top),
  );
  const line = d3.line<[number, number]>(
    (p) => x(p[0]),
    (p) => y(p[1]),
  );
  return {
    wasted: area(steps('wasted')) ?? '',
    max: line(steps('wasted_max')) ?? '',
    idle_while_waiting: line(steps('idle_while_waiting')) ?? '',
    busy: area(steps('wasted', 'busy')) ?? '', // stacked: what is left above was idle, or not observed
    unobserved: hanging(steps('unobserved')) ?? '',
  };
}
