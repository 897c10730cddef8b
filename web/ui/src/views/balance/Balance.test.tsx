import { fireEvent, screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, it, vi } from 'vitest';
import type { Balance, Identity, ParallelApplication } from '../../api/types';
import { copyText } from '../../clipboard';
import { PARTS } from '../../logic/balance/parts';
import { percent } from '../../logic/units';
import { placeNow } from '../../navigation';
import { ARM, GONE_TRACE, keptJson, keptRefusal, SOLVER, serveKept, serveNothing } from '../../testing/answers';
import { show } from '../../testing/show';
import { expectLoading, expectRefused } from '../../testing/states';
import BalanceView from '.';

vi.mock('../../clipboard', () => ({ copyText: vi.fn(async () => true) }));

const kept = keptJson<Balance>('traces/solver/balance');
const app = kept.applications[0] as ParallelApplication;
const place = { trace: 'solver', view: 'balance' } as const;
const cells = () => screen.findByRole('button', { name: 'Cells of 4 ranks in 12 columns' });

it('filled: the sentence with its evidence, every figure, the sources, a row per rank, what to do', async () => {
  serveKept();
  show(<BalanceView trace={SOLVER} />, place);
  expect(await screen.findByRole('heading', { name: kept.sentence })).toBeTruthy();
  expect(screen.getByText(app.text.evidence)).toBeTruthy();
  for (const share of [app.load_balance, app.communication_efficiency, app.parallel_efficiency, app.utilization])
    expect(screen.getByText(percent(share ?? 0), { selector: 'dd b' })).toBeTruthy();
  const sources = screen.getByRole('table', { name: 'Sources of extrinsic imbalance' });
  expect(within(sources).getByText('daemon-3 (tid 903)')).toBeTruthy();
  expect(within(sources).getAllByRole('row').length).toBe(app.sources.filter(({ is_shown }) => is_shown).length + 1);
  const ranks = screen.getByRole('table', { name: 'Ranks' });
  expect(within(ranks).getAllByRole('row').length).toBe(app.ranks + 1);
  for (const { what, commands } of app.advice.recommendations) {
    expect(screen.getByText(what)).toBeTruthy();
    for (const command of commands) expect(screen.getByText(command)).toBeTruthy();
  }
  expect(screen.getByText('Left out: 1 very short segment.')).toBeTruthy();
});

it('of many sources the first are listed, the others are one row until they are asked for', async () => {
  const source = app.sources.find(({ is_shown }) => is_shown) as (typeof app.sources)[number];
  const sources = Array.from({ length: 20 }, (_, n) => ({ ...source, utid: 100 + n, words: `thread-${n}` }));
  serveKept({ 'traces/solver/balance': { ...kept, applications: [{ ...app, sources }] } });
  show(<BalanceView trace={SOLVER} />, place);
  const table = await screen.findByRole('table', { name: 'Sources of extrinsic imbalance' });
  expect(within(table).getAllByRole('row').length).toBe(1 + 6 + 1);
  await userEvent.click(within(table).getByRole('button', { name: '14 more' }));
  expect(within(table).getAllByRole('row').length).toBe(1 + 20);
});

it('with hardware counters of all ranks there is a column of instructions per cycle', async () => {
  const counters = { instructions: 3_000_000, cycles: 2_000_000, counted_ns: 1_000_000 };
  const rank = app.rank.map((of) => ({ ...of, counters }));
  serveKept({ 'traces/solver/balance': { ...kept, applications: [{ ...app, rank }] } });
  show(<BalanceView trace={SOLVER} />, place);
  expect(await screen.findByRole('columnheader', { name: /IPC/ })).toBeTruthy();
  expect(screen.getAllByText('1.50').length).toBe(app.ranks);
});

it('the parts of each bar add up to the whole time of the rank', async () => {
  serveKept();
  show(<BalanceView trace={SOLVER} />, place);
  for (const rank of app.rank) {
    expect(PARTS.reduce((sum, part) => sum + rank[`${part}_ns`], 0)).toBe(app.run_ns);
    const bar = await screen.findByRole('img', { name: new RegExp(`^Rank ${rank.rank}: compute`) });
    const widths = [...bar.children].map((part) => Number.parseFloat((part as HTMLElement).style.width));
    expect(widths.reduce((sum, width) => sum + width, 0)).toBeCloseTo(100, 6);
  }
});

