import { screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, it, vi } from 'vitest';
import type { StackCounts } from '../api/types';
import { RELEASED, serveKept } from '../testing/answers';
import { show } from '../testing/show';
import { RangeStacks } from './RangeStacks';

const RANGE = { start: 100, end: 1100, cpus: [0, 1] };
const AT = (of: string) => `traces/released/stacks?cpus=0-1&end=1100&of=${of}&start=100`;
const SWITCHES: StackCounts = {
  of: 'switches',
  start_ns: 100,
  end_ns: 1100,
  cpus: [0, 1],
  events: 5,
  ns: 1000,
  with_stack: 4,
  stacks: [
    { symbols: ['schedule+0x1', 'futex_wait+0x2', 'do_syscall_64+0x3'], state: 'sleeping', events: 1, ns: 600 },
    { symbols: ['schedule+0x1', 'do_nanosleep+0x2', 'do_syscall_64+0x3'], state: 'sleeping', events: 2, ns: 300 },
    { symbols: ['preempt_schedule_irq+0x1'], state: 'preempted', events: 1, ns: 50 },
  ],
  truncated: false,
  why_absent: null,
};
const WHY = 'not recorded here; `wastenot record` takes stacks of wakeups with --wakeup-stacks';
const WAKEUPS: StackCounts = { ...SWITCHES, of: 'wakeups', with_stack: 0, stacks: [], why_absent: WHY };

const serve = () =>
  serveKept({ [AT('switches')]: SWITCHES, [AT('wakeups')]: WAKEUPS, [AT('moves')]: { ...WAKEUPS, events: 0 } });
const box = (name: RegExp) => within(screen.getByRole('group')).getByRole('button', { name });

it('filled: each function below its caller with its time, and the functions with most of it', async () => {
  serve();
  show(<RangeStacks trace={RELEASED} range={RANGE} of="switches" onOf={() => {}} />, { trace: 'released' });
  expect(await screen.findByText(/^5 switches, 4 of them/)).toBeTruthy();
  expect(screen.getByRole('group', { name: 'Flame graph of switches' })).toBeTruthy();
  expect(box(/^sleeping: 900 ns, 94.7 %/)).toBeTruthy();
  expect(box(/^futex_wait: 600 ns, 63.2 %/)).toBeTruthy();
  const rows = within(screen.getByRole('table')).getAllByRole('row').slice(1);
  expect(rows.map((row) => row.textContent)).toContain('schedule94.7 %');
  await userEvent.click(screen.getByRole('checkbox'));
  expect(box(/^sleeping: 3 switches, 75\.0 %/)).toBeTruthy();
});

it('a click shows a function alone, a search lights it, arrow keys go from one to the other', async () => {
  serve();
  show(<RangeStacks trace={RELEASED} range={RANGE} of="switches" onOf={() => {}} />, { trace: 'released' });
  await screen.findByRole('group');
  await userEvent.type(screen.getByRole('textbox'), 'nano');
  expect(box(/^do_nanosleep/).getAttribute('data-found')).toBe('true');
  expect(box(/^futex_wait/).getAttribute('data-found')).toBe('false');
  box(/^all/).focus();
  await userEvent.keyboard('{ArrowDown}{ArrowDown}');
  expect(document.activeElement).toBe(box(/^do_syscall_64/));
  await userEvent.click(box(/^do_syscall_64/));
  expect(within(screen.getByRole('group')).queryByRole('button', { name: /^preempt/ })).toBeNull();
  await userEvent.click(screen.getByRole('button', { name: 'Show all' }));
  expect(box(/^preempt_schedule_irq/)).toBeTruthy();
});

it('any: those of the first kind that has some', async () => {
  const none = { ...WAKEUPS, of: 'switches' as const };
  const moves = { ...SWITCHES, of: 'moves' as const };
  serveKept({ [AT('switches')]: none, [AT('wakeups')]: WAKEUPS, [AT('moves')]: moves });
  show(<RangeStacks trace={RELEASED} range={RANGE} of="any" onOf={() => {}} />, { trace: 'released' });
  expect(await screen.findByRole('group', { name: 'Flame graph of moves' })).toBeTruthy();
  expect(screen.getByRole('tab', { name: 'Moves' }).getAttribute('aria-selected')).toBe('true');
});

it('empty: why there are no stacks and how to record them, or that nothing happened', async () => {
  serve();
  const onOf = vi.fn();
  const shown = show(<RangeStacks trace={RELEASED} range={RANGE} of="wakeups" onOf={onOf} />, { trace: 'released' });
  expect(await screen.findByText('No kernel stacks of the 5 wakeups here')).toBeTruthy();
  expect(shown.container.textContent).toContain(WHY.replaceAll('`', ''));
  expect(screen.getByText('wastenot record').tagName).toBe('CODE');
  await userEvent.click(screen.getByRole('tab', { name: 'Moves' }));
  expect(onOf).toHaveBeenCalledWith('moves');
  shown.unmount();
  show(<RangeStacks trace={RELEASED} range={RANGE} of="moves" onOf={onOf} />, { trace: 'released' });
  expect(await screen.findByText('No moves here')).toBeTruthy();
});
