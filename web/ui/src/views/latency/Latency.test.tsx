import { screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, it } from 'vitest';
import type { Identity, Latency } from '../../api/types';
import { count, duration } from '../../logic/units';
import { windowAround } from '../../logic/windowAround';
import { GONE_TRACE, keptJson, RELEASED, serveKept, serveNothing } from '../../testing/answers';
import { show } from '../../testing/show';
import { expectLoading, expectRefused } from '../../testing/states';
import LatencyView from '.';

const kept = keptJson<Latency>('traces/released/latency?after=any&by=thread&limit=500');

it('filled: the sentence, a bar per length, a row per thread, the longest waits with the way to the timeline', async () => {
  serveKept();
  show(<LatencyView trace={RELEASED} />, { trace: 'released', view: 'latency' });
  expect(await screen.findByText(kept.sentence)).toBeTruthy();
  const table = await screen.findByRole('table', { name: 'Threads' });
  expect(within(table).getAllByRole('row').length).toBe(kept.groups.length + 1);
  const worst = kept.groups[0];
  const first = within(table).getAllByRole('row')[1] as HTMLElement;
  expect(first.textContent).toContain(worst?.name);
  expect(first.textContent).toContain(duration(worst?.longest_ns ?? 0));
  const longest = screen.getByRole('table', { name: 'Longest waits' });
  expect(within(longest).getAllByRole('row').length).toBe(kept.longest.length + 1);
  const wait = kept.longest[0] as Latency['longest'][0];
  const window = windowAround(wait.start_ns, wait.dur_ns, RELEASED);
  const link = within(longest).getAllByRole('link')[0] as HTMLAnchorElement;
  expect(link.hash).toBe(`#/released/timeline?w=${window.start}-${window.end}&c=thread&utid=${wait.utid}`);
  const bars = screen.getByRole('img', { name: /^Waits by length: / });
  const waits = kept.total?.histogram.reduce((sum, bin) => sum + bin.after_wakeup + bin.after_preemption, 0);
  expect(waits).toBe(kept.total?.waits);
  expect(bars.querySelectorAll('title').length).toBe(kept.total?.histogram.length);
});

it('says which evidence it lacks, with the reason of the trace', async () => {
  const identity = keptJson<Identity>('traces/released/identity');
  const evidence = identity.evidence.map((row) =>
    row.kind === 'throttled' ? { ...row, state: 'absent', why: 'no cgroups' } : row,
  );
  serveKept({ 'traces/released/identity': { ...identity, evidence, has_wakings: false, shows_wakeups: false } });
  show(<LatencyView trace={RELEASED} />, { trace: 'released', view: 'latency' });
  const lacks = await screen.findByRole('complementary', { name: 'What was not recorded' });
  expect(within(lacks).getByText(/^Not recorded: no quota left \(no cgroups\): which part of a wait/)).toBeTruthy();
  expect(within(lacks).getByText('Not recorded: sched_wakeup: waits after a wakeup are missing')).toBeTruthy();
  expect(within(lacks).getByText(/^Not recorded: sched_waking: how long it took/)).toBeTruthy();
});

const group = kept.groups[0] as Latency['groups'][0];
const own = keptJson<Latency>(`traces/released/latency?after=any&by=thread&key=${group.key}&limit=1`);
const name = `${group.name} ${group.tid}`;

/** One answer is asked for after the other, which takes a busy machine a while. */
const PATIENT = { timeout: 10_000 };

async function expectOwn() {
  const longest = await screen.findByRole('table', { name: `Longest waits of ${name}` }, PATIENT);
  const rows = within(longest).getAllByRole('row').slice(1);
  expect(rows.map((row) => within(row).getAllByRole('cell')[2]?.textContent)).toEqual(
    own.longest.map((wait) => duration(wait.dur_ns)),
  );
  expect(own.longest.every((wait) => wait.utid === group.key)).toBe(true);
  expect(own.longest[0]?.dur_ns).toBe(group.longest_ns);
  expect(screen.getByText(own.sentence).textContent).toContain(`of ${group.name} (tid ${group.tid})`);
  expect(screen.getByRole('heading', { name: `Waits of ${name} by length` })).toBeTruthy();
  const bars = screen.getByRole('img', { name: /^Waits by length: / });
  expect(bars.querySelectorAll('title').length).toBe(own.total?.histogram.length);
  expect(await screen.findByRole('img', { name: new RegExp(`longest waits of ${name} and how many of its threads`) }));
  expect(screen.getByRole('button', { name, pressed: true })).toBeTruthy();
}

it('a row chosen by a click: curve, histogram and longest waits are its own, and all again on another', async () => {
  serveKept();
  show(<LatencyView trace={RELEASED} />, { trace: 'released', view: 'latency' });
  await userEvent.click((await screen.findAllByRole('img', { name: /^Histogram of / }))[0] as HTMLElement);
  await expectOwn();
  expect(location.hash).toContain(`key=${group.key}`);
  await userEvent.click(screen.getByRole('button', { name: 'All waits again' }));
  expect(screen.getByRole('heading', { name: 'Waits by length' })).toBeTruthy();
  expect(screen.getByRole('table', { name: 'Longest waits' })).toBeTruthy();
});