it('keys go from cell to cell, say what it has, and Enter opens its range on the timeline with the lane of its rank', async () => {
  serveKept();
  show(<BalanceView trace={SOLVER} />, place);
  const button = await cells();
  button.focus();
  await userEvent.keyboard('{ArrowDown}{ArrowDown}{ArrowDown}{ArrowRight}');
  expect(placeNow().params.cell).toBe('3.2');
  const card = screen.getByTestId('cell');
  expect(card.textContent).toContain('Rank 3, Iteration 2');
  expect(card.textContent).toContain('5,000,000 ns');
  const column = app.cells?.columns[1];
  const length = (column?.end_ns ?? 0) - (column?.start_ns ?? 0);
  const taken = percent((app.cells?.taken_ns[3]?.[1] ?? 0) / length);
  const said = screen.getByText(/^Rank 3, Iteration 2, 23.0 ms: Computing /);
  expect(said.textContent).toContain(`Taken by others ${taken}`);
  await userEvent.keyboard('{Enter}');
  const lane = `t${app.rank[3]?.utid}`;
  expect(placeNow()).toMatchObject({
    view: 'timeline',
    selection: { start: column?.start_ns, end: column?.end_ns, lanes: [lane] },
    pins: [lane],
  });
});

it('a click opens the cell under the pointer; beside the cells it does nothing', async () => {
  serveKept();
  show(<BalanceView trace={SOLVER} />, place);
  const button = await cells();
  fireEvent.click(button, { detail: 1, clientX: 5, clientY: 5 });
  expect(placeNow().view).toBe('balance');
  fireEvent.pointerMove(button, { clientX: 42, clientY: 26, pointerType: 'mouse' });
  expect(screen.getByTestId('cell').textContent).toContain('Rank 0, Outside of iterations: window 1');
  fireEvent.click(button, { detail: 1, clientX: 42, clientY: 26 });
  expect(placeNow()).toMatchObject({ view: 'timeline', utid: app.rank[0]?.utid });
});

it('a command is copied as it stands', async () => {
  serveKept();
  show(<BalanceView trace={SOLVER} />, place);
  await userEvent.click(await screen.findByRole('button', { name: 'Copy taskset -pc 4 903' }));
  expect(copyText).toHaveBeenCalledWith('taskset -pc 4 903');
  expect(await screen.findByText('Copied: taskset -pc 4 903')).toBeTruthy();
});

it('a remark on a recommendation is text and cannot be copied; a trace in doubt says why', async () => {
  const [first] = app.advice.recommendations;
  const advice = { ...app.advice, recommendations: [{ ...first, commands: [], remarks: ['at the next start'] }] };
  const doubt = 'Unverified: the release was not verified.';
  serveKept({ 'traces/solver/balance': { ...kept, remarks: [doubt], applications: [{ ...app, advice }] } });
  show(<BalanceView trace={SOLVER} />, place);
  expect(await screen.findByText('at the next start')).toBeTruthy();
  expect(screen.queryByRole('button', { name: /^Copy taskset/ })).toBeNull();
  expect(screen.getByText(doubt)).toBeTruthy();
});

it('not visible: it says so with what to do, and has no figures', async () => {
  const none = { load_balance: null, communication_efficiency: null, parallel_efficiency: null, lambda: null };
  const lost = { lost_ns: null, intrinsic_ns: null, extrinsic_ns: null };
  const text = {
    ...app.text,
    not_visible: 'Balance not visible: record again with `wastenot record --mpi`.',
    loss: '',
  };
  const hidden = { ...app, ...none, ...lost, state: 'not_visible', sources: [], text };
  serveKept({ 'traces/solver/balance': { ...kept, applications: [hidden] } });
  show(<BalanceView trace={SOLVER} />, place);
  expect(await screen.findByText('wastenot record --mpi', { selector: 'code' })).toBeTruthy();
  expect(screen.queryByText('load balance')).toBeNull();
  expect(screen.queryByRole('heading', { name: 'Lost to imbalance' })).toBeNull();
  expect(screen.getByRole('columnheader', { name: 'compute or spin' })).toBeTruthy();
});

it('several applications: a tab each, and the sentence about all', async () => {
  const second = { ...app, application: 2, name: 'other', text: { ...app.text, sentence: 'other: balanced' } };
  serveKept({ 'traces/solver/balance': { ...kept, sentence: '2 applications', applications: [app, second] } });
  show(<BalanceView trace={SOLVER} />, place);
  expect(await screen.findByRole('heading', { name: '2 applications' })).toBeTruthy();
  await userEvent.click(screen.getByRole('tab', { name: '2: other' }));
  expect(screen.getByRole('heading', { name: 'other: balanced' })).toBeTruthy();
  expect(placeNow().params.n).toBe('2');
});

