import { screen } from '@testing-library/react';
import { expect, it } from 'vitest';
import type { Comparison } from '../../api/types';
import { ARM, GONE_TRACE, keptJson, RELEASED, serveKept, serveNothing } from '../../testing/answers';
import { show } from '../../testing/show';
import { expectLoading, expectRefused } from '../../testing/states';
import CompareView from '.';

const data = keptJson<Comparison>('compare?a=released&b=arm');

it('filled: both sentences, every measure with its difference, and the waste by grade and by cause', async () => {
  serveKept();
  show(<CompareView trace={RELEASED} />, { trace: 'released', view: 'compare' });
  expect(await screen.findByText(data.sentence_a)).toBeTruthy();
  expect(screen.getByText(data.sentence_b)).toBeTruthy();
  for (const measure of data.measures) expect(screen.getByRole('rowheader', { name: measure.name })).toBeTruthy();
  for (const remark of data.remarks) expect(screen.getByText(remark)).toBeTruthy();
  expect(screen.getByRole('heading', { name: 'Waste by cause' })).toBeTruthy();
  expect((await screen.findAllByRole('img', { name: /^Wasted cores over time/ })).length).toBeGreaterThan(1);
});

it('empty: without a second trace it says where to open one', async () => {
  serveKept({ traces: [RELEASED] });
  show(<CompareView trace={RELEASED} />, { trace: 'released', view: 'compare' });
  expect(await screen.findByText('There is no second trace to compare with')).toBeTruthy();
  expect(screen.getByRole('link', { name: 'list of traces' }).getAttribute('href')).toBe('#/');
});

it('loading: first the list of traces, then the comparison is awaited', async () => {
  serveNothing();
  const { unmount } = show(<CompareView trace={RELEASED} />, { trace: 'released', view: 'compare' });
  await expectLoading('Reading the list of traces');
  unmount();
  serveKept({ 'compare?a=released&b=arm': new Promise(() => {}) });
  show(<CompareView trace={RELEASED} />, { trace: 'released', view: 'compare' });
  expect(await screen.findByText('Comparing', undefined, { timeout: 3000 })).toBeTruthy();
});

it('refused: the line of the server', async () => {
  serveKept({ traces: [GONE_TRACE, ARM] });
  show(<CompareView trace={GONE_TRACE} />, { trace: 'gone', view: 'compare' });
  await expectRefused();
});