it('a row chosen by keys, and left by keys', async () => {
  serveKept();
  show(<LatencyView trace={RELEASED} />, { trace: 'released', view: 'latency' });
  (await screen.findByRole('button', { name })).focus();
  await userEvent.keyboard('{Enter}');
  await expectOwn();
  expect(document.activeElement).toBe(screen.getByRole('button', { name }));
  await userEvent.keyboard('{Enter}');
  expect(screen.getByText(kept.sentence)).toBeTruthy();
});

it('a group of the link that is not there: the line of the server, and the other rows', async () => {
  serveKept();
  show(<LatencyView trace={RELEASED} />, { trace: 'released', view: 'latency', params: { key: '9999' } });
  expect(await screen.findByText('key 9999: no such thread in released.duckdb', {}, PATIENT)).toBeTruthy();
  expect(screen.getByRole('table', { name: 'Threads' })).toBeTruthy();
});

it('the window by keys: moved, widened, applied, left; with a text for screen readers', async () => {
  serveKept();
  const params = { key: String(group.key) };
  const window = { start: 61_000_000_000, end: 61_100_000_000 };
  show(<LatencyView trace={RELEASED} />, { trace: 'released', view: 'latency', window, params });
  const slider = await screen.findByRole('slider', { name: 'Window of time' });
  expect(slider.getAttribute('aria-valuetext')).toMatch(/ to .*, 100 ms long$/);
  expect(slider.getAttribute('aria-valuenow')).toBe(String(window.start - RELEASED.start_ns));
  const hint = document.getElementById(slider.getAttribute('aria-describedby') ?? '');
  expect(hint?.textContent).toContain('Enter applies');
  slider.focus();
  await userEvent.keyboard('{Shift>}{ArrowRight}{/Shift}');
  expect(slider.getAttribute('aria-valuetext')).toMatch(/, 125 ms long, not applied yet$/);
  expect(location.hash).toContain('w=61000000000-61100000000');
  await userEvent.keyboard('{Shift>}{ArrowLeft}{/Shift}{ArrowRight}{ArrowLeft}{Enter}');
  expect(slider.getAttribute('aria-valuetext')).toMatch(/, 100 ms long$/);
  expect(location.hash).toContain('w=61000000000-61100000000');
  await userEvent.keyboard('{Escape}');
  expect(location.hash).not.toContain('w=');
  expect(await screen.findByText(own.sentence)).toBeTruthy();
  expect(document.activeElement).toBe(screen.getByRole('slider', { name: 'Window of time' }));
});

it('processes, and waits after a preemption alone', async () => {
  serveKept();
  const params = { by: 'process', after: 'preemption' };
  show(<LatencyView trace={RELEASED} />, { trace: 'released', view: 'latency', params });
  const only = keptJson<Latency>('traces/released/latency?after=preemption&by=process&limit=500');
  const table = await screen.findByRole('table', { name: 'Processes' });
  expect(within(table).getAllByRole('row').length).toBe(only.groups.length + 1);
  expect(within(table).queryByText('p99 after a wakeup')).toBeNull();
  expect(only.total?.histogram.every((bin) => bin.after_wakeup === 0)).toBe(true);
});

it('the window of the timeline limits it; one without waits says so', async () => {
  serveKept();
  const window = { start: 61_000_000_000, end: 61_100_000_000 };
  show(<LatencyView trace={RELEASED} />, { trace: 'released', view: 'latency', window });
  const part = keptJson<Latency>(
    'traces/released/latency?after=any&by=thread&end=61100000000&limit=500&start=61000000000',
  );
  expect(await screen.findByText(part.sentence)).toBeTruthy();
  expect(part.total?.waits).toBeLessThan(kept.total?.waits ?? 0);
  expect(part.sentence).toContain(`${count(part.total?.waits ?? 0)} waits`);
  await userEvent.click(screen.getByRole('button', { name: 'Whole trace' }));
  expect(await screen.findByText(kept.sentence)).toBeTruthy();
});

it('empty: a window in which no thread waited', async () => {
  serveKept();
  const window = { start: 60_081_146_711, end: 60_081_146_712 };
  show(<LatencyView trace={RELEASED} />, { trace: 'released', view: 'latency', window });
  expect(await screen.findByText(/^No thread waited for a CPU/)).toBeTruthy();
});

it('a wait is shown with a quarter of its length around it, within the trace', () => {
  const trace = { start_ns: 1_000_000, end_ns: 9_000_000 };
  expect(windowAround(3_000_000, 400_000, trace)).toEqual({ start: 2_900_000, end: 3_500_000 });
  expect(windowAround(3_000_000, 4, trace)).toEqual({ start: 2_990_000, end: 3_010_004 });
  expect(windowAround(1_000_000, 8_000_000, trace)).toEqual({ start: 1_000_000, end: 9_000_000 });
});

it('loading: a place holder, then what is awaited', async () => {
  serveNothing();
  show(<LatencyView trace={RELEASED} />, { trace: 'released', view: 'latency' });
  await expectLoading('Adding up the waits');
});

it('refused: the line of the server', async () => {
  serveKept();
  show(<LatencyView trace={GONE_TRACE} />, { trace: 'gone', view: 'latency' });
  await expectRefused();
});
