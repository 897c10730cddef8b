import { render, screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, it } from 'vitest';
import type { Rows } from '../../api/types';
import { duration } from '../../logic/units';
import { placeNow } from '../../navigation';
import { ARM, GONE_TRACE, keptJson, RELEASED, serveKept, serveNothing } from '../../testing/answers';
import { show } from '../../testing/show';
import { expectLoading, expectRefused } from '../../testing/states';
import ThreadsView from '.';
import { columnsOf, scaleOf } from './columns';
import type { TopRow } from './row';
import { partsOf, WaitSplit } from './WaitSplit';

const rows = keptJson<Rows>('traces/released/top/thread?limit=1000').rows as unknown as TopRow[];

it('filled: a row per thread, most avoidable waiting first; a filter leaves those of a name', async () => {
  serveKept();
  show(<ThreadsView trace={RELEASED} />, { trace: 'released', view: 'threads' });
  const table = await screen.findByRole('table', { name: 'Threads' });
  const active = rows.filter((row) => row.run_ns > 0 || row.wait_ns > 0).length;
  expect(active).toBeLessThan(rows.length);
  expect(within(table).getAllByRole('row').length).toBe(active + 1);
  await userEvent.click(screen.getByRole('button', { name: 'Show them' }));
  expect(within(table).getAllByRole('row').length).toBe(rows.length + 1);
  const worst = [...rows].sort((a, b) => b.avoidable_wait_ns - a.avoidable_wait_ns)[0] as TopRow;
  const first = within(table).getAllByRole('row')[1] as HTMLElement;
  expect(first.textContent).toContain(worst.name);
  expect(first.textContent).toContain(duration(worst.avoidable_wait_ns));
  expect(within(first).getByRole('img').getAttribute('aria-label')).toContain(`ran ${duration(worst.run_ns)}`);

  await userEvent.type(screen.getByRole('textbox', { name: 'Filter by name' }), 'released');
  const named = rows.filter((row) => row.name?.includes('released')).length;
  expect(within(table).getAllByRole('row').length).toBe(named + 1);
  // All that it rests on was recorded.
  expect(screen.queryByRole('complementary', { name: 'What was not recorded' })).toBeNull();
});

it('says which evidence it lacks: excuses with one reason together, and that moves have no path', async () => {
  serveKept({ 'traces/arm/top/thread?limit=1000': { rows: [] } });
  show(<ThreadsView trace={ARM} />, { trace: 'arm', view: 'threads' });
  const lacks = await screen.findByRole('complementary', { name: 'What was not recorded' });
  const lines = within(lacks).getAllByRole('listitem');
  expect(lines.length).toBe(3);
  expect(
    within(lacks).getByText(/^Not recorded: kernel stacks of moves .*: by which path threads moved is not known$/),
  ).toBeTruthy();
  expect(
    within(lacks).getByText(/outside its cpuset.*: waits count as avoidable where it may have applied$/),
  ).toBeTruthy();
  expect(within(lacks).getByText(/^Recorded in part: moves of threads/)).toBeTruthy();
});

it('filled: a row pins the lane of its thread on the timeline, and takes it off again', async () => {
  serveKept();
  show(<ThreadsView trace={RELEASED} />, { trace: 'released', view: 'threads' });
  const table = await screen.findByRole('table', { name: 'Threads' });
  const [pin] = within(table).getAllByRole('button', { name: /^Pin its lane on the timeline: / });
  await userEvent.click(pin as HTMLElement);
  expect(placeNow().pins).toEqual([expect.stringMatching(/^t\d+$/)]);
  await userEvent.click(within(table).getByRole('button', { name: /^Take its lane off the timeline: / }));
  expect(placeNow().pins).toEqual([]);
});

it('empty: a name that no thread has', async () => {
  serveKept();
  show(<ThreadsView trace={RELEASED} />, { trace: 'released', view: 'threads', filter: 'xyzzy' });
  expect(await screen.findByText('Nothing is called “xyzzy”')).toBeTruthy();
});

it('empty: a trace without bubbles says where they come from', async () => {
  serveKept({ 'traces/arm/top/bubble?limit=1000': { rows: [] } });
  show(<ThreadsView trace={ARM} />, { trace: 'arm', view: 'threads', params: { by: 'bubble' } });
  expect(await screen.findByText('No bubbles in this trace')).toBeTruthy();
  expect(screen.getByText(/^Applications declare bubbles/)).toBeTruthy();
});

it('cgroups: why each waited, a part per reason, with a legend of those that occur', async () => {
  serveKept();
  show(<ThreadsView trace={RELEASED} />, { trace: 'released', view: 'threads', params: { by: 'cgroup' } });
  const table = await screen.findByRole('table', { name: 'Cgroups' });
  const cgroups = keptJson<Rows>('traces/released/top/cgroup?limit=1000').rows as unknown as TopRow[];
  const worst = [...cgroups].sort((a, b) => b.avoidable_wait_ns - a.avoidable_wait_ns)[0] as TopRow;
  const parts = partsOf(worst);
  expect(parts.reduce((sum, part) => sum + part.ns, 0)).toBe(worst.wait_ns + (worst.throttled_ns ?? 0));
  const first = within(table).getAllByRole('row')[1] as HTMLElement;
  const bar = within(first).getByRole('img', { name: /^waited: / });
  expect(bar.getAttribute('aria-label')).toContain(`avoidable ${duration(worst.avoidable_wait_ns)}`);
  expect(bar.querySelectorAll('i').length).toBe(parts.length);
  expect(bar.querySelector('i')?.getAttribute('title')).toContain('an idle CPU that it may use was left unused');
  const occurring = new Set(cgroups.flatMap((row) => partsOf(row).map((part) => part.reason)));
  const legend = screen.getByRole('list', { name: 'Colours of the reasons' });
  expect(within(legend).getAllByRole('listitem').length).toBe(occurring.size);
});

it('cgroups: one that did not wait has an empty bar', () => {
  render(<WaitSplit row={{ run_ns: 5, wait_ns: 0, avoidable_wait_ns: 0 }} most={1} />);
  expect(screen.getByRole('img', { name: 'did not wait' }).children.length).toBe(0);
});

it('the recorder does not set the scale of the bars: its own bar is cut, unless there is no other', () => {
  const thread: TopRow = { run_ns: 2, wait_ns: 3, avoidable_wait_ns: 1 };
  const recorder: TopRow = { run_ns: 90, wait_ns: 9, avoidable_wait_ns: 0, of_recorder: true };
  expect(scaleOf([thread, recorder])).toBe(5);
  expect(scaleOf([recorder])).toBe(99);
  const bars = columnsOf('thread', [thread, recorder]).find((column) => column.key === 'wait_ns');
  for (const row of [thread, recorder]) {
    const { container, unmount } = render(bars?.cell(row));
    const widths = [...container.querySelectorAll('i')].map((part) => Number.parseFloat(part.style.width));
    expect(widths.reduce((sum, width) => sum + width, 0)).toBeCloseTo(100);
    expect(screen.queryByRole('img', { name: /the recorder itself/ }) !== null).toBe(row.of_recorder ?? false);
    unmount();
  }
});

it('loading: a place holder, then what is awaited', async () => {
  serveNothing();
  show(<ThreadsView trace={RELEASED} />, { trace: 'released', view: 'threads' });
  await expectLoading('Adding up threads');
});

it('refused: the line of the server', async () => {
  serveKept();
  show(<ThreadsView trace={GONE_TRACE} />, { trace: 'gone', view: 'threads' });
  await expectRefused();
});
