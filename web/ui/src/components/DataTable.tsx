// A table that sorts by its columns; the order lives in the place's parameters (`sort=-wait_ns`), so a link keeps it.

import type { ReactNode } from 'react';
import { adjust, usePlace } from '../navigation';
import styles from './DataTable.module.css';

export interface ColumnSpec<Row> {
  key: string;
  title: string;
  /** What the column means, as the header's hint. */
  hint?: string;
  number?: boolean;
  /** What rows are ordered by; a column without it does not sort. */
  order?: (row: Row) => number | string;
  cell: (row: Row) => ReactNode;
}

interface DataTableProps<Row> {
  label: string;
  columns: readonly ColumnSpec<Row>[];
  rows: readonly Row[];
  keyOf: (row: Row) => string | number;
  /** Order before the user chose one: a column's key, with `-` for the largest first. */
  sort: string;
  /** The row that is chosen. */
  chosen?: string | number | null;
  /** What a click on a row does, but for one on a link or button in it; by keys, a button in a cell does the same. */
  onChoose?: (row: Row) => void;
}

/** `rows` by a sort key as `-wait_ns`; an unknown key leaves them as they are. */
export function sorted<Row>(rows: readonly Row[], columns: readonly ColumnSpec<Row>[], sort: string): Row[] {
  const order = columns.find((column) => column.key === sort.replace(/^-/, ''))?.order;
  if (!order) return [...rows];
  const sign = sort.startsWith('-') ? -1 : 1;
  return [...rows].sort((a, b) => {
    const [x, y] = [order(a), order(b)];
    return sign * (typeof x === 'string' && typeof y === 'string' ? x.localeCompare(y) : Number(x) - Number(y));
  });
}

export function DataTable<Row>(props: DataTableProps<Row>) {
  const { label, columns, rows, keyOf, sort: initial, chosen = null, onChoose } = props;
  const { params } = usePlace();
  const sort = params.sort ?? initial;
  const by = sort.replace(/^-/, '');
  const choose = (column: ColumnSpec<Row>) => {
    const largestFirst = by === column.key ? !sort.startsWith('-') : column.number;
    adjust({ params: { ...params, sort: `${largestFirst ? '-' : ''}${column.key}` } });
  };
  return (
    <table className={styles.table} aria-label={label}>
      <thead>
        <tr>
          {columns.map((column) => (
            <th
              key={column.key}
              scope="col"
              className={column.number ? styles.number : undefined}
              aria-sort={by !== column.key ? undefined : sort.startsWith('-') ? 'descending' : 'ascending'}
            >
              {column.order ? (
                <button type="button" onClick={() => choose(column)} title={column.hint}>
                  {column.title}
                  <span aria-hidden="true">{by !== column.key ? '' : sort.startsWith('-') ? '↓' : '↑'}</span>
                </button>
              ) : (
                <span title={column.hint}>{column.title}</span>
              )}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {sorted(rows, columns, sort).map((row) => (
          <tr
            key={keyOf(row)}
            className={onChoose && (keyOf(row) === chosen ? `${styles.choice} ${styles.chosen}` : styles.choice)}
            onClick={onChoose && ((event) => isOfRow(event.target) && onChoose(row))}
          >
            {columns.map((column) => (
              <td key={column.key} className={column.number ? styles.number : undefined}>
                {column.cell(row)}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** Not on a link or button, and not the end of a selection of text. */
const isOfRow = (target: EventTarget) =>
  !(target as Element).closest('a, button, input') && (getSelection()?.isCollapsed ?? true);
