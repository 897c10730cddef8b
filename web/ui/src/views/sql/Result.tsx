// A query's rows, as a table or as a quick chart.

import { useState } from 'react';
import { cell, type Table } from '../../api/table';
import { count, plural } from '../../logic/units';
import { adjust, usePlace } from '../../navigation';
import { Chart, chartable } from './Chart';
import styles from './Sql.module.css';

const ROWS_PER_PAGE = 200;

export function Result({ table }: { table: Table }) {
  const { params } = usePlace();
  const [shown, setShown] = useState(ROWS_PER_PAGE);
  const possible = chartable(table);
  const chart = possible && params.chart === '1';
  const names = Object.keys(table.columns);
  const rows = Array.from({ length: Math.min(shown, table.rows) }, (_, row) => row);
  const truncated = table.meta.truncated === 'true';
  return (
    <>
      <p className={styles.summary} role="status">
        {plural(table.rows, 'row')}
        {truncated && ' (cut off: there are more)'} in {table.meta.elapsed_ms ?? '?'} ms
        {possible && (
          <button
            type="button"
            className="quiet"
            aria-pressed={chart}
            onClick={() => adjust({ params: { ...params, chart: chart ? '0' : '1' } })}
          >
            Chart
          </button>
        )}
      </p>
      {chart ? (
        <Chart table={table} />
      ) : (
        <div className={styles.scroll}>
          <table className={styles.rows}>
            <thead>
              <tr>
                {names.map((name) => (
                  <th key={name} scope="col" title={table.types[name]}>
                    {name}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {rows.map((row) => (
                <tr key={row}>
                  {names.map((name) => (
                    <ResultCell key={name} value={cell(table, name, row)} />
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
          {shown < table.rows && (
            <button type="button" className="quiet" onClick={() => setShown(shown + 5 * ROWS_PER_PAGE)}>
              {count(table.rows - shown)} more
            </button>
          )}
        </div>
      )}
    </>
  );
}

function ResultCell({ value }: { value: unknown }) {
  if (value === null) return <td className="muted">NULL</td>;
  if (typeof value === 'number') {
    return (
      <td className={styles.number}>{Number.isInteger(value) ? value : value.toPrecision(6).replace(/\.?0+$/, '')}</td>
    );
  }
  return <td>{typeof value === 'string' ? value : JSON.stringify(value)}</td>;
}