it('ranks and windows that are too many to be kept: no cells, and it says why', async () => {
  serveKept({ 'traces/solver/balance': { ...kept, applications: [{ ...app, cells: null }] } });
  show(<BalanceView trace={SOLVER} />, place);
  expect(await screen.findByText(/^4 ranks in 13 windows are too many/)).toBeTruthy();
});

it('empty: why nothing was found, and possible applications to be measured all the same', async () => {
  serveKept();
  const { unmount } = show(<BalanceView trace={ARM} />, { trace: 'arm', view: 'balance' });
  const none = keptJson<Balance>('traces/arm/balance');
  expect(none.applications).toEqual([]);
  expect(await screen.findByRole('heading', { name: none.sentence })).toBeTruthy();
  unmount();
  const candidate = {
    name: 'make',
    kind: 'processes',
    ranks: 3,
    why: 'no_iterations',
    crew: 'make, 3 processes',
    reason: 'no iterations',
  };
  const busy = [12, 5, 2].map((ranks) => ({
    name: 'busy',
    kind: 'processes',
    ranks,
    why: 'never_asleep',
    crew: `busy, ${ranks} processes`,
    reason: 'its threads hardly sleep',
  }));
  serveKept({ 'traces/arm/balance': { ...none, candidates: [...busy, candidate] } });
  show(<BalanceView trace={ARM} />, { trace: 'arm', view: 'balance' });
  const link = (await screen.findByRole('link', { name: 'Measure make all the same' })) as HTMLAnchorElement;
  expect(link.hash).toBe('#/arm/balance?app=make');
  // A reason once, a name once.
  expect(screen.getAllByText('Its threads hardly sleep:').length).toBe(1);
  const section = screen.getByRole('heading', { name: 'Possible applications, not measured' }).parentElement;
  const items = within(section as HTMLElement).getAllByRole('listitem');
  const [of, last] = items.map((item) => item.textContent);
  expect(of).toBe('busy: crews of 12, 5 and 2 processes. Measure busy all the same');
  expect(last).toBe('make, 3 processes. Measure make all the same');
});

it('says what interrupts, quotas and excuses that were not recorded do to the figures', async () => {
  const evidence = [
    { kind: 'irq_busy', state: 'absent', why: null },
    { kind: 'cpuset', state: 'absent', why: null },
    { kind: 'placements', state: 'absent', why: null },
  ];
  serveKept({ 'traces/solver/identity': { ...keptJson<Identity>('traces/solver/identity'), evidence } });
  show(<BalanceView trace={SOLVER} />, place);
  const lacks = await screen.findByRole('complementary', { name: 'What was not recorded' });
  expect(within(lacks).getAllByRole('listitem').length).toBe(2);
  expect(within(lacks).getByText(/: what interrupts take from a rank counts as its computing$/)).toBeTruthy();
  expect(within(lacks).getByText(/outside its cpuset: waits beside an idle CPU count/)).toBeTruthy();
});

it('a selection goes to the server; one that names nothing is refused with its line, and can be mended', async () => {
  serveKept();
  show(<BalanceView trace={SOLVER} />, place);
  await cells();
  await userEvent.type(screen.getByRole('textbox', { name: 'Name of thread or process' }), 'nothing*{Enter}');
  const refusal = keptRefusal('traces/solver/balance?app=nothing*');
  expect((await screen.findByRole('alert')).textContent).toContain(refusal);
  const field = screen.getByRole('textbox', { name: 'Name of thread or process' }) as HTMLInputElement;
  expect(field.value).toBe('nothing*');
  await userEvent.clear(field);
  await userEvent.type(field, 'solver{Enter}');
  const named = keptJson<Balance>('traces/solver/balance?app=solver');
  expect(await screen.findByText(new RegExp(`^${named.applications[0]?.text.ranks}`))).toBeTruthy();
  await userEvent.click(screen.getByRole('button', { name: 'Find applications' }));
  expect(placeNow().params).toEqual({});
});

it('loading: a place holder, then what is awaited', async () => {
  serveNothing();
  show(<BalanceView trace={SOLVER} />, place);
  await expectLoading('Measuring the balance');
});

it('refused: the line of the server', async () => {
  serveKept({});
  show(<BalanceView trace={GONE_TRACE} />, { trace: 'gone', view: 'balance' });
  await expectRefused('The balance could not be measured');
});
