import { screen, within } from '@testing-library/react';
import { expect, it } from 'vitest';
import type { EpisodePage } from '../../api/types';
import { coreSeconds, duration } from '../../logic/units';
import { answerWords } from '../../logic/words';
import { ARM, GONE_TRACE, keptJson, RELEASED, serveKept, serveNothing } from '../../testing/answers';
import { show } from '../../testing/show';
import { expectLoading, expectRefused } from '../../testing/states';
import EpisodesView from '.';

const page = keptJson<EpisodePage>('traces/released/episodes/1');

it('filled: the list, and of the chosen one what idled, why with its proof, the domains and the pairs', async () => {
  serveKept();
  show(<EpisodesView trace={RELEASED} />, { trace: 'released', view: 'episodes', episode: 1 });
  const list = await screen.findByRole('navigation', { name: 'Episodes' });
  expect(within(list).getAllByRole('link', { current: 'page' }).length).toBe(1);
  expect(await screen.findByRole('heading', { level: 1, name: page.episode.sentence })).toBeTruthy();
  expect(screen.getByText(coreSeconds(page.episode.total_core_ns / 1e9), { selector: 'dd' })).toBeTruthy();
  expect(screen.getByText(duration(page.episode.dur_ns), { selector: 'dd' })).toBeTruthy();

  const why = screen.getByRole('region', { name: 'Why' });
  for (const key of ['placed_by', 'not_moved_because', 'ended_by'] as const) {
    const answer = within(why).getByText(answerWords(key, page.diagnosis[key]), { selector: 'p' });
    expect(answer.textContent).toContain(page.diagnosis[`${key}_proof`]);
  }
  expect(within(why).getAllByRole('row').length).toBeGreaterThan(1);
  expect(page.diagnosis.repairs.length).toBeGreaterThan(0);
  for (const { text, source } of page.diagnosis.repairs) {
    expect(within(why).getAllByText(text, { exact: false, selector: 'dd' }).length).toBeGreaterThan(0);
    expect(within(why).getAllByText(source).length).toBeGreaterThan(0);
  }
  const pairs = screen.getByRole('region', { name: 'Which thread waited for which idle CPU' });
  expect(within(pairs).getAllByRole('row').length).toBeGreaterThan(1);
  expect(await screen.findByRole('img', { name: /^Idle: CPU/ })).toBeTruthy();
});

it('empty: no episode is listed, and the verdict has the shorter ones', async () => {
  serveKept();
  show(<EpisodesView trace={ARM} />, { trace: 'arm', view: 'episodes' });
  expect(await screen.findByText('No episode is listed')).toBeTruthy();
  expect(screen.getByText(/^Nothing was wasted for longer than a tick/)).toBeTruthy();
});

it('empty: an episode that the trace does not have', async () => {
  serveKept();
  show(<EpisodesView trace={RELEASED} />, { trace: 'released', view: 'episodes', episode: 99 });
  expect(await screen.findByText('There is no episode 99 in this trace')).toBeTruthy();
});

it('loading: a place holder, then what is awaited', async () => {
  serveNothing();
  show(<EpisodesView trace={RELEASED} />, { trace: 'released', view: 'episodes' });
  await expectLoading('Reading the episodes');
});

it('refused: the line of the server', async () => {
  serveKept();
  show(<EpisodesView trace={GONE_TRACE} />, { trace: 'gone', view: 'episodes' });
  await expectRefused();
});
