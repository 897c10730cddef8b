import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, it, vi } from 'vitest';
import type { Episode, Identity } from '../../api/types';
import type { Flow } from '../../logic/timeline/flows';
import type { Scan } from '../../logic/timeline/scans';
import { placeNow } from '../../navigation';
import { ARM, GONE_TRACE, keptJson, RELEASED, serveKept, serveNothing } from '../../testing/answers';
import { goTo, show } from '../../testing/show';
import { expectLoading, expectRefused } from '../../testing/states';
import TimelineView from '.';
import { LaneSource } from './laneSource';
import { Source } from './source';

const [worst] = keptJson<Episode[]>('traces/released/episodes?limit=1000') as [Episode, ...Episode[]];

it('filled: a lane per CPU under its node, the colours with their names, and the chosen episode below', async () => {
  serveKept();
  show(<TimelineView trace={RELEASED} />, { trace: 'released', view: 'timeline', episode: worst.episode_id });
  expect(await screen.findByRole('img', { name: /^What each CPU and each listed thread did over time/ })).toBeTruthy();
  for (let cpu = 0; cpu < 8; cpu++)
    expect(screen.getByTitle(`CPUs ${cpu}: statistics of what is in sight`)).toBeTruthy();
  expect(screen.getByRole('button', { name: /CPUs 0-3$/ }).getAttribute('aria-expanded')).toBe('true');
  const colours = screen.getByRole('list', { name: 'Colours of the lanes' });
  expect(within(colours).getByText('idle, wasted')).toBeTruthy();
  const details = screen.getByRole('region', { name: 'Details' });
  expect(await within(details).findByText(worst.sentence)).toBeTruthy();
  expect(screen.getByText(`episode ${worst.episode_id}`)).toBeTruthy();
  expect(screen.getByRole('button', { name: 'Next episode' })).toBeTruthy();
});

it('filled: colours by process name the processes that ran longest', async () => {
  serveKept();
  show(<TimelineView trace={RELEASED} />, { trace: 'released', view: 'timeline', scheme: 'process' });
  const colours = await screen.findByRole('list', { name: 'Colours of the lanes' });
  expect(within(colours).getByText('record')).toBeTruthy();
});

it('filled: pinned threads have lanes with names, which unpin them; groups unfold', async () => {
  serveKept();
  // What they draw is the browser's test.
  vi.spyOn(LaneSource.prototype, 'chunks').mockReturnValue([]);
  vi.spyOn(LaneSource.prototype, 'flowsIn').mockReturnValue({ flows: [], truncated: false });
  const threads = namedThreads();
  const { utid, name } = threads[0] as { utid: number; name: string };
  show(<TimelineView trace={RELEASED} />, { trace: 'released', view: 'timeline', pins: [`t${utid}`] });
  const unpin = await screen.findByRole('button', { name: `Unpin: ${name}` });
  expect(unpin.getAttribute('aria-pressed')).toBe('true');
  expect(screen.getByRole('list', { name: 'Colours of the lanes of threads' })).toBeTruthy();
  await userEvent.click(unpin);
  expect(screen.queryByRole('button', { name: `Unpin: ${name}` })).toBeNull();
  expect(placeNow().pins).toEqual([]);

  await userEvent.selectOptions(screen.getByRole('combobox', { name: 'Threads' }), 'All by cgroup');
  const [group] = await screen.findAllByRole('button', { name: /: its threads$/ });
  expect(group?.getAttribute('aria-expanded')).toBe('false');
  await userEvent.click(group as HTMLElement);
  expect(placeNow()).toMatchObject({ grouping: 'cgroup', open: [expect.stringMatching(/^c\d+$/)] });
  expect(screen.getAllByRole('button', { name: /^Pin above the CPUs: / }).length).toBeGreaterThan(1);
});

