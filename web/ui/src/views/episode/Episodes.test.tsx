import { screen, within } from '@testing-library/react';
import { expect, it } from 'vitest';
import type { EpisodePage } from '../../api/types';
import { coreSeconds, duration, percent } from '../../logic/units';
import { answerWords, questionWords } from '../../logic/words';
import { ARM, GONE_TRACE, keptJson, RELEASED, serveKept, serveNothing } from '../../testing/answers';
import { show } from '../../testing/show';
import { expectLoading, expectRefused } from '../../testing/states';
import EpisodesView from '.';
import { chosen } from './WindowLanes';

const page = keptJson<EpisodePage>('traces/released/episodes/1');

it('filled: the list, and of the chosen one what idled, why with its proof, the domains and the pairs', async () => {
  serveKept();
  show(<EpisodesView trace={RELEASED} />, { trace: 'released', view: 'episodes', episode: 1 });
  const list = await screen.findByRole('navigation', { name: 'Episodes' });
  expect(within(list).getAllByRole('link', { current: 'page' }).length).toBe(1);
  expect((await screen.findByRole('heading', { level: 1 })).textContent).toBe(page.episode.sentence);
  expect(screen.getByText(coreSeconds(page.episode.total_core_ns / 1e9), { selector: 'dd' })).toBeTruthy();
  expect(screen.getByText(duration(page.episode.dur_ns), { selector: 'dd' })).toBeTruthy();

  const why = screen.getByRole('region', { name: 'Why' });
  for (const key of ['placed_by', 'not_moved_because', 'ended_by'] as const) {
    const answer = within(why).getByText(answerWords(key, page.diagnosis[key]), { selector: 'p' });
    expect(answer.textContent).toContain(page.diagnosis[`${key}_proof`]);
  }
  expect(within(why).getAllByRole('row').length).toBeGreaterThan(1);
  const d = page.diagnosis;
  const others = d.answers.filter(({ question, answer, chosen }) => !(chosen && answer === d[question]));
  expect(others.length).toBeGreaterThan(0);
  for (const { question, answer, proof, share, chosen } of others) {
    const words = answer === 'unknown' ? 'not known' : `${answerWords(question, answer)} (${proof})`;
    const shown = answer === 'unknown' ? 'for' : chosen ? 'is the answer for' : 'fits';
    const rows = within(why).getAllByText((_, element) => {
      const text = element?.tagName === 'LI' ? (element.textContent ?? '') : '';
      return text.startsWith(`${questionWords(question)} ${words}`) && text.includes(`${shown} ${percent(share)}`);
    });
    expect(rows.length).toBeGreaterThan(0);
  }
  expect(within(why).getByRole('heading', { name: 'Which evidence would show it' })).toBeTruthy();
  const open = d.answers.filter((a) => a.proof === 'consistent' && a.chosen && a.answer === d[a.question]);
  const doubtful = open.find((a) => d[`${a.question}_proof`] === 'consistent');
  expect(within(why).getByText(doubtful?.refuted_by as string, { exact: false })).toBeTruthy();
  for (const { question, rule } of page.diagnosis.repairs)
    expect(
      within(why)
        .getAllByRole('link', { name: rule })
        .map((link) => link.getAttribute('href')),
    ).toContain(`docs/causes/${question}/${rule}.html`);
  expect(page.diagnosis.repairs.length).toBeGreaterThan(0);
  for (const { text, source } of page.diagnosis.repairs) {
    expect([...why.querySelectorAll('dd')].some((dd) => dd.textContent?.startsWith(text.replaceAll('`', '')))).toBe(
      true,
    );
    expect(within(why).getAllByText(source).length).toBeGreaterThan(0);
  }
  const pairs = screen.getByRole('region', { name: 'Which thread waited for which idle CPU' });
  expect(within(pairs).getAllByRole('row').length).toBeGreaterThan(1);
  expect(await screen.findByRole('img', { name: /^Idle: CPU/ })).toBeTruthy();
});

it('filled: the heading counts CPUs, and beneath it they are listed', async () => {
  const episode = { ...page.episode, idle_cpus: [1, 4, 5, 7, 8, 9], overloaded_cpus: [3] };
  serveKept({ 'traces/released/episodes/1': { ...page, episode } });
  show(<EpisodesView trace={RELEASED} />, { trace: 'released', view: 'episodes', episode: 1 });
  for (const [name, list] of [
    ['idle', 'CPUs 1,4-5,7-9 (6)'],
    ['overloaded', 'CPU 3'],
  ]) {
    expect((await screen.findByText(name as string, { selector: 'dt' })).nextElementSibling?.textContent).toBe(list);
  }
});

it('filled: of an unknown answer it says which evidence would show it, and of no advice why there is none', async () => {
  const unknown = {
    ...page,
    diagnosis: {
      ...page.diagnosis,
      not_moved_because: 'unknown',
      not_moved_because_proof: 'unknown',
      answers: page.diagnosis.answers.filter(({ question }) => question !== 'not_moved_because'),
      repairs: [],
      needed: 'Why nothing moved it earlier is not known: kicks of idle CPUs would show it. Run `wastenot doctor`.',
    },
  };
  serveKept({ 'traces/released/episodes/1': unknown });
  show(<EpisodesView trace={RELEASED} />, { trace: 'released', view: 'episodes', episode: 1 });
  const why = await screen.findByRole('region', { name: 'Why' });
  expect(within(why).getByText(/^Why nothing moved it earlier is not known/)).toBeTruthy();
  expect(within(why).getByText('wastenot doctor', { selector: 'code' })).toBeTruthy();
  expect(within(why).getByText(/have no advice for this kernel/)).toBeTruthy();
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

it('of many CPUs those with most of the waste: overloaded ones, and idle ones that were not overloaded too', () => {
  const to = (n: number, from = 0) => Array.from({ length: n - from }, (_, at) => from + at);
  const pairs = to(64, 8).map((idle_cpu) => ({ idle_cpu, waited_on: idle_cpu % 8, core_ns: idle_cpu }));
  const episode = { overloaded_cpus: to(8), idle_cpus: [1, 4, 5, ...to(64, 7)] };
  expect(chosen({ episode, pairs })).toEqual([...to(8), ...to(64, 52)]);
  expect(chosen({ episode: { overloaded_cpus: to(2), idle_cpus: [7, 3] }, pairs: [] })).toEqual([0, 1, 3, 7]);
});
