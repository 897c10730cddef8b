import { expect, it } from 'vitest';
import { fitLabel } from './fit';

it('a name has its number where both fit; a number is never cut, since it would be another thread’s', () => {
  expect(fitLabel('python 10817', 'python', 80)).toBe('python 10817');
  expect(fitLabel('python 10817', 'python', 70)).toBe('python');
  expect(fitLabel('python 10817', 'python', 30)).toBe('pyt…');
  expect(fitLabel('utid 7', undefined, 40)).toBe('utid 7');
});