it('filled: a key shows the arrows of wakeups one after the other, each with from, to and latency', async () => {
  serveKept();
  vi.spyOn(LaneSource.prototype, 'chunks').mockReturnValue([]);
  const [woken, waker] = namedThreads() as [{ utid: number; name: string }, { utid: number; name: string }];
  const at = RELEASED.start_ns + 1_000_000_000;
  const flow = { id: 5, utid: woken.utid, waking: at, wakerCpu: 2, waker: waker.utid, wakeup: at + 2000, target: 3 };
  const flows: Flow[] = [
    { ...flow, run: at + 502_000, runCpu: 3 },
    { ...flow, id: 6, waking: at + 900_000_000, wakeup: at + 900_000_000, waker: 0, run: null, runCpu: null },
  ];
  vi.spyOn(LaneSource.prototype, 'flowsIn').mockReturnValue({ flows, truncated: false });
  show(<TimelineView trace={RELEASED} />, { trace: 'released', view: 'timeline', pins: [`t${woken.utid}`] });
  await screen.findByRole('button', { name: `Unpin: ${woken.name}` });
  const said = () => screen.getAllByRole('status').find((output) => output.textContent?.startsWith('Wakeup of'));
  await waitFor(async () => {
    await userEvent.keyboard('v');
    expect(said()).toBeTruthy();
  });
  await userEvent.keyboard('{Escape}v');
  const text = `Wakeup of ${woken.name}, from ${waker.name} on CPU 2, to ${woken.name} on CPU 3, latency 500 µs`;
  await waitFor(() => expect(said()?.textContent).toContain(text));
  expect(screen.getByText('latency', { selector: 'dt' }).nextElementSibling?.textContent).toBe('500 µs');
  await userEvent.keyboard('v');
  await waitFor(() => expect(said()?.textContent).toContain('from an interrupt on idle CPU 2'));
  await userEvent.keyboard('V');
  await waitFor(() => expect(said()?.textContent).toContain('latency 500 µs'));
  await userEvent.keyboard('{Escape}');
  await waitFor(() => expect(said()).toBeUndefined());
});

it('filled: an overlay says where its evidence was not recorded, and why, while it is on', async () => {
  const identity = keptJson<Identity>('traces/released/identity');
  const evidence = identity.evidence.map((row) =>
    row.kind === 'load_balance_attempts' ? { ...row, state: 'absent', why: 'this kernel refuses fexit probes' } : row,
  );
  serveKept({ 'traces/released/identity': { ...identity, evidence } });
  show(<TimelineView trace={RELEASED} />, { trace: 'released', view: 'timeline', overlays: ['episodes'] });
  const balancing = await screen.findByRole('button', { name: 'Balancing' });
  expect(screen.queryByRole('complementary', { name: 'What was not recorded' })).toBeNull();
  await userEvent.click(balancing);
  expect((await screen.findByRole('complementary', { name: 'What was not recorded' })).textContent).toBe(
    'Not recorded: load-balance attempts (this kernel refuses fexit probes): none is drawn',
  );
});

it('filled: scans and interrupts have marks in the legend, are stepped through by key, and say what is not recorded', async () => {
  serveKept();
  const at = RELEASED.start_ns + 1_000_000_000;
  const [woken] = namedThreads() as [{ utid: number; name: string }];
  const scan: Scan = {
    id: 5, t: at, cpu: 6, utid: woken.utid, made: 'wakeup', scanned: [0, 1, 2, 3, 6], chosen: 2, before: 6,
    target: null, level: null, pulled: null, found: null,
  }; // biome-ignore format: a table
  const scans = vi
    .spyOn(Source.prototype, 'scansIn')
    .mockImplementation((of) => (of === 'placements' ? [{ rows: [scan], truncated: false }] : []));
  const interrupts = vi.spyOn(Source.prototype, 'interruptsIn').mockReturnValue([
    {
      first: Int32Array.from([0, 0, 0, 0, 1, 1, 1, 1, 1]),
      start: Float64Array.of(at + 1000),
      end: Float64Array.of(at + 46_000),
      kind: Uint8Array.of(1),
      vector: Int32Array.of(3),
      longest: 45_000,
      truncated: false,
    },
  ]);
  show(<TimelineView trace={RELEASED} />, { trace: 'released', view: 'timeline', overlays: ['episodes'] });
  const toggle = await screen.findByRole('button', { name: 'Scans' });
  expect(screen.queryByRole('list', { name: 'Marks of CPUs scanned' })).toBeNull();
  expect([scans.mock.calls, interrupts.mock.calls]).toEqual([[], []]); // switched off they cost nothing
  await userEvent.click(toggle);
  await userEvent.click(screen.getByRole('button', { name: 'Interrupts' }));
  expect(placeNow().overlays).toEqual(['episodes', 'scans', 'interrupts']);
  expect(screen.getByRole('list', { name: 'Marks of CPUs scanned' }).textContent).toContain('CPU chosen');
  expect(await screen.findByRole('list', { name: 'Colours of interrupts' })).toBeTruthy();
  expect((await screen.findByRole('complementary', { name: 'What was not recorded' })).textContent).not.toContain(
    'CPUs scanned by load-balance attempts',
  );
  expect(scans.mock.calls.some(([of]) => of === 'attempts')).toBe(false);
  await userEvent.click(screen.getByRole('button', { name: 'Balancing' }));
  await waitFor(() => expect(scans.mock.calls.some(([of]) => of === 'attempts')).toBe(true));
  await userEvent.click(screen.getByRole('button', { name: 'Balancing' }));
  const said = () => screen.getAllByRole('status').map((output) => output.textContent);
  await waitFor(async () => {
    await userEvent.keyboard('{Escape}v');
    expect(said().join()).toContain(`Placement of ${woken.name} at its wakeup, scanned CPUs 0-3, 6; chose 2`);
  });
  await userEvent.keyboard('v');
  await waitFor(() => expect(said().join()).toContain('Interrupt work on CPU 3, kind softirq NET_RX'));
  await userEvent.keyboard('V');
  await waitFor(() => expect(said().join()).toContain('chose 2'));
});

