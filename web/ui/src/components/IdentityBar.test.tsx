import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, it } from 'vitest';
import type { TraceSummary } from '../api/types';
import { ARM, GONE_TRACE, keptRefusal, RELEASED, serveKept, serveNothing } from '../testing/answers';
import { show } from '../testing/show';
import { Header } from './Header';

const header = (trace: TraceSummary) =>
  show(<Header traces={[trace]} trace={trace} />, { trace: trace.id, view: 'verdict' });
const strip = () => screen.getByRole('button', { name: /^About this recording/ });
const fact = (name: string) =>
  within(screen.getByRole('dialog')).getByText(name, { selector: 'dt' }).nextElementSibling?.textContent;

it('filled: the line has time, command, kernel, topology, evidence, and what was not recorded', async () => {
  serveKept();
  header(RELEASED);
  await waitFor(() =>
    expect(strip().textContent).toBe(
      'About this recording: 2026-11-21 16:20:31 UTC · 4.26 s · bash /tmp/workload · Linux 7.2.12+deb13-amd64 · ' +
        '8 CPUs, 2 nodes, 2 LLCs · evidence L2 · not recorded: host, preemption',
    ),
  );
});

it('filled: the dialog has all of it; it opens by a click and by a key', async () => {
  serveKept();
  header(RELEASED);
  await userEvent.click(strip());
  const dialog = await screen.findByRole('dialog', { name: 'About this recording' });
  await within(dialog).findByText('Command');
  expect(fact('Command')).toBe('bash /tmp/workload');
  expect(fact('Recorded')).toBe('2026-11-21 16:20:31 UTC to 16:20:35 UTC');
  expect(fact('Host')).toBe('not recorded');
  expect(fact('Preemption')).toBe('not recorded');
  expect(fact('Topology')).toBe('8 CPUs, 2 nodes, 2 LLCs');
  expect(fact('Evidence of causes')).toContain('recorded: moves of threads, kernel stacks of moves');
  expect(fact('Evidence of causes')).toContain('not recorded: placements of threads');
  await userEvent.click(within(dialog).getByRole('button', { name: 'Close' }));
  expect(screen.queryByRole('dialog')).toBeNull();
  await userEvent.keyboard('i');
  expect(await screen.findByRole('dialog', { name: 'About this recording' })).toBeTruthy();
});

it('empty: of a trace that holds little, each absent value is said to be not recorded', async () => {
  serveKept();
  header(ARM);
  await waitFor(() => expect(strip().textContent).toContain('not recorded: time, host, kernel, preemption'));
  await userEvent.click(strip());
  await within(await screen.findByRole('dialog')).findByText('Kernel');
  for (const name of ['Recorded', 'Host', 'Command line', 'Kernel', 'Preemption', 'Processor'])
    expect(fact(name), name).toBe('not recorded');
  expect(fact('Topology')).toBe('5 CPUs; not recorded: cores, last-level caches, NUMA nodes');
});

it('loading: the line is there, so that nothing moves, and the dialog says what is awaited', async () => {
  serveNothing();
  header(RELEASED);
  await userEvent.click(strip());
  expect(
    await screen.findByText('Reading what the trace says about itself', undefined, { timeout: 3000 }),
  ).toBeTruthy();
});

it('refused: the line says so, and the dialog has the line of the server', async () => {
  serveKept();
  header(GONE_TRACE);
  await waitFor(() => expect(strip().textContent).toContain('could not be read'));
  await userEvent.click(strip());
  expect((await screen.findByRole('alert')).textContent).toContain(keptRefusal('traces/gone/verdict'));
  expect(screen.getByRole('button', { name: 'Try again' })).toBeTruthy();
});
