import { Table as ArrowTable, Bool, Float32, Int32, Int64, tableToIPC, Utf8, vectorFromArray } from 'apache-arrow';
import { describe, expect, it } from 'vitest';
import { cell, numbers, textAt } from '../api/table';
import { buffers, decode } from './decode';

const arrow = new ArrowTable({
  utid: vectorFromArray([7, null, 9], new Int32()),
  plain: vectorFromArray([1, 2, 3], new Int32()),
  start_ns: vectorFromArray([69_384_073_350n, -5n, null], new Int64()),
  share: vectorFromArray([0.5, null, 1], new Float32()),
  needless: vectorFromArray([true, null, false], new Bool()),
  name: vectorFromArray(['hog', null, 'hog'], new Utf8()),
});

describe('decoding Arrow', () => {
  const table = decode(tableToIPC(arrow, 'stream').slice().buffer as ArrayBuffer);

  it('keeps numbers, 64-bit ones as doubles, and NULL as NaN', () => {
    expect([...numbers(table, 'utid')]).toEqual([7, Number.NaN, 9]);
    expect(numbers(table, 'plain')).toEqual(Int32Array.of(1, 2, 3));
    expect([...numbers(table, 'start_ns')]).toEqual([69_384_073_350, -5, Number.NaN]);
    expect([...numbers(table, 'share')]).toEqual([0.5, Number.NaN, 1]);
    expect([...numbers(table, 'needless')]).toEqual([1, Number.NaN, 0]);
  });

  it('keeps each text once', () => {
    expect(table.columns.name).toEqual({ codes: Int32Array.of(0, -1, 0), values: ['hog'] });
    expect(textAt(table, 'name', 1)).toBeNull();
    expect(cell(table, 'name', 2)).toBe('hog');
    expect(cell(table, 'utid', 1)).toBeNull();
  });

  it('keeps integers that doubles would round, where that is asked for', () => {
    const large = new ArrowTable({
      epoch_ns: vectorFromArray([1_795_277_971_113_362_641n, null], new Int64()),
      ts_ns: vectorFromArray([69_384_073_350n, null], new Int64()),
    });
    const bytes = tableToIPC(large, 'stream').slice().buffer as ArrayBuffer;
    const exact = decode(bytes, true);
    expect(exact.columns.epoch_ns).toEqual({ items: [1_795_277_971_113_362_641n, null] });
    expect([...numbers(exact, 'ts_ns')]).toEqual([69_384_073_350, Number.NaN]);
    expect([...numbers(decode(bytes), 'epoch_ns')]).toEqual([Number(1_795_277_971_113_362_641n), Number.NaN]);
  });

  it('hands over a buffer of its own per column', () => {
    expect(buffers(table).length).toBe(6);
  });

  it('says which column a table lacks', () => {
    expect(() => numbers(table, 'cpu')).toThrow('column cpu is missing');
  });
});
