import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, it, vi } from 'vitest';
import type { Comparison, RunComparison, Verdict } from '../../api/types';
import { download } from '../../download';
import { ARM, GONE_TRACE, keptJson, RELEASED, serveKept, serveNoServer, serveNothing } from '../../testing/answers';
import { show } from '../../testing/show';
import { expectLoading, expectRefused } from '../../testing/states';
import CompareView, { ratio } from '.';
import { addressOf, baselinesOf, sidesOf, withBaseline, withTraces } from './sides';

vi.mock('../../download', () => ({ download: vi.fn() }));

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

it('filled: each side says what its verdict was made without; repeated runs say it once for those that lack the same', async () => {
  serveKept();
  const { unmount } = show(<CompareView trace={RELEASED} />, { trace: 'released', view: 'compare' });
  const arm = keptJson<Verdict>('traces/arm/verdict');
  expect(arm.text.not_recorded).not.toBe('');
  expect((await screen.findByText(arm.text.not_recorded)).closest('section')?.dataset.side).toBe('b');
  expect(screen.getByText(/^Waste counts where an excuse that was not recorded/)).toBeTruthy();
  unmount();
  serveKept({ 'traces/released/verdict': arm });
  show(<CompareView trace={RELEASED} />, {
    trace: 'released',
    view: 'compare',
    params: { runs: '1', base: 'released', new: 'arm' },
  });
  const lacks = await screen.findByRole('complementary', { name: 'What was not recorded' });
  expect(within(lacks).getAllByRole('listitem').length).toBe(1);
  expect(lacks.textContent).toMatch(/^All runs: /);
});

