// Waits by length: bins that double, those after a preemption on top of those after a wakeup.

import * as d3 from 'd3';
import type { LatencyBin } from '../../api/types';
import { useSize } from '../../components/useSize';
import { count, duration, roundDuration } from '../../logic/units';
import styles from './Latency.module.css';

const LEAST_HEIGHT = 160;
const MARGIN = { top: 12, right: 12, bottom: 34, left: 56 };
const SPARK = { width: 120, height: 20 };

const waitsOf = (bin: LatencyBin) => bin.after_wakeup + bin.after_preemption;
const wordsOf = (bin: LatencyBin) =>
  `${duration(bin.low_ns)} to ${duration(bin.high_ns)}: ${count(bin.after_wakeup)} after a wakeup, ${count(bin.after_preemption)} after a preemption`;

/** `range`: the lengths that all histograms of the page reach from and to. */
export function Histogram({ bins, range }: { bins: readonly LatencyBin[]; range: readonly [number, number] }) {
  const [ref, { width, height: given }] = useSize<HTMLDivElement>();
  const height = Math.max(given, LEAST_HEIGHT); // before it is measured, too
  const x = d3.scaleLog([range[0], range[1]], [MARGIN.left, width - MARGIN.right]).base(2);
  const y = d3.scaleLinear([0, d3.max(bins, waitsOf) ?? 1], [height - MARGIN.bottom, MARGIN.top]).nice();
  return (
    <div className={styles.histogram}>
      <div ref={ref} className={styles.plot}>
        <svg width={width} height={height} role="img" aria-label={`Waits by length: ${bins.map(wordsOf).join('; ')}`}>
          {y
            .ticks(4)
            .filter(Number.isInteger)
            .map((tick) => (
              <g key={tick} transform={`translate(0,${y(tick)})`}>
                <line x1={MARGIN.left} x2={width - MARGIN.right} stroke="var(--line)" />
                <text x={MARGIN.left - 8} dy="0.32em" textAnchor="end">
                  {count(tick)}
                </text>
              </g>
            ))}
          {decades(range, width).map((tick) => (
            <text key={tick} x={x(tick)} y={height - 12} textAnchor="middle">
              {roundDuration(tick)}
            </text>
          ))}
          {bins.map((bin) => (
            <g key={bin.low_ns}>
              <title>{wordsOf(bin)}</title>
              <rect
                x={x(bin.low_ns)}
                y={MARGIN.top}
                width={Math.max(x(bin.high_ns) - x(bin.low_ns), 0)}
                height={height - MARGIN.bottom - MARGIN.top}
                fill="transparent"
              />
              <Bar
                from={y(0)}
                to={y(bin.after_wakeup)}
                left={x(bin.low_ns)}
                right={x(bin.high_ns)}
                className={styles.wakeup}
              />
              <Bar
                from={y(bin.after_wakeup)}
                to={y(waitsOf(bin))}
                left={x(bin.low_ns)}
                right={x(bin.high_ns)}
                className={styles.preemption}
              />
            </g>
          ))}
        </svg>
      </div>
      <ul className={styles.legend} aria-label="Colours of the bars">
        <li>
          <i className={styles.wakeup} /> after a wakeup
        </li>
        <li>
          <i className={styles.preemption} /> after a preemption
        </li>
      </ul>
    </div>
  );
}

interface BarProps {
  from: number;
  to: number;
  left: number;
  right: number;
  className: string | undefined;
}

function Bar({ from, to, left, right, className }: BarProps) {
  return (
    <rect
      x={left + 1}
      width={Math.max(right - left - 2, 1)}
      y={to}
      height={Math.max(from - to, 0)}
      className={className}
    />
  );
}

/** Powers of ten within the range, every second or third where they would touch. */
function decades([low, high]: readonly [number, number], width: number): number[] {
  const all = d3.range(Math.ceil(Math.log10(low)), Math.floor(Math.log10(high)) + 1).map((power) => 10 ** power);
  const step = Math.max(1, Math.ceil((all.length * 64) / Math.max(width - MARGIN.left, 1)));
  return all.filter((_, index) => index % step === 0);
}

/** The same without axes; heights by the logarithm, so that a single long wait is seen beside thousands of short ones. */
export function Sparkline({
  bins,
  range,
  label,
}: {
  bins: readonly LatencyBin[];
  range: readonly [number, number];
  label: string;
}) {
  const x = d3.scaleLog([range[0], range[1]], [0, SPARK.width]).base(2);
  const y = d3.scaleLinear([0, Math.log1p(d3.max(bins, waitsOf) ?? 1)], [0, SPARK.height]);
  return (
    <svg width={SPARK.width} height={SPARK.height} role="img" aria-label={label}>
      {bins.map((bin) => {
        const height = y(Math.log1p(waitsOf(bin)));
        const woken = waitsOf(bin) ? (height * bin.after_wakeup) / waitsOf(bin) : 0;
        const [left, right] = [x(bin.low_ns), x(bin.high_ns)];
        return (
          <g key={bin.low_ns}>
            <Bar from={SPARK.height} to={SPARK.height - woken} left={left} right={right} className={styles.wakeup} />
            <Bar
              from={SPARK.height - woken}
              to={SPARK.height - height}
              left={left}
              right={right}
              className={styles.preemption}
            />
          </g>
        );
      })}
    </svg>
  );
}
