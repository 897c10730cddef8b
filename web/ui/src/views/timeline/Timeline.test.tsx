import { screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, it, vi } from 'vitest';
import type { Episode } from '../../api/types';
import { placeNow } from '../../navigation';
import { ARM, GONE_TRACE, keptJson, RELEASED, serveKept, serveNothing } from '../../testing/answers';
import { goTo, show } from '../../testing/show';
import { expectLoading, expectRefused } from '../../testing/states';
import TimelineView from '.';
import { LaneSource } from './laneSource';

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
