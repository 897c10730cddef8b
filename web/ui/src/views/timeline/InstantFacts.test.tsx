import { render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, it } from 'vitest';
import type { ThreadInstant } from '../../api/types';
import type { Threads } from '../../logic/timeline/names';
import { placeNow } from '../../navigation';
import { goTo } from '../../testing/show';
import { InstantFacts } from './InstantFacts';

const threads = { label: (utid: number) => `thread ${utid}` } as unknown as Threads;
const instant: ThreadInstant = {
  utid: 7, at_ns: 500, phase: 0, cpu: 1, start_ns: 500, end_ns: 900,
  wait: {
    start_ns: 100, dur_ns: 400, after: 'wakeup', throttled_ns: 0, cpus: [0, 1], behind_total: 5, idle: [{ cpu: 2, ns: 300 }],
    behind: [{ utid: 3, cpu: 0, ns: 200 }, { utid: 0, cpu: 1, ns: 100 }, { utid: null, cpu: 1, ns: 50 }],
  },
  wakeup: {
    wakeup_id: 4, utid: 7, waking_ns: 90, waking_known: true, waker_cpu: 2, waker_utid: 9, wakeup_ns: 100,
    target_cpu: 0, is_new: false, run_ns: 500, run_cpu: 1,
  },
  placement: { scan_id: 3, ts_ns: 95, cpu: 2, scanned: [0, 1, 3], chosen_cpu: 0, prev_cpu: 1 },
  tid: 70, name: 'seven', upid: 5, tgid: 70, process: 'seven', prio: 49, policy: 'fifo', cgroup: '', allowed: [0, 1, 2],
  stacks: [
    {
      of: 'sched_waking', ts_ns: 90, cpu: 2,
      symbols: ['try_to_wake_up+0x1', 'wake_up_q+0x2', 'futex_wake+0x3', 'do_futex+0x4', '__x64_sys_futex+0x5', 'do_syscall_64+0x6', 'entry+0x7'],
    },
    { of: 'sched_switch', ts_ns: 900, cpu: 1, symbols: ['__schedule+0x8'] },
  ],
  lacks: [],
}; // biome-ignore format: a table
const fact = (name: string) => screen.getByText(name).nextElementSibling?.textContent;

it('filled: waker, wait with who ran meanwhile, and what the thread may use', async () => {
  goTo({ trace: 'released', view: 'timeline' });
  render(<InstantFacts instant={instant} threads={threads} />);
  expect(fact('woken by')).toBe('thread 9 on CPU 2, queued 10 ns later');
  expect(fact('placement')).toBe('scanned CPUs 0-1, 3; chose 0, on CPU 2');
  expect(fact('waited after the wakeup')).toBe('400 ns on CPU 0, then 1');
  expect(fact('behind')).toBe(
    'thread 3 200 ns (CPU 0), the idle thread 100 ns (CPU 1), not observed 50 ns (CPU 1) and 2 more',
  );
  expect(fact('idle CPUs that it may use')).toBe('CPU 2 300 ns');
  expect(fact('priority')).toBe('49 (real-time 50)');
  expect(fact('policy')).toBe('fifo');
  expect(fact('cgroup')).toBe('/');
  expect(fact('may use CPUs')).toBe('0-2');
  expect(fact('stack of the waker')).toBe(
    'try_to_wake_up ← wake_up_q ← futex_wake ← do_futex ← __x64_sys_futex ← do_syscall_64 and 1 more',
  );
  expect(screen.getByTitle(/^try_to_wake_up\+0x1\s+wake_up_q\+0x2/)).toBeTruthy();
  expect(fact('stack where it left the CPU')).toBe('__schedule');
  expect(screen.queryByText('not recorded')).toBeNull();
  await userEvent.click(screen.getByRole('button', { name: 'thread 9' }));
  expect(placeNow().params).toEqual({ slice: '2@89' });
  await userEvent.click(screen.getByRole('button', { name: '400 ns' }));
  expect(placeNow().selection).toEqual({ start: 100, end: 500, cpus: [0, 1] });
});

it('an interrupt of an idle CPU is named as the waker; what the recording lacks is listed', () => {
  const wakeup = { ...(instant.wakeup as NonNullable<ThreadInstant['wakeup']>), waker_utid: 0, waking_ns: 100 };
  const lacks = ['policy: the trace has no snapshot of the thread', 'cgroup'];
  render(
    <InstantFacts
      instant={{ ...instant, phase: 4, wait: null, wakeup, policy: null, cgroup: null, placement: null, lacks }}
      threads={threads}
    />,
  );
  expect(screen.queryByText('placement')).toBeNull();
  expect(fact('woken, at its end, by')).toBe('an interrupt on idle CPU 2');
  expect(fact('not recorded')).toBe('policy: the trace has no snapshot of the thread; cgroup');
});
