import { screen, within } from '@testing-library/react';
import { expect, it } from 'vitest';
import type { Schema } from '../../api/types';
import { GONE_TRACE, keptJson, RELEASED, serveKept, serveNothing } from '../../testing/answers';
import { show } from '../../testing/show';
import { expectLoading, expectRefused } from '../../testing/states';
import SqlView from '.';

const at = (sql: string) => ({ trace: 'released', view: 'sql', params: { sql } }) as const;

it('filled: a linked query is run, its rows are a table, and the schema is beside it', async () => {
  serveKept();
  const sql = 'SELECT cpu, sum(dur_ns) AS ns FROM cpu_slice GROUP BY cpu ORDER BY cpu';
  show(<SqlView trace={RELEASED} />, at(sql));
  expect(await screen.findByText(/^8 rows in/)).toBeTruthy();
  expect(screen.getByRole('columnheader', { name: 'ns' })).toBeTruthy();
  expect(screen.getAllByRole('row').length).toBe(9);
  expect(screen.getByRole('button', { name: 'Chart' })).toBeTruthy();
  expect(screen.getByRole('textbox', { name: 'SQL query' }).textContent).toBe(sql);
  const [table] = keptJson<Schema>('traces/released/schema').tables;
  const schema = screen.getByRole('complementary', { name: 'Tables and columns' });
  expect((await within(schema).findAllByText(table?.name as string)).length).toBeGreaterThan(0);
});

it('empty: a query without rows says so, with its columns', async () => {
  serveKept();
  show(<SqlView trace={RELEASED} />, at('SELECT cpu FROM cpu_slice WHERE cpu < 0'));
  expect(await screen.findByText(/^0 rows in/)).toBeTruthy();
  expect(screen.getByRole('columnheader', { name: 'cpu' })).toBeTruthy();
});

it('empty: before a query is run it says where its rows will be', async () => {
  serveKept();
  show(<SqlView trace={RELEASED} />, { trace: 'released', view: 'sql' });
  expect(await screen.findByText('Results appear here')).toBeTruthy();
  await screen.findByText('Macros');
});

it('loading: the query and the schema say what is awaited; the query can be cancelled', async () => {
  serveNothing();
  show(<SqlView trace={RELEASED} />, at('SELECT 1'));
  await expectLoading('Running the query');
  expect(screen.getByText('Reading the schema')).toBeTruthy();
  expect(screen.getByRole('button', { name: 'Cancel' })).toBeTruthy();
});

it('refused: the line of the server, with the place in the query', async () => {
  serveKept();
  show(<SqlView trace={RELEASED} />, at('SELECT cpu FROM cpu_slices'));
  const alert = await screen.findByRole('alert');
  expect(alert.textContent).toContain('The query was refused');
  expect(alert.textContent).toContain('Table with name cpu_slices does not exist');
  expect(within(alert).getByText(/\^\^\^/).tagName).toBe('PRE');
  await screen.findByText('Macros');
});

it('refused: the schema of a trace that is gone', async () => {
  serveKept();
  show(<SqlView trace={GONE_TRACE} />, { trace: 'gone', view: 'sql' });
  await expectRefused();
});
