import { expect, it } from 'vitest';
import { MIGRATION_PATH, MIGRATION_PATH_WORDS } from '../../../../schemas/ts/schema';
import { PATHS, pathCode } from '../replay/moves';
import { PATH_COLOURS, pathOf, pathsOfColour, pathToken } from './paths';

it('every path of the schema is known as itself, core_sched and sched_ext among them', () => {
  expect(MIGRATION_PATH.map((path) => PATHS[pathCode(path)])).toEqual([...MIGRATION_PATH]);
  expect(MIGRATION_PATH).toContain('core_sched');
  expect(MIGRATION_PATH).toContain('sched_ext');
});

it('a path is compared, not guessed from words', () => {
  expect(Object.values(MIGRATION_PATH_WORDS).map(pathOf)).toEqual(MIGRATION_PATH.map(() => 'unknown'));
  expect(pathOf('periodic balance')).toBe('unknown');
});

it('no path means that the thread stays', () => {
  expect([null, ''].map(pathCode)).toEqual([0, 0]);
});

it('every path has a colour of the legend', () => {
  const tokens = Object.keys(PATH_COLOURS).map((colour) => `--path-${colour}`);
  for (const path of MIGRATION_PATH) expect(tokens).toContain(pathToken(path));
  expect(pathToken('periodic')).toBe('--path-balance');
  expect(pathsOfColour('other')).toContain('core_sched: moved by core scheduling');
});
