// A quick chart: the first column across, the numbers of the others up; lines where it is a number, bars where a name.

import * as d3 from 'd3';
import { cell, type Table } from '../../api/table';
import { useSize } from '../../components/useSize';
import styles from './Sql.module.css';

const CHART_HEIGHT = 320;
const MARGIN = { top: 16, right: 16, bottom: 40, left: 64 };
const MAX_BARS = 80;

const numeric = (table: Table, name: string) => ArrayBuffer.isView(table.columns[name]);

/** Whether there is something to go up: a second column of numbers. */
export function chartable(table: Table): boolean {
  return (
    table.rows > 1 &&
    Object.keys(table.columns)
      .slice(1)
      .some((name) => numeric(table, name))
  );
}

const short = (value: number) => d3.format(Math.abs(value) >= 1000 ? '~s' : '~g')(value);

export function Chart({ table }: { table: Table }) {
  const [ref, { width }] = useSize<HTMLDivElement>();
  const [across = '', ...others] = Object.keys(table.columns);
  const series = others.filter((name) => numeric(table, name)).slice(0, 6);
  const value = (name: string, row: number) => Number(cell(table, name, row) ?? 0);
  const rows = d3.range(table.rows);
  const line =
    numeric(table, across) && !(rows.length <= MAX_BARS && rows.every((row) => Number.isInteger(value(across, row))));
  const shown = line ? rows : rows.slice(0, MAX_BARS);
  const top = d3.max(series, (name) => d3.max(shown, (row) => value(name, row))) ?? 1;
  const low = Math.min(d3.min(series, (name) => d3.min(shown, (row) => value(name, row))) ?? 0, 0);
  const y = d3.scaleLinear([low, top], [CHART_HEIGHT - MARGIN.bottom, MARGIN.top]).nice();
  const [first = 0, last = 1] = d3.extent(shown, (row) => value(across, row));
  const x = d3.scaleLinear([first, last], [MARGIN.left, width - MARGIN.right]);
  const bands = d3.scaleBand(shown.map(String), [MARGIN.left, width - MARGIN.right]).padding(0.2);
  return (
    <div ref={ref} className={styles.chart}>
      <svg
        width={width}
        height={CHART_HEIGHT}
        role="img"
        aria-label={`${series.join(', ')} by ${across}; the table has the same figures`}
      >
        {y.ticks(5).map((tick) => (
          <g key={tick} transform={`translate(0,${y(tick)})`}>
            <line x1={MARGIN.left} x2={width - MARGIN.right} stroke="var(--line)" />
            <text x={MARGIN.left - 8} dy="0.32em" textAnchor="end">
              {short(tick)}
            </text>
          </g>
        ))}
        {line
          ? x.ticks(Math.max(width / 110, 2)).map((tick) => (
              <text key={tick} x={x(tick)} y={CHART_HEIGHT - 20} textAnchor="middle">
                {short(tick)}
              </text>
            ))
          : shown.map((row) => (
              <text
                key={row}
                x={(bands(String(row)) ?? 0) + bands.bandwidth() / 2}
                y={CHART_HEIGHT - 24}
                textAnchor="middle"
              >
                {String(cell(table, across, row) ?? '').slice(0, Math.max(Math.floor(bands.bandwidth() / 6), 1))}
              </text>
            ))}
        {series.map((name, index) =>
          line ? (
            <path
              key={name}
              fill="none"
              strokeWidth={1.5}
              stroke={`var(--kind-${index * 2})`}
              d={
                d3.line<number>(
                  (row) => x(value(across, row)),
                  (row) => y(value(name, row)),
                )(shown) ?? ''
              }
            />
          ) : (
            shown.map((row) => (
              <rect
                key={`${name}-${row}`}
                x={(bands(String(row)) ?? 0) + (bands.bandwidth() / series.length) * index}
                width={bands.bandwidth() / series.length}
                y={Math.min(y(value(name, row)), y(0))}
                height={Math.abs(y(0) - y(value(name, row)))}
                fill={`var(--kind-${index * 2})`}
              >
                <title>{`${cell(table, across, row)}: ${value(name, row)}`}</title>
              </rect>
            ))
          ),
        )}
      </svg>
      <ul className={styles.series}>
        {series.map((name, index) => (
          <li key={name}>
            <i style={{ background: `var(--kind-${index * 2})` }} /> {name}
          </li>
        ))}
        <li className="muted">by {across}</li>
      </ul>
    </div>
  );
}
