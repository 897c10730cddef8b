import { screen, within } from '@testing-library/react';
import { expect, it } from 'vitest';
import type { Episode } from '../../api/types';
import { ARM, GONE_TRACE, keptJson, RELEASED, serveKept, serveNothing } from '../../testing/answers';
import { goTo, show } from '../../testing/show';
import { expectLoading, expectRefused } from '../../testing/states';
import TimelineView from '.';

const [worst] = keptJson<Episode[]>('traces/released/episodes?limit=1000') as [Episode, ...Episode[]];

it('filled: a lane per CPU under its node, the colours with their names, and the chosen episode below', async () => {
  serveKept();
  show(<TimelineView trace={RELEASED} />, { trace: 'released', view: 'timeline', episode: worst.episode_id });
  expect(await screen.findByRole('img', { name: /^What each CPU did over time/ })).toBeTruthy();
  for (let cpu = 0; cpu < 8; cpu++)
    expect(screen.getByTitle(`CPUs ${cpu}: statistics of what is in sight`)).toBeTruthy();
  expect(screen.getByRole('button', { name: /CPUs 0-3$/ }).getAttribute('aria-expanded')).toBe('true');
  const colours = screen.getByRole('list', { name: 'Colours of the lanes' });
  expect(within(colours).getByText('idle, wasted')).toBeTruthy();
  const details = screen.getByRole('region', { name: 'Details' });
  expect(await within(details).findByText(worst.sentence)).toBeTruthy();
  expect(screen.getByText(`episode ${worst.episode_id}`)).toBeTruthy();
  expect(screen.getByRole('button', { name: 'Next episode' })).toBeTruthy();
});

it('filled: colours by process name the processes that ran longest', async () => {
  serveKept();
  show(<TimelineView trace={RELEASED} />, { trace: 'released', view: 'timeline', scheme: 'process' });
  const colours = await screen.findByRole('list', { name: 'Colours of the lanes' });
  expect(within(colours).getByText('record')).toBeTruthy();
});

it('empty: a trace without episodes has lanes and no steps from episode to episode', async () => {
  serveKept();
  show(<TimelineView trace={ARM} />, { trace: 'arm', view: 'timeline' });
  expect(await screen.findByTitle('CPUs 4: statistics of what is in sight')).toBeTruthy();
  expect(screen.queryByRole('button', { name: 'Next episode' })).toBeNull();
  expect(
    within(screen.getByRole('region', { name: 'Details' })).getByText('next episode', { exact: false }),
  ).toBeTruthy();
  goTo({ trace: 'arm', view: 'timeline', episode: 3 });
  expect((await screen.findByRole('alert')).textContent).toBe('There is no episode 3 in this trace.');
});

it('loading: a place holder, then what is awaited', async () => {
  serveNothing();
  show(<TimelineView trace={RELEASED} />, { trace: 'released', view: 'timeline' });
  await expectLoading('Reading the machine and its threads');
});

it('refused: the line of the server', async () => {
  serveKept();
  show(<TimelineView trace={GONE_TRACE} />, { trace: 'gone', view: 'timeline' });
  await expectRefused();
});
