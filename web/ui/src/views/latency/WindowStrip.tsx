// The whole trace as a strip: wasted cores against time, the longest waits as lines above; a drag chooses the window.

import * as d3 from 'd3';
import { useState } from 'react';
import { ofTrace, query } from '../../api/client';
import { useTable } from '../../api/hooks';
import { numbers } from '../../api/table';
import type { LongWait, TraceSummary } from '../../api/types';
import { useSize } from '../../components/useSize';
import { duration, roundDuration } from '../../logic/units';
import { go, usePlace } from '../../navigation';
import styles from './Latency.module.css';

const HEIGHT = 74;
const CURVE_TOP = 18;
const CURVE_BOTTOM = 56;

export function WindowStrip({ trace, longest }: { trace: TraceSummary; longest: readonly LongWait[] }) {
  const { window } = usePlace();
  const curve = useTable(ofTrace(trace.id, `curve${query({ bins: 400 })}`));
  const [ref, { width }] = useSize<HTMLDivElement>();
  const [brush, setBrush] = useState<readonly [number, number] | null>(null);
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
  const shown = brush ? { start: Math.min(...brush), end: Math.max(...brush) } : window;
  const step = d3.tickStep(0, trace.end_ns - trace.start_ns, Math.max(width / 110, 2));
  return (
    <div ref={ref} className={styles.strip}>
      <svg
        width={width}
        height={HEIGHT}
        role="img"
        aria-label="Wasted cores over the whole trace, with the longest waits; drag to choose a window"
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
    </div>
  );
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
