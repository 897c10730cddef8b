import { screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, it } from 'vitest';
import { meaningOf } from '../logic/glossary';
import { show } from '../testing/show';
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

it('a term is found by its name or its meaning; empty: a word in neither finds none', async () => {
  show(<Help open onClose={() => {}} />, { trace: 'released', view: 'verdict' });
  const find = screen.getByRole('textbox', { name: 'Find a term' });
  await userEvent.type(find, 'severity');
  expect(screen.getByText(meaningOf('severity') as string)).toBeTruthy();
  expect(screen.queryByText(meaningOf('excuse ledger') as string)).toBeNull();
  await userEvent.type(find, 'xyzzy');
  expect(screen.getByRole('status').textContent).toBe('No term contains “severityxyzzy”.');
});
