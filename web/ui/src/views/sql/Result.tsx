// A query's rows as a table or as a quick chart, to be saved or copied. Times, episodes, threads and CPUs are links.

import { useMemo, useState } from 'react';
import type { Table } from '../../api/table';
import type { TraceSummary } from '../../api/types';
import { copyText } from '../../clipboard';
import { download } from '../../download';
import { csvOf, jsonOf, textOf, tsvOf, valueAt } from '../../logic/rowText';
import { count, duration, plural } from '../../logic/units';
import { adjust, hrefTo, usePlace } from '../../navigation';
import { Chart, chartable } from './Chart';
import { type RowLink, rowLinks } from './rowPlace';
import styles from './Sql.module.css';

const ROWS_PER_PAGE = 200;

export function Result({ trace, table }: { trace: TraceSummary; table: Table }) {
  const { params } = usePlace();
  const [shown, setShown] = useState(ROWS_PER_PAGE);
  const possible = chartable(table);
  const chart = possible && params.chart === '1';
  const truncated = table.meta.truncated === 'true';
  return (
    <>
      <div className={styles.summary}>
        <p role="status">
          {plural(table.rows, 'row')}
          {truncated && ' (cut off: there are more)'} in {spent(table)}
        </p>
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
        <Export trace={trace} table={table} truncated={truncated} />
      </div>
      {chart ? (
        <Chart table={table} />
      ) : (
        <div className={styles.scroll}>
          <Rows trace={trace} table={table} shown={Math.min(shown, table.rows)} />
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

/** How long the query took on the server. */
function spent({ meta }: Table): string {
  const ms = Number(meta.elapsed_ms);
  return Number.isFinite(ms) ? duration(ms * 1e6) : 'an unknown time';
}

/** All rows that were read, as files and for the clipboard. */
function Export({ trace, table, truncated }: { trace: TraceSummary; table: Table; truncated: boolean }) {
  const [copied, setCopied] = useState('');
  const rows = `${truncated ? 'the first ' : ''}${plural(table.rows, 'row')}`;
  const save = (ending: string, type: string, text: string) =>
    download(`${trace.name.replace(/\.duckdb$/, '')}-query.${ending}`, new Blob([text], { type }));
  const copy = async () => {
    setCopied((await copyText(tsvOf(table))) ? `Copied ${rows}` : 'The browser does not permit copying');
    setTimeout(() => setCopied(''), 3000);
  };
  return (
    <div className={styles.export}>
      <output className="muted">{copied}</output>
      <button
        type="button"
        className="quiet"
        onClick={copy}
        title={`Copy ${rows} for a spreadsheet, separated by tabs`}
      >
        Copy
      </button>
      <button
        type="button"
        className="quiet"
        onClick={() => save('csv', 'text/csv', csvOf(table))}
        aria-label="Save as CSV"
        title={`Save ${rows} as CSV`}
      >
        CSV
      </button>
      <button
        type="button"
        className="quiet"
        onClick={() => save('json', 'application/json', jsonOf(table))}
        aria-label="Save as JSON"
        title={`Save ${rows} as JSON`}
      >
        JSON
      </button>
    </div>
  );
}

function Rows({ trace, table, shown }: { trace: TraceSummary; table: Table; shown: number }) {
  const names = Object.keys(table.columns);
  const links = useMemo(() => {
    const columns = Object.keys(table.columns);
    return Array.from({ length: shown }, (_, row) => {
      const at = (name: string) => {
        const value = valueAt(table, name, row);
        return Number.isSafeInteger(value) ? (value as number) : null;
      };
      return rowLinks(columns, at, trace);
    });
  }, [table, shown, trace]);
  // A heading is above its figures, which are at the right.
  const numbers = useMemo(
    () => new Set(names.filter((name) => links.some((_, row) => isNumber(valueAt(table, name, row))))),
    [names, links, table],
  );
  return (
    <table className={styles.rows}>
      <thead>
        <tr>
          {names.map((name) => (
            <th
              key={name}
              scope="col"
              title={table.types[name]}
              className={numbers.has(name) ? styles.number : undefined}
            >
              {name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {links.map((inRow, row) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a row is known by its place alone, and rows do not move
          <tr key={row}>
            {names.map((name) => (
              <ResultCell key={name} value={valueAt(table, name, row)} link={inRow[name]} />
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

const isNumber = (value: unknown): value is number | bigint => typeof value === 'number' || typeof value === 'bigint';

function ResultCell({ value, link }: { value: unknown; link: RowLink | undefined }) {
  if (value === null) return <td className="muted">NULL</td>;
  const rounded = typeof value === 'number' && !Number.isInteger(value);
  const text = rounded ? value.toPrecision(6).replace(/\.?0+$/, '') : textOf(value);
  return (
    <td className={isNumber(value) ? styles.number : undefined}>
      {link ? (
        <a href={hrefTo(link.place)} title={link.title}>
          {text}
        </a>
      ) : (
        text
      )}
    </td>
  );
}
