import { screen, within } from '@testing-library/react';
import { expect, it } from 'vitest';
import type { TraceRow } from '../../api/types';
import { percent } from '../../logic/units';
import { ARM, keptJson, RELEASED, serveKept, serveNoServer, serveNothing } from '../../testing/answers';
import { show } from '../../testing/show';
import { expectLoading } from '../../testing/states';
import { Home } from './Home';

it('filled: a row per trace with its waste, its doubt, and a link to its verdict', async () => {
  serveKept();
  show(<Home />, {});
  const row = await screen.findByRole('link', { name: /^released\.duckdb/ });
  expect(row.getAttribute('href')).toBe('#/released/verdict');
  expect(row.textContent).toContain(`${percent(RELEASED.wasted_share)} wasted`);
  expect(row.textContent).toContain('8 CPUs');
  expect(row.textContent).toContain('Linux 7.2.12');
  const doubtful = screen.getByRole('link', { name: /^arm\.duckdb/ });
  expect(within(doubtful).getByText(ARM.doubt as string)).toBeTruthy();
  expect(screen.getByRole('button', { name: 'Choose a file' })).toBeTruthy();
});

it('filled: a file that cannot be read stays in the list, with the reason', async () => {
  const [first] = keptJson<TraceRow[]>('traces');
  serveKept({ traces: [{ ...first, error: 'not a trace', start_ns: null }, ARM] });
  show(<Home />, {});
  expect(await screen.findByText('not a trace')).toBeTruthy();
  expect(screen.queryByRole('link', { name: /^released/ })).toBeNull();
});

it('empty: how to record a trace, and where to drop one', async () => {
  serveKept({ traces: [] });
  show(<Home />, {});
  expect(await screen.findByText('No trace yet')).toBeTruthy();
  expect(screen.getByText('wastenot record -o T.duckdb --for 10s')).toBeTruthy();
  expect(screen.getByRole('region', { name: 'Import a trace' })).toBeTruthy();
});

it('loading: a place holder, then what is awaited', async () => {
  serveNothing();
  show(<Home />, {});
  await expectLoading('Reading the list of traces');
});

it('error: without a server it says so, and offers to try again', async () => {
  serveNoServer();
  show(<Home />, {});
  const alert = await screen.findByRole('alert');
  expect(alert.textContent).toContain('Not connected');
  expect(alert.textContent).toContain('is `wastenot serve` still running?');
  expect(screen.getByRole('button', { name: 'Try again' })).toBeTruthy();
});
