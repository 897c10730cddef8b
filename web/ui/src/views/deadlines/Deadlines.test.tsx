import { screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, it } from 'vitest';
import type { Deadlines, LockWait, MissedDeadline } from '../../api/types';
import { parsePlace } from '../../logic/place';
import { placeNow } from '../../navigation';
import { BARE, GONE_TRACE, keptJson, keptRefusal, LATE, serveKept, serveNothing } from '../../testing/answers';
import { show } from '../../testing/show';
import { expectLoading, expectRefused } from '../../testing/states';
import DeadlinesView from '.';
import { LockWaitList } from './LockWaitList';

const kept = keptJson<Deadlines>('traces/late/deadlines');
const miss = kept.misses[0] as MissedDeadline;
const place = { trace: 'late', view: 'deadlines' } as const;

it('filled: the headline of the command, its figures, whose fault, the tasks, and whether global EDF held', async () => {
  serveKept();
  show(<DeadlinesView trace={LATE} />, place);
  const heading = await screen.findByRole('heading', {
    name: /^1 of 2 deadlines missed, by up to 2.00 ms: 1 own overrun\.$/,
  });
  expect(`${heading.textContent} ${heading.nextElementSibling?.textContent}`).toBe(kept.headline);
  for (const { name, value } of kept.figures)
    expect((await screen.findByText(name, { selector: 'dt' })).nextElementSibling?.textContent).toBe(value);
  const faults = within(screen.getByRole('table', { name: 'Faults' }));
  expect(faults.getByRole('rowheader', { name: 'own overrun' })).toBeTruthy();
  expect(faults.getByText(/raise the runtime above the longest job \(7\.00 ms\)/)).toBeTruthy();
  const tasks = within(screen.getByRole('table', { name: 'Tasks' }));
  expect(tasks.getByText('4/10/10 ms')).toBeTruthy();
  expect(tasks.getByText('−2.00 ms')).toBeTruthy();
  const laxity = tasks.getByRole('img', { name: /^Least laxity in each .*: −2\.00 ms from .* on, at most / });
  const task = kept.tasks[0] as Deadlines['tasks'][number];
  const drawn = task.laxity_ns.filter((ns) => ns !== null);
  expect(laxity.querySelectorAll('rect')).toHaveLength(drawn.length);
  expect(laxity.querySelectorAll('[data-negative="true"]')).toHaveLength(drawn.filter((ns) => ns < 0).length);
  const bar = tasks.getByRole('img', { name: /^running/ });
  const widths = [...bar.children].map((part) => Number.parseFloat((part as HTMLElement).style.width));
  expect(widths.reduce((sum, width) => sum + width, 0)).toBeCloseTo(100, 6);
  expect(screen.getByRole('table', { name: 'Root domains' }).textContent).toContain('0-1');
  expect(screen.getByText(/^Deadline threads passed over: /)).toBeTruthy();
});

it('a miss leads to its job on the timeline: window, lane of its thread, marks of jobs, its deadline', async () => {
  serveKept();
  show(<DeadlinesView trace={LATE} />, { ...place, tasks: ['idle=1ms/2ms'] });
  const misses = within(await screen.findByRole('table', { name: 'Worst misses' }));
  expect(misses.getByText('ran 7.00 ms, 3.00 ms over, throttled 5.00 ms')).toBeTruthy();
  const to = parsePlace(misses.getByRole('link', { name: '+0.021000 s' }).getAttribute('href') ?? '');
  const lane = `t${miss.thread.utid}`;
  expect(to).toMatchObject({ trace: 'late', view: 'timeline', pins: [lane], tasks: ['idle=1ms/2ms'] });
  expect(to.overlays).toContain('jobs');
  expect(to.params.slice).toBe(`${lane}@21000000`);
  expect(to.window?.start).toBeLessThan(miss.activation_ns);
  expect(to.window?.end).toBeGreaterThan(miss.end_ns as number);
});

it('a wait for a lock says who held it, and leads to both threads on the timeline', () => {
  const held_by = { utid: 7, tid: 200, name: 'logger' };
  const wait: LockWait = {
    thread: miss.thread,
    start_ns: LATE.start_ns + 2_000_000,
    end_ns: LATE.start_ns + 9_000_000,
    kind: 'pi_futex',
    held_by,
    is_inversion: true,
    holder_ran_ns: 4_000_000,
    holder_waited_ns: 3_000_000,
    lock_words: 'futex with priority inheritance',
    holder_words: 'logger (200), of lower priority: ran 4.00 ms, waited for a CPU 3.00 ms',
  };
  const locks = { ...kept.locks, waits: 1, longest: [wait], words: 'waits for locks: 1 time, 7.00 ms' };
  show(<LockWaitList trace={LATE} data={{ ...kept, locks }} />, place);
  expect(screen.getByText('Waits for locks: 1 time, 7.00 ms.')).toBeTruthy();
  const table = within(screen.getByRole('table', { name: 'Longest waits for locks' }));
  expect(table.getByText(wait.holder_words)).toBeTruthy();
  expect(table.getByText('7.00 ms')).toBeTruthy();
  const to = parsePlace(table.getByRole('link', { name: '+0.002000 s' }).getAttribute('href') ?? '');
  const lane = `t${miss.thread.utid}`;
  expect(to).toMatchObject({ trace: 'late', view: 'timeline', pins: [lane, 't7'] });
  expect(to.params.slice).toBe(`${lane}@${LATE.start_ns + 5_500_000}`);
});

it('declared tasks are kept in the address, and can be taken back', async () => {
  serveKept();
  show(<DeadlinesView trace={LATE} />, place);
  const field = await screen.findByRole('textbox', { name: /^Tasks that are not recorded/ });
  await userEvent.type(field, ' idle=1ms/2ms ; {Enter}');
  expect(placeNow().tasks).toEqual(['idle=1ms/2ms']);
  // No thread is called idle, which the headline says first.
  const { headline } = keptJson<Deadlines>('traces/late/deadlines?task=idle=1ms/2ms');
  expect(headline).toMatch(/^No thread has a name that matches 'idle', which is declared\. 1 of 2/);
  expect(await screen.findByRole('heading', { name: /^No thread has a name .* is declared\.$/ })).toBeTruthy();
  await userEvent.click(screen.getByRole('button', { name: 'Recorded tasks alone' }));
  expect(placeNow().tasks).toEqual([]);
});

it('error: a text that is not a task is refused with the line of the command', async () => {
  serveKept();
  show(<DeadlinesView trace={LATE} />, { ...place, tasks: ['x'] });
  expect((await screen.findByRole('alert')).textContent).toContain(keptRefusal('traces/late/deadlines?task=x'));
});

it('empty: what is not visible is said, and how tasks are declared', async () => {
  serveKept();
  show(<DeadlinesView trace={BARE} />, { trace: 'bare', view: 'deadlines' });
  expect(await screen.findByRole('heading', { name: /^Not visible: 1 SCHED_DEADLINE thread ran/ })).toBeTruthy();
  expect(screen.getByText('Which threads have deadlines?')).toBeTruthy();
  expect(screen.queryByRole('table')).toBeNull();
});

it('loading: says what it waits for', async () => {
  serveNothing();
  show(<DeadlinesView trace={LATE} />, place);
  await expectLoading('Measuring jobs and deadlines');
});

it('error: a trace that is gone', async () => {
  serveKept();
  show(<DeadlinesView trace={GONE_TRACE} />, { ...place, trace: 'gone' });
  await expectRefused('The deadlines could not be measured');
});
