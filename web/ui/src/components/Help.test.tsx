import { screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, it } from 'vitest';
import { meaningOf } from '../logic/glossary';
import { KEY_GROUPS, VIEW_KEYS } from '../logic/keys';
import { VIEWS } from '../logic/place';
import { RELEASED, serveKept } from '../testing/answers';
import { show } from '../testing/show';
import { VIEW_PARTS } from '../views/registry';
import { Header } from './Header';
import { Help } from './Help';

it('filled: the keys, the guide of a trace, and the glossary with what each term means', () => {
  show(<Help open onClose={() => {}} />, { trace: 'released', view: 'verdict' });
  expect(screen.getByRole('dialog', { name: 'Keyboard and glossary' })).toBeTruthy();
  expect(screen.getByText('Copy the link to what you see')).toBeTruthy();
  expect(screen.getByRole('button', { name: 'Show the guide' })).toBeTruthy();
  expect(screen.getByRole('link', { name: 'Documentation' }).getAttribute('href')).toBe('docs/');
  expect(screen.getByText(meaningOf('excuse ledger') as string)).toBeTruthy();
});

it('filled: in a report it has the glossary alone', () => {
  show(<Help open onClose={() => {}} glossaryOnly />, { trace: 'released', view: 'verdict' });
  expect(screen.getByText(meaningOf('wasted') as string)).toBeTruthy();
  expect(screen.queryByText('Copy the link to what you see')).toBeNull();
  expect(screen.queryByRole('button', { name: 'Show the guide' })).toBeNull();
  expect(screen.queryByRole('link', { name: 'Documentation' })).toBeNull();
});

it('each view has a key of its own, which the help lists and no view binds to anything else', () => {
  const everywhere = KEY_GROUPS.find((group) => group.title === 'Everywhere')?.rows ?? [];
  const listed = new Map<string, string>();
  for (const { keys, does } of everywhere) {
    const titles = does.split(', ');
    if (keys[1] === '…') titles.forEach((title, index) => void listed.set(title, String(Number(keys[0]) + index)));
    else if (keys.length === 1) listed.set(does, keys[0] as string);
  }
  for (const view of VIEWS) expect(listed.get(VIEW_PARTS[view].title)).toBe(VIEW_KEYS[view]);
  const taken = KEY_GROUPS.flatMap((group) =>
    group.title === 'Everywhere' ? [] : group.rows.flatMap((row) => row.keys),
  );
  expect(Object.values(VIEW_KEYS).filter((key) => taken.includes(key))).toEqual([]);
  expect(new Set(Object.values(VIEW_KEYS)).size).toBe(VIEWS.length);
});

it('the keys lead to the views', async () => {
  serveKept();
  show(<Header traces={[RELEASED]} trace={RELEASED} />, { trace: 'released', view: 'verdict' });
  for (const view of VIEWS) {
    await userEvent.keyboard(VIEW_KEYS[view]);
    expect(location.hash).toMatch(new RegExp(`^#/released/${view}`));
  }
});

it('a term is found by its name or its meaning; empty: a word in neither finds none', async () => {
  show(<Help open onClose={() => {}} />, { trace: 'released', view: 'verdict' });
  const find = screen.getByRole('textbox', { name: 'Find a term' });
  await userEvent.type(find, 'severity');
  expect(screen.getByText(meaningOf('severity') as string)).toBeTruthy();
  expect(screen.queryByText(meaningOf('excuse ledger') as string)).toBeNull();
  await userEvent.type(find, 'xyzzy');
  expect(screen.getByRole('status').textContent).toBe('No term contains “severityxyzzy”.');
});
