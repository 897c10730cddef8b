import { screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, it, vi } from 'vitest';
import type { SearchHit } from '../api/types';
import { placeNow } from '../navigation';
import { GONE_TRACE, keptJson, keptRefusal, RELEASED, serveKept, serveNothing } from '../testing/answers';
import { show } from '../testing/show';
import { Search } from './Search';

async function searchFor(text: string, trace = RELEASED) {
  const onClose = vi.fn();
  show(<Search trace={trace} onClose={onClose} />, { trace: trace.id, view: 'verdict' });
  await userEvent.type(screen.getByRole('combobox', { name: 'Search for' }), text);
  return onClose;
}

it('filled: hits by name, and Enter goes to the first', async () => {
  serveKept();
  const onClose = await searchFor('released-12');
  const [first] = keptJson<SearchHit[]>('traces/released/search?q=released-12') as [SearchHit, ...SearchHit[]];
  expect((await screen.findAllByRole('option'))[0]?.textContent).toContain(first.label);
  expect(screen.getByRole('status').textContent).toContain('Enter to go there');
  await userEvent.keyboard('{Enter}');
  expect(onClose).toHaveBeenCalled();
  expect(placeNow().view).toBe('timeline');
});

it('filled: Shift Enter pins the lane of the hit, beside those that are pinned', async () => {
  serveKept();
  const [first] = keptJson<SearchHit[]>('traces/released/search?q=released-12') as [SearchHit, ...SearchHit[]];
  show(<Search trace={RELEASED} onClose={() => {}} />, { trace: 'released', view: 'verdict', pins: ['p3'] });
  await userEvent.type(screen.getByRole('combobox', { name: 'Search for' }), 'released-12');
  await screen.findAllByRole('option');
  await userEvent.keyboard('{Shift>}{Enter}{/Shift}');
  expect(placeNow()).toMatchObject({ view: 'timeline', pins: ['p3', `t${first.id}`], utid: null });
});

it('filled: a time since the start leads there, to what the followed thread did', async () => {
  serveKept();
  show(<Search trace={RELEASED} onClose={() => {}} />, { trace: 'released', view: 'verdict', utid: 7, pins: ['p3'] });
  const field = screen.getByRole('combobox', { name: 'Search for' });
  await userEvent.type(field, '+1.5 s');
  expect((await screen.findByRole('option')).textContent).toContain('what the followed thread did then');
  await userEvent.keyboard('{Enter}');
  const at = RELEASED.start_ns + 1_500_000_000;
  expect(placeNow()).toMatchObject({ view: 'timeline', pins: ['p3', 't7'], params: { slice: `t7@${at}` } });
  expect(placeNow().window).toEqual({ start: at - 10_000_000, end: at + 10_000_000 });
  await userEvent.clear(field);
  await userEvent.type(field, '+9000 s');
  expect(screen.getByRole('status').textContent).toMatch(/^The trace ends at/);
});

it('empty: before a word is typed it says what can be searched for; without a hit it says so', async () => {
  serveKept();
  show(<Search trace={RELEASED} onClose={() => {}} />, { trace: 'released', view: 'verdict' });
  expect(screen.getByRole('status').textContent).toContain('Names, thread ids');
  await userEvent.type(screen.getByRole('combobox', { name: 'Search for' }), 'xyzzy');
  expect(await screen.findByText('Nothing is called “xyzzy”')).toBeTruthy();
});

it('loading: it says that the search is running', async () => {
  serveNothing();
  await searchFor('hog');
  expect(await screen.findByText('Searching …')).toBeTruthy();
});

it('refused: the line of the server', async () => {
  serveKept();
  await searchFor('hog', GONE_TRACE);
  expect(await screen.findByText(keptRefusal('traces/gone/verdict'))).toBeTruthy();
});
