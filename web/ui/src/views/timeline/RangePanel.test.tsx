import { screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, it, vi } from 'vitest';
import { WAIT_REASON_WORDS } from '../../../../../schemas/ts/schema';
import type { Identity, SelectedReasons, SelectionFigures } from '../../api/types';
import { download } from '../../download';
import { count, duration, percent } from '../../logic/units';
import { keptJson, RELEASED, serveKept } from '../../testing/answers';
import { show } from '../../testing/show';
import { RangeWaits } from './RangeWaits';
import { ReportCommand, reportCommand } from './ReportCommand';

vi.mock('../../download', () => ({ download: vi.fn() }));

const figures = keptJson<SelectionFigures>('traces/released/selection?end=61100000000&start=61000000000');
const place = { trace: 'released', view: 'timeline' } as const;

it('waits of a range: a row for those after wakeups and after preemptions, which sum to the time waited', async () => {
  serveKept();
  show(<RangeWaits trace={RELEASED} figures={figures} reasons={{ found: undefined, isFormer: false }} />, place);
  const rows = within(screen.getByRole('table', { name: 'Waits of the range' }))
    .getAllByRole('row')
    .slice(1);
  const words = { wakeup: 'after a wakeup', preemption: 'after a preemption', throttling: 'without quota' };
  expect(
    rows.map((row) =>
      within(row)
        .getAllByRole('cell')
        .map((cell) => cell.textContent),
    ),
  ).toEqual(
    figures.waits.map((row) => [words[row.after], count(row.waits), duration(row.wait_ns), duration(row.longest_ns)]),
  );
  expect(figures.waits.map((row) => row.after)).toEqual(['wakeup', 'preemption']);
  expect(figures.waits.reduce((sum, row) => sum + row.wait_ns, 0)).toBe(figures.wait_ns);
});

it('reasons: a row for each, with what kept threads from idle CPUs or ran meanwhile', () => {
  serveKept();
  const reasons = keptJson<SelectedReasons>('traces/released/selection/reasons?end=61100000000&start=61000000000');
  show(<RangeWaits trace={RELEASED} figures={figures} reasons={{ found: reasons, isFormer: false }} />, place);
  const rows = within(screen.getByRole('table', { name: 'Why threads waited' }))
    .getAllByRole('row')
    .slice(1);
  const kept = reasons.reasons ?? [];
  const all = kept.reduce((sum, row) => sum + row.wait_ns, 0);
  expect(all).toBe(figures.wait_ns);
  expect(rows.length).toBe(kept.length);
  rows.forEach((row, at) => {
    const { reason, wait_ns, of } = kept[at] as (typeof kept)[number];
    const cells = within(row).getAllByRole('cell');
    expect(cells.slice(1).map((cell) => cell.textContent)).toEqual([duration(wait_ns), percent(wait_ns / all)]);
    expect(cells[0]?.textContent).toContain(WAIT_REASON_WORDS[reason]);
    for (const part of of) expect(cells[0]?.textContent).toContain(`${part.name} ${duration(part.wait_ns)}`);
  });
  expect(kept.map((row) => row.reason)).toContain('avoidable');
});

it('reasons: more parts than are named are counted', () => {
  serveKept();
  const reasons: SelectedReasons = {
    start_ns: figures.start_ns,
    end_ns: figures.end_ns,
    reasons: [{ reason: 'neighbour', wait_ns: 9_000_000, of: [{ name: 'a', wait_ns: 5_000_000 }], others: 2 }],
    refuted_ns: 3_000_000,
  };
  show(<RangeWaits trace={RELEASED} figures={figures} reasons={{ found: reasons, isFormer: false }} />, place);
  expect(screen.getByText('a 5.00 ms, 2 more')).toBeTruthy();
  expect(screen.getByText('Of it 3.00 ms were no wait, by later events.')).toBeTruthy();
});

it('reasons: before they are known, and where too many events lie around, those that the statistics have', () => {
  serveKept();
  const waits = [
    ...figures.waits,
    { after: 'throttling' as const, waits: 2, wait_ns: 7_000_000, longest_ns: 6_000_000 },
  ];
  const none = { start_ns: figures.start_ns, end_ns: figures.end_ns, reasons: null, refuted_ns: 0 };
  show(
    <RangeWaits trace={RELEASED} figures={{ ...figures, waits }} reasons={{ found: none, isFormer: false }} />,
    place,
  );
  const avoidable = figures.threads.reduce((sum, thread) => sum + thread.avoidable_ns, 0);
  const text = screen.getByText(/^Why:/).textContent ?? '';
  expect(text).toContain('own quota');
  expect(text).toContain('(7.00 ms)');
  expect(text).toContain(`(${duration(avoidable)})`);
  expect(text).toContain(`(${duration(figures.wait_ns - avoidable)})`);
  expect(text).toContain('too many events lie around this range');
});

it('reasons: why they cannot be had is said', () => {
  serveKept();
  const failed = { found: undefined, failed: 'the file has gone', isFormer: false };
  show(<RangeWaits trace={RELEASED} figures={figures} reasons={failed} />, place);
  expect(screen.getByText(/^Why:/).textContent).toContain('Which others is not known: the file has gone.');
});

it('empty: a range in which none waited; and what was not recorded', async () => {
  const identity = keptJson<Identity>('traces/released/identity');
  serveKept({ 'traces/released/identity': { ...identity, shows_wakeups: false } });
  const none = keptJson<SelectionFigures>('traces/released/selection?end=60081146712&start=60081146711');
  show(<RangeWaits trace={RELEASED} figures={none} reasons={{ found: undefined, isFormer: false }} />, place);
  expect(
    await screen.findByText(/^No thread waited here. Not recorded: sched_wakeup: waits after a wakeup/),
  ).toBeTruthy();
});

it('the page of the range is saved, or made by a command to paste', async () => {
  serveKept({ 'traces/released/report?end=61100000000&start=61000000000': 'a page' });
  const range = { start: 61_000_000_000, end: 61_100_000_000, cpus: [0] };
  show(<ReportCommand trace={RELEASED} selection={range} />, place);
  const command = 'wastenot report released.duckdb --window 61000000000..61100000000 -o released-range.html';
  expect(screen.getByText(command)).toBeTruthy();
  expect(screen.getByText(/to send: it opens without a server and is of all CPUs/)).toBeTruthy();
  await userEvent.click(screen.getByRole('button', { name: 'Save a page of this time' }));
  expect(await screen.findByText('Saved')).toBeTruthy();
  expect(vi.mocked(download)).toHaveBeenCalledWith('released-range.html', expect.any(Blob));
  expect(screen.getByRole('button', { name: 'Copy the command' })).toBeTruthy();
  const odd = reportCommand({ ...RELEASED, name: "-it's $(x).duckdb" }, range);
  expect(odd).toBe(
    `wastenot report './-it'\\''s $(x).duckdb' --window 61000000000..61100000000 -o './-it'\\''s $(x)-range.html'`,
  );
});
