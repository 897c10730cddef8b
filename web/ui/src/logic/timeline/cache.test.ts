import { expect, it } from 'vitest';
import { Cache } from './cache';

const later = () => new Promise((resolve) => setTimeout(resolve, 0));

it('what could not be loaded says why, until a retry brings it', async () => {
  let answers = false;
  let drawn = 0;
  const gone = new Error('gone');
  const cache = new Cache(
    (key) => (answers ? Promise.resolve(key) : Promise.reject(gone)),
    () => drawn++,
  );
  cache.want(['a']);
  expect(cache.error).toBeNull(); // still loading
  await later();
  expect([drawn, cache.hasFailed('a'), cache.error]).toEqual([1, true, gone]);

  cache.want(['b']);
  expect(cache.error).toBeNull(); // the present frame does not show what failed
  cache.want(['a']);
  answers = true;
  cache.retry();
  cache.want(['a']);
  await later();
  expect([cache.get('a'), cache.hasFailed('a'), cache.error]).toEqual(['a', false, null]);
});