it('filled: idle states and frequencies are offered where the trace has them, with their scale in the legend', async () => {
  const identity = keptJson<Identity>('traces/released/identity');
  serveKept({ 'traces/released/identity': { ...identity, deepest_idle_state: 3, highest_khz: 2_400_000 } });
  const power = vi.spyOn(Source.prototype, 'powerIn').mockReturnValue([]);
  show(<TimelineView trace={RELEASED} />, { trace: 'released', view: 'timeline', overlays: ['episodes'] });
  const idle = await screen.findByRole('button', { name: 'Idle states' });
  expect(power.mock.calls).toEqual([]); // switched off they cost nothing
  await userEvent.click(idle);
  await userEvent.click(screen.getByRole('button', { name: 'Frequency' }));
  expect(placeNow().overlays).toEqual(['episodes', 'idle', 'frequency']);
  expect(screen.getByRole('list', { name: 'Colours of idle states' }).textContent).toBe('idle states 0 to 3');
  expect(screen.getByRole('list', { name: 'Line of the frequency' }).textContent).toBe('frequency, up to 2.40 GHz');
  await waitFor(() =>
    expect(new Set(power.mock.calls.map(([of]) => of))).toEqual(new Set(['idle_state', 'frequency'])),
  );
});

it('filled: of a trace without idle states only a link asks for them, and is answered', async () => {
  serveKept();
  vi.spyOn(Source.prototype, 'powerIn').mockReturnValue([]);
  show(<TimelineView trace={RELEASED} />, { trace: 'released', view: 'timeline', overlays: ['idle'] });
  const idle = await screen.findByRole('button', { name: 'Idle states' });
  expect((await screen.findByRole('complementary', { name: 'What was not recorded' })).textContent).toBe(
    'Not recorded: idle states of CPUs: not drawn',
  );
  expect(screen.queryByRole('button', { name: 'Frequency' })).toBeNull();
  expect(screen.queryByRole('list', { name: 'Colours of idle states' })).toBeNull();
  await userEvent.click(idle);
  expect(screen.queryByRole('button', { name: 'Idle states' })).toBeNull();
});

/** The threads of the kept trace, by name. */
function namedThreads(): { utid: number; name: string }[] {
  const { rows } = keptJson<{ rows: { utid: number; name: string; tid: number }[] }>(
    'traces/released/top/thread?limit=1000',
  );
  return rows.map(({ utid, name, tid }) => ({ utid, name: `${name} ${tid}` }));
}

it('empty: a trace without episodes has lanes and no steps from episode to episode', async () => {
  serveKept();
  show(<TimelineView trace={ARM} />, { trace: 'arm', view: 'timeline' });
  expect(await screen.findByTitle('CPUs 4: statistics of what is in sight')).toBeTruthy();
  expect(screen.queryByRole('button', { name: 'Next episode' })).toBeNull();
  expect(
    within(screen.getByRole('region', { name: 'Details' })).getByText('next episode', { exact: false }),
  ).toBeTruthy();
  goTo({ trace: 'arm', view: 'timeline', episode: 3 });
  expect((await screen.findByRole('alert')).textContent).toBe('There is no episode 3 in this trace.');
});

it('loading: a place holder, then what is awaited', async () => {
  serveNothing();
  show(<TimelineView trace={RELEASED} />, { trace: 'released', view: 'timeline' });
  await expectLoading('Reading the machine and its threads');
});

it('refused: the line of the server', async () => {
  serveKept();
  show(<TimelineView trace={GONE_TRACE} />, { trace: 'gone', view: 'timeline' });
  await expectRefused();
});
