import { screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, it } from 'vitest';
import type { Verdict } from '../../api/types';
import { ARM, GONE_TRACE, keptJson, RELEASED, serveKept, serveNothing } from '../../testing/answers';
import { show } from '../../testing/show';
import { expectLoading, expectRefused } from '../../testing/states';
import ReplayView from '.';

/** A figure of the instant, once the state of that instant has come. */
const figure = (name: string): Promise<HTMLElement> =>
  screen.findByText(
    (_, element) => new RegExp(`^\\d+ ${name}`).test(element?.textContent ?? '') && element?.tagName === 'SPAN',
  );

it('filled: the picture, the figures of the instant, and what plays it', async () => {
  serveKept();
  show(<ReplayView trace={RELEASED} />, { trace: 'released', view: 'replay', episode: 1 });
  expect(await screen.findByRole('img', { name: /^The machine’s CPUs and queues/ })).toBeTruthy();
  const instant = screen.getByRole('slider', { name: 'Instant of the trace' });
  expect(instant.getAttribute('aria-valuenow')).toBe('1615616350');
  expect(await screen.findByText('1.615 616 350')).toBeTruthy();
  expect((await figure('wasted')).textContent).toMatch(/^[1-7] wasted/);
  expect((await figure('busy')).textContent).toMatch(/^[1-7] busy/);
  expect(screen.getByText(/^peak \d+ wasted$/)).toBeTruthy();
  const bubbles = screen.getByRole('combobox', { name: 'Bubbles' }) as HTMLSelectElement;
  expect(bubbles.value).toBe('natural');
  await userEvent.click(screen.getByRole('button', { name: 'Play' }));
  expect(await screen.findByRole('button', { name: 'Pause' })).toBeTruthy();
});

it('filled: without an episode in the link it opens at the worst one, and says which that is', async () => {
  serveKept();
  show(<ReplayView trace={RELEASED} />, { trace: 'released', view: 'replay' });
  const [worst] = keptJson<Verdict>('traces/released/verdict').worst as [Verdict['worst'][number]];
  const instant = await screen.findByRole('slider', { name: 'Instant of the trace' });
  const at = Number(instant.getAttribute('aria-valuenow')) + RELEASED.start_ns;
  expect(at).toBeGreaterThan(worst.start_ns);
  expect(at).toBeLessThan(worst.end_ns);
  const link = await screen.findByRole('link', { name: `episode ${worst.id}` });
  expect(link.getAttribute('href')).toContain(`e=${worst.id}`);
  expect((link.parentElement as HTMLElement).textContent).toContain(worst.severity);
});

it('empty: a trace without episodes and bubbles plays its threads; an episode that it does not have is said', async () => {
  serveKept();
  const { unmount } = show(<ReplayView trace={ARM} />, { trace: 'arm', view: 'replay' });
  expect(await screen.findByRole('img', { name: /^The machine’s CPUs and queues/ })).toBeTruthy();
  expect((await figure('wasted')).textContent).toBe('0 wasted');
  expect((await screen.findByRole('complementary', { name: 'What was not recorded' })).textContent).toContain(
    'moves have the colour of other paths',
  );
  unmount();
  show(<ReplayView trace={ARM} />, { trace: 'arm', view: 'replay', episode: 3 });
  expect(await screen.findByText('There is no episode 3 in this trace')).toBeTruthy();
  expect(screen.getByRole('link', { name: 'Replay from the start of the trace' })).toBeTruthy();
});

it('loading: a place holder, then what is awaited', async () => {
  serveNothing();
  show(<ReplayView trace={RELEASED} />, { trace: 'released', view: 'replay' });
  await expectLoading('Reading what the replay plays');
});

it('refused: the line of the server', async () => {
  serveKept();
  show(<ReplayView trace={GONE_TRACE} />, { trace: 'gone', view: 'replay' });
  await expectRefused();
});
