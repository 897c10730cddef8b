import { expect, it } from 'vitest';
import { bracketWords, fitLabel } from './fit';

it('a name has its number where both fit; a number is never cut, since it would be another thread’s', () => {
  expect(fitLabel('python 10817', 'python', 80)).toBe('python 10817');
  expect(fitLabel('python 10817', 'python', 70)).toBe('python');
  expect(fitLabel('python 10817', 'python', 30)).toBe('pyt…');
  expect(fitLabel('utid 7', undefined, 40)).toBe('utid 7');
});

it('a name that is cut keeps the number at its end, which tells threads of a pool apart', () => {
  expect(fitLabel('busy-11 965', 'busy-11', 38)).toBe('bus…11');
  expect(fitLabel('kworker/24:1 468', 'kworker/24:1', 50)).toBe('kworke…1');
  expect(fitLabel('busy-11 965', 'busy-11', 26)).toBe('bus…');
  expect(fitLabel('busy-11 965', 'busy-11', 20)).toBe('');
});

it('the bracket of a low node has its number, and none that would be cut', () => {
  expect(bracketWords('node 12', 60)).toBe('node 12');
  expect(bracketWords('node 12', 36)).toBe('N12');
  expect(bracketWords('LLC 8', 30)).toBe('L8');
  expect(bracketWords('node 12', 20)).toBe('');
});
