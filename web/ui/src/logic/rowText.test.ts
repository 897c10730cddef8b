import { expect, it } from 'vitest';
import type { Table } from '../api/table';
import { csvOf, jsonOf, tsvOf, valueAt } from './rowText';

/** Numbers with a NULL, texts with what has to be quoted, a truth, a list, and an integer beyond 2^53. */
const TABLE: Table = {
  rows: 3,
  columns: {
    n: Float64Array.of(1, Number.NaN, 0.1),
    text: { codes: Int32Array.of(0, 1, -1), values: ['a,"b"\tc\nd', ''] },
    truth: Float64Array.of(1, 0, Number.NaN),
    list: { items: [[1, 2], [], null] },
    large: { items: [1_795_277_971_113_362_640n, 1n, null] },
  },
  types: { n: 'Float64', text: 'Utf8', truth: 'Bool', list: 'List<Int32>', large: 'Int64' },
  meta: {},
};
const EMPTY: Table = { rows: 0, columns: { cpu: Float64Array.of() }, types: { cpu: 'Int16' }, meta: {} };

it('a value is what the query gave: truths are no numbers, NULL is null', () => {
  expect(valueAt(TABLE, 'truth', 0)).toBe(true);
  expect(valueAt(TABLE, 'truth', 2)).toBeNull();
  expect(valueAt(TABLE, 'n', 1)).toBeNull();
  expect(valueAt(TABLE, 'n', 2)).toBe(0.1);
});

it('CSV quotes what needs it, and distinguishes NULL from an empty text', () => {
  expect(csvOf(TABLE)).toBe(
    'n,text,truth,list,large\n' +
      '1,"a,""b""\tc\nd",true,"[1,2]",1795277971113362640\n' +
      ',"",false,[],1\n' +
      '0.1,,,,\n',
  );
});

it('TSV has one line per row, whatever is in its values', () => {
  const rows = tsvOf(TABLE).slice(0, -1).split('\n');
  expect(rows).toHaveLength(4);
  expect(rows.map((row) => row.split('\t').length)).toEqual([5, 5, 5, 5]);
  expect(rows[1]).toBe('1\ta,"b" c d\ttrue\t[1,2]\t1795277971113362640');
});

it('JSON has an object per row, with large integers to the last digit', () => {
  const text = jsonOf(TABLE);
  expect(text).toContain('"large": 1795277971113362640}');
  expect(JSON.parse(text)[1]).toEqual({ n: null, text: '', truth: false, list: [], large: 1 });
});

it('without rows the names are there, and JSON is an empty array', () => {
  expect(csvOf(EMPTY)).toBe('cpu\n');
  expect(JSON.parse(jsonOf(EMPTY))).toEqual([]);
});

it('TSV has no text that a spreadsheet would take for a formula', () => {
  const name = { codes: Int32Array.of(0, 1, 2), values: ['=1+1', 'a=b', '-x'] };
  const table: Table = { rows: 3, columns: { name }, types: { name: 'Utf8' }, meta: {} };
  expect(tsvOf(table)).toBe("name\n'=1+1\na=b\n'-x\n");
});
