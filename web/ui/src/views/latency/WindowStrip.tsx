// The whole trace as a strip: wasted cores against time, the longest waits as lines above; a drag, or keys, choose the window.

import * as d3 from 'd3';
import { type KeyboardEvent, useId, useState } from 'react';
import { ofTrace, query } from '../../api/client';
import { useTable } from '../../api/hooks';
import { numbers } from '../../api/table';
import type { LongWait, TraceSummary, WaitingCurve } from '../../api/types';
import { useSize } from '../../components/useSize';
import type { Span } from '../../logic/place';
import { duration, moment, roundDuration, threeDigits } from '../../logic/units';
import { go, usePlace } from '../../navigation';
import styles from './Latency.module.css';
import { windowByKey } from './windowKeys';

const HEIGHT = 74;
const CURVE_TOP = 18;
const CURVE_BOTTOM = 56;

interface WindowStripProps {
  trace: TraceSummary;
  longest: readonly LongWait[];
  /** The chosen group, and how many of its threads waited. */
  of?: { name: string; curve: WaitingCurve };
}

export function WindowStrip({ trace, longest, of }: WindowStripProps) {
  const { window } = usePlace();
  const curve = useTable(ofTrace(trace.id, `curve${query({ bins: 400 })}`));
  const [ref, { width }] = useSize<HTMLDivElement>();
  const [brush, setBrush] = useState<readonly [number, number] | null>(null);
  const hint = useId();
  const most = of ? Math.max(...of.curve.waiting) : 0;
  const x = d3.scaleLinear([trace.start_ns, trace.end_ns], [0, width]).clamp(true);
  const timeAt = (event: React.PointerEvent) =>
    Math.round(x.invert(event.clientX - event.currentTarget.getBoundingClientRect().left));
  const choose = () => {
    if (brush) {
      const [start, end] = [Math.min(...brush), Math.max(...brush)];
      go({ window: x(end) - x(start) < 3 ? null : { start, end } });
    }
    setBrush(null);
  };
  const apply = (next: Span | null) => {
    setBrush(null);
    go({ window: next && next.start <= trace.start_ns && next.end >= trace.end_ns ? null : next });
  };
  const onKey = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const next = windowByKey(brushed ?? window, event.key, event.shiftKey, trace);
    if (next) setBrush([next.start, next.end]);
    else if (event.key === 'Escape') apply(null);
    else if (event.key === 'Enter' && brushed) apply(brushed);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  const brushed = brush && { start: Math.min(...brush), end: Math.max(...brush) };
  const shown = brushed ?? window;
  const step = d3.tickStep(0, trace.end_ns - trace.start_ns, Math.max(width / 110, 2));
  return (
    <div ref={ref} className={styles.strip}>
      <svg
        width={width}
        height={HEIGHT}
        role="img"
        aria-label={`Wasted cores over the whole trace, with the longest waits${of ? ` of ${of.name} and how many of its threads waited, at most ${threeDigits(most)}` : ''}; drag to choose a window`}
        onPointerDown={(event) => {
          event.currentTarget.setPointerCapture(event.pointerId);
          setBrush([timeAt(event), timeAt(event)]);
        }}
        onPointerMove={(event) => brush && setBrush([brush[0], timeAt(event)])}
        onPointerUp={choose}
        onPointerCancel={() => setBrush(null)}
      >
        <rect width={width} y={CURVE_TOP} height={CURVE_BOTTOM - CURVE_TOP} className={styles.ground} />
        {curve.data && <path d={areaOf(curve.data, x, trace.cpus)} className={styles.wasted} />}
        {of && most > 0 && (
          <path d={waitingOf(of.curve, x, most)} className={styles.waiting}>
            <title>{`Threads of ${of.name} that waited, on average; at most ${threeDigits(most)}`}</title>
          </path>
        )}
        {longest.map((wait) => (
          <line
            key={`${wait.utid}/${wait.start_ns}`}
            x1={x(wait.start_ns)}
            x2={Math.max(x(wait.start_ns + wait.dur_ns), x(wait.start_ns) + 2)}
            y1={CURVE_TOP - 6}
            y2={CURVE_TOP - 6}
            className={styles.wait}
          >
            <title>{`${wait.name ?? 'unknown'} waited ${duration(wait.dur_ns)}`}</title>
          </line>
        ))}
        {shown && (
          <rect
            x={x(shown.start)}
            width={Math.max(x(shown.end) - x(shown.start), 1)}
            y={CURVE_TOP - 10}
            height={CURVE_BOTTOM - CURVE_TOP + 10}
            className={styles.brush}
          />
        )}
        {d3.range(0, trace.end_ns - trace.start_ns, step).map((t) => (
          <text
            key={t}
            x={x(trace.start_ns + t)}
            y={HEIGHT - 4}
            textAnchor={t === 0 ? 'start' : x(trace.start_ns + t) > width - 16 ? 'end' : 'middle'}
          >
            {t === 0 ? '0' : roundDuration(t)}
          </text>
        ))}
      </svg>
      <div
        className={styles.keys}
        role="slider"
        tabIndex={0}
        aria-label="Window of time"
        aria-describedby={hint}
        aria-valuemin={0}
        aria-valuemax={trace.end_ns - trace.start_ns}
        aria-valuenow={(shown?.start ?? trace.start_ns) - trace.start_ns}
        aria-valuetext={windowText(shown, trace) + (brushed ? ', not applied yet' : '')}
        onKeyDown={onKey}
        onBlur={() => setBrush(null)}
      />
      <p id={hint} className={styles.hint}>
        ← → move the window, Shift → wider, Shift ← narrower, Enter applies it, Esc: the whole trace
      </p>
      {of && (
        <ul className={styles.legend} aria-label="Colours of the curve">
          <li>
            <i className={styles.wasted} /> wasted cores, of {trace.cpus}
          </li>
          <li>
            <i className={styles.waitingKey} /> threads of {of.name} that waited, of {threeDigits(most)} at most
          </li>
        </ul>
      )}
    </div>
  );
}

