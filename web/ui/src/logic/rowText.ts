// A query's rows as text: CSV and TSV with a line of names, JSON with an object per row.

import { cell, type Table } from '../api/table';

/** A value as the query gave it; null for NULL. */
export function valueAt(table: Table, name: string, row: number): unknown {
  const value = cell(table, name, row);
  return table.types[name] === 'Bool' && typeof value === 'number' ? value === 1 : value;
}

/** A value as one piece of text; nested ones as JSON, NULL as nothing. */
export function textOf(value: unknown): string {
  if (value === null || value === undefined) return '';
  return typeof value === 'object' ? JSON.stringify(value, withBigints) : String(value);
}

/** JSON.stringify refuses bigints. */
const withBigints = (_: string, value: unknown) => (typeof value === 'bigint' ? String(value) : value);

/** After RFC 4180, lines ended as on Linux. NULL is empty, an empty text is `""`. */
export function csvOf(table: Table): string {
  return lines(table, ',', (value) => {
    const text = textOf(value);
    return value === '' || /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  });
}

/** For spreadsheets: tabs and ends of lines within a value become spaces. Names of threads are anyone's, and a spreadsheet takes a
 * text that begins with `=`, `+`, `-` or `@` for a formula: it gets an apostrophe. */
export const tsvOf = (table: Table): string =>
  lines(table, '\t', (value) => {
    const text = textOf(value).replaceAll(/[\t\r\n]+/g, ' ');
    return typeof value === 'string' && /^[=+\-@]/.test(text) ? `'${text}` : text;
  });

function lines(table: Table, separator: string, field: (value: unknown) => string): string {
  const names = Object.keys(table.columns);
  const line = (values: unknown[]) => `${values.map(field).join(separator)}\n`;
  let text = line(names);
  for (let row = 0; row < table.rows; row++) text += line(names.map((name) => valueAt(table, name, row)));
  return text;
}

/** An array of objects, one per line; integers to the last digit. */
export function jsonOf(table: Table): string {
  const names = Object.keys(table.columns);
  const member = (name: string, row: number) => {
    const value = valueAt(table, name, row);
    return `${JSON.stringify(name)}: ${typeof value === 'bigint' ? value : JSON.stringify(value, withBigints)}`;
  };
  const rows = Array.from(
    { length: table.rows },
    (_, row) => `  {${names.map((name) => member(name, row)).join(', ')}}`,
  );
  return rows.length === 0 ? '[]\n' : `[\n${rows.join(',\n')}\n]\n`;
}
