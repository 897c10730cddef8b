// Arrow IPC → Table. Runs in the worker; pure, so that tests run it where they like.

import { DataType, tableFromIPC, type Vector } from 'apache-arrow';
import type { Column, Numbers, Table } from '../api/table';
import { type MixedTile, type Shape, type Shaped, shaped } from '../logic/timeline/chunks';
import { mixedTile } from '../logic/timeline/tileColours';
import type { Painting, TableRequest } from './protocol';

/**
 * Decode a whole IPC stream or file. Throws what apache-arrow throws on damaged input. `exact`: a column with integers
 * from 2^53 on has bigints as items, not doubles.
 */
export function decode(bytes: ArrayBuffer, exact = false): Table {
  const arrow = tableFromIPC(new Uint8Array(bytes));
  const table: Table = { rows: arrow.numRows, columns: {}, types: {}, meta: Object.fromEntries(arrow.schema.metadata) };
  for (const field of arrow.schema.fields) {
    const vector = arrow.getChild(field.name);
    if (!vector) continue;
    table.columns[field.name] =
      exact && isBeyondDoubles(vector, field.type) ? { items: Array.from(vector) } : column(vector, field.type);
    table.types[field.name] = String(field.type);
  }
  return table;
}

/** What is made of a request's answer; tiles have their colours in what is painted with. Throws as `decode`. */
export function answerOf(
  bytes: ArrayBuffer,
  { shape, exact }: Pick<TableRequest, 'shape' | 'exact'>,
  painting: Painting | null,
): Table | Shaped[Shape['kind']] {
  const table = decode(bytes, exact);
  if (!shape) return table;
  const value = shaped(table, shape);
  if (value.kind === 'tile' && painting) value.mixed = mixedTile(value, painting.paint, painting.number);
  return value;
}

/** Buffers to hand over to the page instead of copying them. */
export function buffers(value: Table | Shaped[Shape['kind']]): ArrayBuffer[] {
  const found = new Set<ArrayBuffer>();
  const { mixed, ...parts }: Record<string, unknown> & { mixed?: MixedTile } =
    'kind' in value ? { ...value } : value.columns;
  for (const item of [...Object.values(parts), mixed?.colours, mixed?.empty] as (Column | string | undefined)[]) {
    if (typeof item !== 'object') continue;
    const array = ArrayBuffer.isView(item) ? item : 'codes' in item ? item.codes : null;
    if (array && array.buffer instanceof ArrayBuffer) found.add(array.buffer);
  }
  return [...found];
}

function column(vector: Vector, type: DataType): Column {
  if (DataType.isInt(type) && type.bitWidth < 64 && vector.nullCount === 0) return ownCopy(vector.toArray() as Numbers);
  if (DataType.isFloat(type) && type.precision > 0 && vector.nullCount === 0)
    return ownCopy(vector.toArray() as Numbers);
  if (DataType.isInt(type) || DataType.isBool(type) || (DataType.isFloat(type) && type.precision > 0)) {
    return doubles(vector);
  }
  if (DataType.isTimestamp(type) || DataType.isDuration(type) || DataType.isTime(type)) return doubles(vector);
  if (DataType.isUtf8(type) || DataType.isLargeUtf8(type) || DataType.isDictionary(type)) return texts(vector);
  if (DataType.isDecimal(type)) return decimals(vector, type.scale);
  return { items: Array.from(vector, plain) };
}

/** Whether doubles would round one of the column's integers. */
function isBeyondDoubles(vector: Vector, type: DataType): boolean {
  if (!DataType.isInt(type) || type.bitWidth < 64) return false;
  return vector.data.some(({ values }) => values.some((value: bigint) => !Number.isSafeInteger(Number(value))));
}

/** A copy of its own: a view into the response would take the whole of it along when it is handed over. */
const ownCopy = (array: Numbers): Numbers => array.slice();

function doubles(vector: Vector): Float64Array {
  const result = new Float64Array(vector.length);
  let row = 0;
  for (const { values, nullBitmap, offset, length, type } of vector.data) {
    const bits = nullBitmap && nullBitmap.length > 0 ? nullBitmap : null;
    const packed = DataType.isBool(type);
    for (let i = 0; i < length; i++, row++) {
      if (bits && !bit(bits, offset + i)) result[row] = Number.NaN;
      else result[row] = packed ? Number(bit(values as Uint8Array, offset + i)) : Number(values[i]);
    }
  }
  return result;
}

const bit = (bits: Uint8Array, index: number) => ((bits[index >> 3] as number) >> (index & 7)) & 1;

function texts(vector: Vector): Column {
  const codes = new Int32Array(vector.length);
  const values: string[] = [];
  const known = new Map<string, number>();
  for (let i = 0; i < vector.length; i++) {
    const value = vector.get(i);
    if (value === null) {
      codes[i] = -1;
      continue;
    }
    const text = String(value);
    let code = known.get(text);
    if (code === undefined) {
      code = values.push(text) - 1;
      known.set(text, code);
    }
    codes[i] = code;
  }
  return { codes, values };
}

/** Decimals as doubles: figures to show, not to keep accounts with. */
function decimals(vector: Vector, scale: number): Float64Array {
  return Float64Array.from(vector, (value) => (value === null ? Number.NaN : Number(value) / 10 ** scale));
}

/** Nested Arrow values as plain ones; 64-bit integers as numbers. */
function plain(value: unknown): unknown {
  if (typeof value === 'bigint') return Number(value);
  if (value === null || typeof value !== 'object') return value;
  if (Symbol.iterator in value) return Array.from(value as Iterable<unknown>, plain);
  if ('toJSON' in value && typeof value.toJSON === 'function') {
    return Object.fromEntries(Object.entries(value.toJSON() as object).map(([key, item]) => [key, plain(item)]));
  }
  return String(value);
}
