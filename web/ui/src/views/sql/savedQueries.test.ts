import { describe, expect, it } from 'vitest';
import { parseSaved, withNewName, withoutQuery, withQuery } from './savedQueries';

const A = { name: 'a', sql: 'SELECT 1' };
const B = { name: 'b', sql: 'SELECT 2' };

describe('the stored text', () => {
  it('is read as it was written, in the order of the names', () => {
    expect(parseSaved(JSON.stringify([B, A]))).toEqual([A, B]);
    expect(parseSaved(null)).toEqual([]);
  });
  it('that is damaged or of another kind has no queries', () => {
    for (const text of ['{', '7', 'null', '{"a": 1}', '[null, 3, {"name": ""}, {"name": "x"}, {"sql": "y"}]'])
      expect(parseSaved(text), text).toEqual([]);
  });
  it('has a name once', () => {
    expect(parseSaved(JSON.stringify([A, { ...A, sql: 'SELECT 3' }]))).toEqual([{ name: 'a', sql: 'SELECT 3' }]);
  });
});

describe('the list', () => {
  it('has one more, or a new text under the same name', () => {
    expect(withQuery([B], A)).toEqual([A, B]);
    expect(withQuery([A, B], { name: 'a', sql: 'SELECT 3' })).toEqual([{ name: 'a', sql: 'SELECT 3' }, B]);
  });
  it('has one less', () => expect(withoutQuery([A, B], 'a')).toEqual([B]));
  it('has a query under another name, unless that is taken', () => {
    expect(withNewName([A, B], 'a', 'c')).toEqual([B, { name: 'c', sql: 'SELECT 1' }]);
    expect(withNewName([A, B], 'a', 'a')).toEqual([A, B]);
    expect(withNewName([A, B], 'a', 'b')).toBeNull();
  });
});
