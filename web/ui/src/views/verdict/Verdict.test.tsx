import { screen, within } from '@testing-library/react';
import { expect, it } from 'vitest';
import { EXCUSE_WORDS } from '../../../../../schemas/ts/schema';
import type { Episode, Verdict } from '../../api/types';
import { coreSeconds, percent } from '../../logic/units';
import { ARM, GONE_TRACE, keptJson, RELEASED, serveBeingMade, serveKept, serveNothing } from '../../testing/answers';
import { show } from '../../testing/show';
import { expectLoading, expectRefused } from '../../testing/states';
import VerdictView from '.';

const verdict = keptJson<Verdict>('traces/released/verdict');

it('filled: how much was wasted, why, what was excused, and the data quality', async () => {
  serveKept();
  show(<VerdictView trace={RELEASED} />, { trace: 'released', view: 'verdict' });
  const heading = await screen.findByRole('heading', { level: 1 });
  expect(verdict.sentence.startsWith(heading.textContent ?? '?')).toBe(true);
  const { excused, not_recorded } = verdict.text;
  expect(screen.getByText((_, part) => part?.tagName === 'P' && part.textContent === excused)).toBeTruthy();
  const lacks = screen.getByRole('complementary', { name: 'What was not recorded' });
  const lines = within(lacks).getAllByRole('listitem');
  expect(lines.map((line) => line.textContent)).toEqual([
    not_recorded,
    'Causes that rest on what was not recorded are not known.',
  ]);
  expect(screen.getByText(`(${verdict.text.grade_bounds.in_flight})`, { exact: false })).toBeTruthy();
  expect(screen.getByRole('link', { name: /^Wasted/ }).textContent).toContain(coreSeconds(verdict.wasted.core_s));
  expect(screen.getByRole('link', { name: /^Wasted/ }).textContent).toContain(percent(verdict.wasted.share));
  expect(await screen.findByRole('img', { name: /^Wasted cores over 4.26 s/ })).toBeTruthy();

  const worst = keptJson<Episode[]>('traces/released/episodes?limit=1000')[0];
  const causes = await screen.findByRole('heading', { name: 'Worst episodes, by cause' });
  const panel = causes.parentElement as HTMLElement;
  expect(within(panel).getAllByText(`episode ${worst?.episode_id}`).length).toBe(1);
  expect(within(panel).getAllByRole('link', { name: /^Why: episode/ }).length).toBeGreaterThan(1);

  for (const [excuse, core_s] of Object.entries(verdict.wasted.excused_core_s)) {
    const row = screen.getByRole('row', { name: new RegExp(EXCUSE_WORDS[excuse as keyof typeof EXCUSE_WORDS]) });
    if (core_s > 0) expect(row.textContent).toContain(coreSeconds(core_s));
  }
  expect(screen.getByText('Self-checks passed')).toBeTruthy();
  for (const note of verdict.notes) expect(screen.getAllByText(note, { exact: false }).length).toBeGreaterThan(0);
});

it('filled: how bad it is, in a word, and the main reason with its share, each answer with its proof', async () => {
  serveKept();
  show(<VerdictView trace={RELEASED} />, { trace: 'released', view: 'verdict' });
  const reason = verdict.main_reason as NonNullable<Verdict['main_reason']>;
  const name = `Main reason: ${percent(reason.share)} of the waste, ${coreSeconds(reason.core_s)}`;
  const why = await screen.findByRole('region', { name });
  const answers = within(why).getAllByRole('listitem');
  expect(answers.length).toBe(reason.answers.length);
  for (const [index, { clause, proof, share, proved, others }] of reason.answers.entries()) {
    const text = answers[index]?.textContent?.toLowerCase() ?? '';
    expect(text).toContain(`${clause} (${proof})`.toLowerCase());
    for (const part of [share, proved, ...others.map((other) => other.share)])
      if (part !== null) expect(text).toContain(percent(part));
  }
  expect(reason.answers.some(({ proved }) => proved !== null)).toBe(true);
  expect(within(why).getByText(verdict.text.prevented)).toBeTruthy();
  expect(within(why).getByRole('link').getAttribute('href')).toContain(`e=${reason.episode}`);

  const bad = screen.getByText(/^Severity:/);
  expect(
    within(bad)
      .getByText(verdict.severity as string)
      .getAttribute('data-level'),
  ).toBe(verdict.severity);
  expect(bad.textContent).toContain(verdict.text.grade_bounds[verdict.severity as string]);
});

it('a trace of a parallel program alone: the sentence and the data quality, and no figures of waste', async () => {
  const trace = { ...verdict.trace, source: 'paraver' };
  serveKept({ 'traces/released/verdict': { ...verdict, trace } });
  show(<VerdictView trace={RELEASED} />, { trace: 'released', view: 'verdict' });
  await screen.findByRole('heading', { level: 1 });
  expect(screen.queryByRole('link', { name: /^Wasted/ })).toBeNull();
  expect(screen.queryByRole('heading', { name: 'Worst episodes, by cause' })).toBeNull();
  for (const note of verdict.notes) expect(screen.getAllByText(note, { exact: false }).length).toBeGreaterThan(0);
});

it('has the release of the kernel in the line about the recording alone', async () => {
  serveKept();
  show(<VerdictView trace={RELEASED} />, { trace: 'released', view: 'verdict' });
  await screen.findByRole('heading', { level: 1 });
  expect(document.body.textContent).not.toContain(verdict.trace.kernel as string);
});

it('empty: without an episode it says so, and that what there was is in flight', async () => {
  serveKept();
  show(<VerdictView trace={ARM} />, { trace: 'arm', view: 'verdict' });
  expect(await screen.findByText('No episode lasted')).toBeTruthy();
  expect(screen.getByText(/^All waste was in flight/)).toBeTruthy();
  expect(screen.queryByText('Worst episodes, by cause')).toBeNull();
  expect(screen.getByText(/of the self-checks failed/)).toBeTruthy();
  expect(screen.queryByText(/^Severity:/)).toBeNull();
  expect(screen.queryByRole('region', { name: /^Main reason/ })).toBeNull();
});

it('loading: while the tables for the curve are made it shows how far they are, the rest, and then the curve', async () => {
  serveBeingMade('traces/released/curve?bins=800', 8);
  show(<VerdictView trace={RELEASED} />, { trace: 'released', view: 'verdict' });
  expect(await screen.findByText(/events read, 80 s left/, {}, { timeout: 8000 })).toBeTruthy();
  expect(screen.getByRole('progressbar', { name: 'Events' }).getAttribute('value')).toBe('0.12');
  expect(await screen.findByRole('heading', { name: 'Worst episodes, by cause' })).toBeTruthy();
  expect(await screen.findByRole('img', { name: /^Wasted cores over/ }, { timeout: 10_000 })).toBeTruthy();
  expect(screen.queryByRole('progressbar', { name: 'Events' })).toBeNull();
});

it('loading: a place holder, then what is awaited', async () => {
  serveNothing();
  show(<VerdictView trace={RELEASED} />, { trace: 'released', view: 'verdict' });
  await expectLoading('Adding up the waste');
});

it('refused: the line of the server', async () => {
  serveKept();
  show(<VerdictView trace={GONE_TRACE} />, { trace: 'gone', view: 'verdict' });
  await expectRefused();
});