it('ratios that no figure says better', () => {
  expect(ratio(2, 1)).toBe('× 0.5');
  expect(ratio(1, 0.0009)).toBe('almost none');
  expect(ratio(0.0009, 1)).toBe('over × 1,000');
  expect(ratio(3, 0)).toBe('none');
  expect([ratio(0, 3), ratio(3, 3), ratio(null, 3)]).toEqual(['', '', '']);
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

it('repeated runs: traces are put on the sides, then the sentence and every metric with its difference', async () => {
  serveKept();
  const runs = keptJson<RunComparison>('compare/runs?base=released&new=arm');
  show(<CompareView trace={RELEASED} />, { trace: 'released', view: 'compare' });
  await userEvent.click(await screen.findByRole('tab', { name: 'Repeated runs' }));
  expect(screen.getByText(/^Choose the runs of both sides/)).toBeTruthy();
  await userEvent.click(screen.getByRole('radio', { name: /^released.*: base$/ }));
  await userEvent.click(screen.getByRole('radio', { name: /^(trace-cmd-)?arm.*: new$/ }));
  expect(await screen.findByText(runs.sentence)).toBeTruthy();
  for (const reason of runs.reasons_against) expect(screen.getByText(reason)).toBeTruthy();
  const table = screen.getByRole('table', { name: 'Differences' });
  const listed = within(table).getAllByRole('row').length;
  await userEvent.click(screen.getByRole('button', { name: /more$/ }));
  expect(within(table).getAllByRole('row').length).toBe(runs.metrics.length + 2);
  expect(listed).toBeLessThan(runs.metrics.length + 2);
});

it('repeated runs: traces found by a part of their names are put on a side at once', async () => {
  const names = ['before-1', 'before-2', 'before-3', 'after-1', 'after-2'];
  const traces = names.map((name) => ({ ...RELEASED, id: name, name }));
  const runs = keptJson<RunComparison>('compare/runs?base=released&new=arm');
  const [base, fresh] = [names.slice(0, 3), names.slice(3)];
  const address = `compare/runs?${[...base.map((id) => `base=${id}`), ...fresh.map((id) => `new=${id}`)].join('&')}`;
  const verdict = keptJson('traces/released/verdict');
  const verdicts = Object.fromEntries(names.map((name) => [`traces/${name}/verdict`, verdict]));
  serveKept({ traces, ...verdicts, [address]: { ...runs, sentence: 'Three against two.' } });
  const place = { trace: 'before-1', view: 'compare', params: { runs: '1' } } as const;
  show(<CompareView trace={traces[0] as typeof RELEASED} />, place);
  const part = await screen.findByRole('searchbox', { name: 'Traces with this in their names' });
  await userEvent.type(part, 'Before');
  expect(screen.getByText('3 of 5 traces')).toBeTruthy();
  await userEvent.click(screen.getByRole('button', { name: 'All shown: base' }));
  await userEvent.clear(part);
  await userEvent.type(part, 'after');
  await userEvent.click(screen.getByRole('button', { name: 'All shown: new' }));
  expect(await screen.findByText('Three against two.')).toBeTruthy();
  await userEvent.type(part, 'nothing');
  expect((screen.getByRole('button', { name: 'All shown: neither' }) as HTMLButtonElement).disabled).toBe(true);
});

it('repeated runs: a baseline of the folder is put on the base, one that cannot be read says why', async () => {
  const runs = keptJson<RunComparison>('compare/runs?base=released&new=arm');
  const sound = { name: 'before, 6.1.json', runs: 10, kernels: ['6.1.0', '6.1.1'], error: null };
  const cut = { name: 'cut.json', runs: 0, kernels: [], error: 'cut.json: not a baseline (no JSON)' };
  serveKept({
    'compare/baselines': [sound, cut],
    'compare/runs?baseline=before, 6.1.json&new=arm': { ...runs, sentence: 'Against the baseline.' },
  });
  show(<CompareView trace={RELEASED} />, { trace: 'released', view: 'compare', params: { runs: '1', new: 'arm' } });
  const row = (await screen.findByRole('rowheader', { name: /^before.*10 runs$/ })).closest('tr') as HTMLElement;
  expect(row.textContent).toContain('6.1.0, 6.1.1');
  expect(screen.getByText(cut.error).closest('tr')?.querySelector('input')).toBeNull();
  expect(screen.queryByRole('radio', { name: 'before, 6.1.json: new' })).toBeNull();
  await userEvent.click(screen.getByRole('radio', { name: 'before, 6.1.json: base' }));
  expect(await screen.findByText('Against the baseline.')).toBeTruthy();
  expect(screen.queryByRole('button', { name: /^Save the base/ })).toBeNull();
  await userEvent.click(screen.getByRole('radio', { name: 'before, 6.1.json: neither' }));
  expect(await screen.findByText(/^Choose the runs of both sides/)).toBeTruthy();
});

it('repeated runs: the base is saved as a baseline, or the line of the server says why not', async () => {
  const kept = { kind: 'wastenot baseline' };
  serveKept({ 'compare/baseline?run=released': kept });
  const params = { runs: '1', base: 'released' };
  show(<CompareView trace={RELEASED} />, { trace: 'released', view: 'compare', params });
  const save = await screen.findByRole('button', { name: 'Save the base as a baseline' });
  await userEvent.click(save);
  await waitFor(() => expect(vi.mocked(download)).toHaveBeenCalledWith('base.json', expect.any(Blob)));
  serveNoServer();
  await userEvent.click(save);
  expect((await screen.findByRole('alert')).textContent).toContain('does not answer');
});

it('repeated runs: a metric that changed is set off, with its interval and its p value', async () => {
  const runs = keptJson<RunComparison>('compare/runs?base=released&new=arm');
  const primary = {
    ...runs.primary,
    interval: [-0.02, -0.01],
    p: 0.001,
    p_adjusted: 0.001,
    changed: true,
    difference: -0.015,
  };
  serveKept({ 'compare/runs?base=released&new=arm': { ...runs, primary } });
  show(<CompareView trace={RELEASED} />, {
    trace: 'released',
    view: 'compare',
    params: { runs: '1', base: 'released', new: 'arm' },
  });
  const row = (await screen.findByRole('rowheader', { name: 'wasted' })).closest('tr') as HTMLElement;
  expect(row.dataset.changed).toBe('less');
  expect(row.textContent).toContain('−1.50 points');
  expect(row.textContent).toContain('0.001');
  expect(within(row).getByRole('img', { name: '95 % interval −2.00 points to −1.00 points' })).toBeTruthy();
});

it('repeated runs: what so few runs can show, and the test that was used, are those of the answer', async () => {
  const runs = keptJson<RunComparison>('compare/runs?base=released&new=arm');
  const others = 'None of 63 other metrics is shown to have changed.';
  const method = { ...runs.method, test: 'Wilcoxon-Mann-Whitney, normal approximation, two-sided' };
  serveKept({ 'compare/runs?base=released&new=arm': { ...runs, others, method } });
  show(<CompareView trace={RELEASED} />, {
    trace: 'released',
    view: 'compare',
    params: { runs: '1', base: 'released', new: 'arm' },
  });
  expect(await screen.findByText(others)).toBeTruthy();
  const footnote = screen.getByText(/runs\. p: /).textContent;
  expect(footnote).toContain('normal approximation');
  expect(footnote).not.toContain('exact');
});

it('the sides of an address: known traces, each on one side', () => {
  const known = ['a', 'b', 'c,d'];
  const params = { runs: '1', base: 'a,b,x', new: 'b,c%2Cd' };
  expect(sidesOf(params, known)).toEqual({ base: ['a', 'b'], new: ['c,d'] });
  expect(withTraces(params, known, ['b'], 'new')).toEqual({ runs: '1', base: 'a', new: 'b,c%2Cd' });
  expect(withTraces(params, known, ['a'], null)).toEqual({ runs: '1', base: 'b', new: 'c%2Cd' });
  expect(addressOf(sidesOf(params, known))).toBe('compare/runs?base=a&base=b&new=c%2Cd');
  expect(addressOf({ base: [], new: ['a'] })).toBeNull();
});

it('the baselines of an address: files that there are, whose runs are the base without traces', () => {
  const known = ['a, b.json', 'c.json'];
  const params = withBaseline({ runs: '1', baseline: 'x.json' }, known, 'a, b.json', true);
  expect(params).toEqual({ runs: '1', baseline: 'a%2C%20b.json' });
  expect(baselinesOf(params, known)).toEqual(['a, b.json']);
  expect(addressOf({ base: [], new: ['n'] }, known)).toBe('compare/runs?baseline=a%2C%20b.json&baseline=c.json&new=n');
  expect(withBaseline(params, known, 'a, b.json', false).baseline).toBe('');
});
