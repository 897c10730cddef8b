// A decoded Arrow table: plain typed arrays, which cross from the worker without being copied.

/** Numbers as typed arrays (64-bit ones as doubles: times are below 2^53), texts as codes into their distinct values. */
export type Column = Numbers | Texts | Lists;
export type Numbers =
  | Float64Array
  | Float32Array
  | Int32Array
  | Uint32Array
  | Int16Array
  | Uint16Array
  | Int8Array
  | Uint8Array;
export interface Texts {
  codes: Int32Array;
  /** The text of each code; code -1 is NULL. */
  values: string[];
}
/** Nested values (lists, structs), as they come. */
export interface Lists {
  items: unknown[];
}

export interface Table {
  rows: number;
  columns: Record<string, Column>;
  /** Arrow type of each column, as text. */
  types: Record<string, string>;
  /** Metadata of the schema, as `truncated` and `origin_ns`. */
  meta: Record<string, string>;
}

const isNumbers = (column: Column): column is Numbers => ArrayBuffer.isView(column);

/** A column of numbers; NULL is NaN in columns of doubles. Throws when the table has none of that name: a broken contract. */
export function numbers(table: Table, name: string): Numbers {
  const column = table.columns[name];
  if (!column || !isNumbers(column)) throw new Error(`column ${name} is missing or not of numbers`);
  return column;
}

/** The text in a row; null for NULL. Throws when the table has no such column of texts. */
export function textAt(table: Table, name: string, row: number): string | null {
  const column = table.columns[name];
  if (!column || isNumbers(column) || !('codes' in column))
    throw new Error(`column ${name} is missing or not of texts`);
  return column.values[column.codes[row] as number] ?? null;
}

/** Any cell, for tables whose columns are not known before. NULL is null. */
export function cell(table: Table, name: string, row: number): unknown {
  const column = table.columns[name];
  if (!column) return null;
  if (isNumbers(column)) {
    const value = column[row] as number;
    return Number.isNaN(value) ? null : value;
  }
  return 'codes' in column ? (column.values[column.codes[row] as number] ?? null) : (column.items[row] ?? null);
}