/** `+1.20 s to +1.45 s, 250 ms`, from the start of the trace. */
function windowText(window: Span | null, trace: TraceSummary): string {
  if (!window) return 'the whole trace';
  const long = window.end - window.start;
  const at = (t: number) => moment(t - trace.start_ns, long / 100);
  return `${at(window.start)} to ${at(window.end)}, ${duration(long)} long`;
}

function waitingOf({ start_ns, width_ns, waiting }: WaitingCurve, x: (t: number) => number, most: number): string {
  const y = (value: number) => (CURVE_BOTTOM - (value / most) * (CURVE_BOTTOM - CURVE_TOP)).toFixed(1);
  return waiting
    .map((value, i) => {
      const from = x(start_ns + i * width_ns).toFixed(1);
      return `${i === 0 ? `M${from} ${y(value)}` : `V${y(value)}`}H${x(start_ns + (i + 1) * width_ns).toFixed(1)}`;
    })
    .join('');
}

function areaOf(table: Parameters<typeof numbers>[0], x: (t: number) => number, cpus: number): string {
  const [starts, lengths, wasted] = [numbers(table, 'start_ns'), numbers(table, 'dur_ns'), numbers(table, 'wasted')];
  let path = '';
  for (let i = 0; i < table.rows; i++) {
    const from = starts[i] as number;
    const height = ((wasted[i] as number) / cpus) * (CURVE_BOTTOM - CURVE_TOP);
    path += `M${x(from).toFixed(1)} ${CURVE_BOTTOM}v${(-height).toFixed(1)}H${x(from + (lengths[i] as number)).toFixed(1)}V${CURVE_BOTTOM}Z`;
  }
  return path;
}
