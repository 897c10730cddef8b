// The metrics of a comparison of repeated runs, each with its difference, interval and p value.

import * as d3 from 'd3';
import { useState } from 'react';
import type { MetricDifference, RunComparison } from '../../api/types';
import { coreSeconds, count, duration, percent, significant, threeDigits } from '../../logic/units';
import styles from './Compare.module.css';

export function DifferenceTable({ data }: { data: RunComparison }) {
  const [all, setAll] = useState(false);
  const shown = [data.primary, ...data.metrics.filter((row) => all || row.changed || row.always_listed)];
  const hidden = data.metrics.length + 1 - shown.length;
  return (
    <section className={`card ${styles.panel}`}>
      <h2>Differences</h2>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to have the focus */}
      <div className={styles.runs} tabIndex={0}>
        <table className={styles.table} aria-label="Differences">
          <thead>
            <tr>
              <th scope="col">Metric</th>
              <th scope="col">Base</th>
              <th scope="col">New</th>
              <th scope="col">Difference</th>
              <th scope="col">of base</th>
              <th scope="col" title="95 % interval of the difference; at the line there is none">
                95 %
              </th>
              <th scope="col" title="Rank test">
                p
              </th>
            </tr>
          </thead>
          <tbody>
            {shown.map((row) => (
              <tr key={row.metric} data-changed={row.changed ? changeOf(row) : undefined}>
                <th scope="row">{row.words}</th>
                <td title={spreadOf(row, row.base)}>{figure(row, row.base.mean)}</td>
                <td title={spreadOf(row, row.new)}>{figure(row, row.new.mean)}</td>
                <td>{signed(row, row.difference)}</td>
                <td className={styles.ratio}>{ofBase(row)}</td>
                <td>
                  <Interval row={row} />
                </td>
                <td>
                  {row.p_adjusted === null ? '–' : row.p_adjusted < 0.0001 ? '<0.0001' : significant(row.p_adjusted, 2)}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <p className={styles.footnote}>
        {data.base.length} + {data.new.length} runs. p: {data.method.test}; of all but wasted adjusted by the procedure
        of Benjamini and Hochberg. * of recurrent episodes, counted in the grades of their intervals as well.
        {(hidden > 0 || all) && (
          <button type="button" className="quiet" onClick={() => setAll(!all)}>
            {all ? 'Changed ones only' : `${hidden} more`}
          </button>
        )}
      </p>
    </section>
  );
}

const changeOf = (row: MetricDifference) => (!row.more_is_worse ? 'neutral' : row.difference > 0 ? 'more' : 'less');

const WIDTH = 120;
const HEIGHT = 14;

/** The interval on a scale of its own, with no difference in the middle. */
function Interval({ row }: { row: MetricDifference }) {
  if (row.interval === null) return <span className="muted">–</span>;
  const [low, high] = row.interval;
  const most = Math.max(Math.abs(low), Math.abs(high), Math.abs(row.difference)) || 1;
  const x = d3.scaleLinear([-most, most], [4, WIDTH - 4]);
  const words = `${signed(row, low)} to ${signed(row, high)}`;
  return (
    <svg width={WIDTH} height={HEIGHT} role="img" aria-label={`95 % interval ${words}`} className={styles.interval}>
      <title>{words}</title>
      <line x1={x(0)} x2={x(0)} y1={0} y2={HEIGHT} stroke="var(--line-strong)" />
      <line
        x1={x(low)}
        x2={Math.max(x(high), x(low) + 1)}
        y1={HEIGHT / 2}
        y2={HEIGHT / 2}
        strokeWidth={3}
        stroke="currentColor"
      />
      <circle cx={x(row.difference)} cy={HEIGHT / 2} r={3.5} fill="currentColor" />
    </svg>
  );
}

const UNITS = { threads: ' threads', cpus: ' CPUs', per_s: '/s' };

function figure(row: MetricDifference, value: number): string {
  if (row.unit === 'share') return percent(value);
  if (row.unit === 'core_s') return coreSeconds(value);
  if (row.unit === 's') return duration(value * 1e9);
  return `${threeDigits(value)}${UNITS[row.unit]}`;
}

function signed(row: MetricDifference, value: number): string {
  if (value === 0) return '0';
  const size = Math.abs(value);
  const text =
    row.unit === 'share'
      ? `${threeDigits(size * 100)} points`
      : row.unit === 'core_s'
        ? `${threeDigits(size)} core-s`
        : figure(row, size);
  return `${value < 0 ? '−' : '+'}${text}`;
}

/** From here on a ratio says no more than that one of the two is almost nothing. */
const MOST_TIMES = 1000;

function ofBase(row: MetricDifference): string {
  if (row.relative === null || row.relative === 0) return '';
  if (row.relative >= MOST_TIMES) return `over ${count(MOST_TIMES)} ×`;
  if (row.relative > -1 && row.relative <= 1 / MOST_TIMES - 1) return 'almost none';
  if (Math.abs(row.relative) >= 10) return `${significant(row.relative + 1)} ×`;
  return `${row.relative < 0 ? '−' : '+'}${threeDigits(Math.abs(row.relative) * 100)} %`;
}

function spreadOf(row: MetricDifference, side: MetricDifference['base']): string {
  const range = `${figure(row, side.min)} to ${figure(row, side.max)}`;
  return side.sd === null ? range : `${range}, standard deviation ${figure(row, side.sd)}`;
}
