import { screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, it, vi } from 'vitest';
import type { Schema } from '../../api/types';
import { parsePlace } from '../../logic/place';
import { placeNow } from '../../navigation';
import { GONE_TRACE, keptJson, RELEASED, serveKept, serveNothing } from '../../testing/answers';
import { goTo, show } from '../../testing/show';
import { expectLoading, expectRefused } from '../../testing/states';
import SqlView from '.';
import { EXAMPLES } from './examples';

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

const EPISODES = 'SELECT episode_id, start_ns, end_ns FROM episode ORDER BY episode_id LIMIT 2';
const SLICES = `SELECT start_ns, cpu, 'a,"b' AS text, [1, 2] AS list, NULL AS none FROM cpu_slice ORDER BY ALL LIMIT 2`;

it('filled: rows lead to their time on the timeline with their CPU, episodes to their page', async () => {
  serveKept();
  const { unmount } = show(<SqlView trace={RELEASED} />, at(EPISODES));
  const [first] = await screen.findAllByRole('link', { name: '61696763060' });
  const place = parsePlace(first?.getAttribute('href') ?? '');
  expect(place).toMatchObject({ view: 'timeline', episode: 1, window: { start: 61577982313, end: 62290666798 } });
  expect(parsePlace(screen.getByRole('link', { name: '1' }).getAttribute('href') ?? '')).toMatchObject({
    view: 'episodes',
    episode: 1,
  });
  unmount();
  show(<SqlView trace={RELEASED} />, at(SLICES));
  const [slice] = await screen.findAllByRole('link');
  expect(parsePlace(slice?.getAttribute('href') ?? '').params.slice).toMatch(/^\d+@\d+$/);
  expect(screen.getAllByRole('cell', { name: 'NULL' }).length).toBe(2);
});

it('filled: the rows are saved as CSV and JSON, and copied for a spreadsheet', async () => {
  serveKept();
  const saved: { name: string; text: Promise<string> }[] = [];
  let blob = new Blob();
  vi.spyOn(URL, 'createObjectURL').mockImplementation((object) => {
    blob = object as Blob;
    return 'blob:rows';
  });
  vi.spyOn(HTMLAnchorElement.prototype, 'click').mockImplementation(function (this: HTMLAnchorElement) {
    saved.push({ name: this.download, text: blob.text() });
  });
  const user = userEvent.setup();
  show(<SqlView trace={RELEASED} />, at(SLICES));
  await user.click(await screen.findByRole('button', { name: 'Save as CSV' }));
  await user.click(screen.getByRole('button', { name: 'Save as JSON' }));
  expect(saved.map(({ name }) => name)).toEqual(['released-query.csv', 'released-query.json']);
  const [csv = '', json = ''] = await Promise.all(saved.map(({ text }) => text));
  expect(csv.split('\n')[0]).toBe('start_ns,cpu,text,list,none');
  expect(csv.split('\n')[1]).toMatch(/^\d+,\d+,"a,""b","\[1,2\]",$/);
  expect(JSON.parse(json)).toHaveLength(2);
  expect(JSON.parse(json)[0]).toMatchObject({ text: 'a,"b', list: [1, 2], none: null });
  await user.click(screen.getByRole('button', { name: 'Copy' }));
  expect(await screen.findByText('Copied 2 rows')).toBeTruthy();
  expect((await navigator.clipboard.readText()).split('\n')[1]).toMatch(/^\d+\t\d+\ta,"b\t\[1,2\]\t$/);
  vi.restoreAllMocks();
});

const openQueries = async () => {
  await userEvent.click(screen.getByRole('button', { name: 'Queries …' }));
  return within(await screen.findByRole('dialog', { name: 'Queries' }));
};

it('a query is saved under a name, renamed, run, deleted, and brought back', async () => {
  serveKept();
  show(<SqlView trace={RELEASED} />, at(EPISODES));
  await screen.findByText(/^2 rows in/);
  let dialog = await openQueries();
  expect(dialog.getByText(/^None yet/)).toBeTruthy();
  await userEvent.type(dialog.getByRole('textbox', { name: 'Name of the query in the editor' }), 'two episodes{Enter}');
  expect(dialog.getByRole('status').textContent).toBe('“two episodes” is saved.');
  expect(JSON.parse(localStorage.getItem('wastenot.queries') ?? '')).toEqual([{ name: 'two episodes', sql: EPISODES }]);

  await userEvent.click(dialog.getByRole('button', { name: 'Rename two episodes' }));
  const name = dialog.getByRole('textbox', { name: 'New name of “two episodes”' });
  await userEvent.clear(name);
  await userEvent.type(name, 'the first two{Enter}');
  expect(document.activeElement).toBe(dialog.getByRole('button', { name: 'Rename the first two' }));

  goTo(at('SELECT cpu FROM cpu_slice WHERE cpu < 0'));
  await screen.findByText(/^0 rows in/);
  await userEvent.click(dialog.getByRole('button', { name: 'the first two' }));
  expect(screen.queryByRole('dialog')).toBeNull();
  expect(await screen.findByText(/^2 rows in/)).toBeTruthy();
  expect(placeNow().params.sql).toBe(EPISODES);

  dialog = await openQueries();
  await userEvent.click(dialog.getByRole('button', { name: 'Delete the first two' }));
  expect(dialog.getByRole('status').textContent).toBe('“the first two” is deleted.');
  expect(dialog.queryByRole('button', { name: 'the first two' })).toBeNull();
  expect(document.activeElement).toBe(dialog.getByRole('button', { name: 'Undo' }));
  await userEvent.keyboard('{Enter}');
  expect(dialog.getByRole('button', { name: 'the first two' })).toBeTruthy();
});

it('renaming refuses a name that is taken, and Escape keeps the name; saving under a name replaces', async () => {
  serveKept();
  localStorage.setItem(
    'wastenot.queries',
    JSON.stringify([
      { name: 'a', sql: 'SELECT 1' },
      { name: 'b', sql: 'SELECT 2' },
    ]),
  );
  show(<SqlView trace={RELEASED} />, at(EPISODES));
  await screen.findByText(/^2 rows in/);
  const dialog = await openQueries();
  await userEvent.click(dialog.getByRole('button', { name: 'Rename a' }));
  const field = dialog.getByRole('textbox', { name: 'New name of “a”' });
  await userEvent.clear(field);
  await userEvent.type(field, 'b{Enter}');
  expect(dialog.getByRole('status').textContent).toBe('Another query is called “b”.');
  await userEvent.type(field, '{Escape}');
  expect(dialog.getByRole('button', { name: 'a' })).toBeTruthy();
  await userEvent.type(dialog.getByRole('textbox', { name: 'Name of the query in the editor' }), 'b');
  await userEvent.click(dialog.getByRole('button', { name: 'Replace' }));
  expect(JSON.parse(localStorage.getItem('wastenot.queries') ?? '')).toEqual([
    { name: 'a', sql: 'SELECT 1' },
    { name: 'b', sql: EPISODES },
  ]);
});

it('a browser that stores nothing says so, and keeps the list while the page is open', async () => {
  serveKept();
  show(<SqlView trace={RELEASED} />, at(EPISODES));
  await screen.findByText(/^2 rows in/);
  const dialog = await openQueries();
  const storage = localStorage;
  let full = true;
  const setItem = (key: string, text: string) => {
    if (full) throw new DOMException('full', 'QuotaExceededError');
    storage.setItem(key, text);
  };
  vi.stubGlobal('localStorage', { getItem: (key: string) => storage.getItem(key), setItem });
  await userEvent.type(dialog.getByRole('textbox', { name: 'Name of the query in the editor' }), 'kept{Enter}');
  expect(dialog.getByRole('status').textContent).toContain('This browser stores nothing for this page');
  expect(dialog.getByRole('button', { name: 'kept' })).toBeTruthy();
  full = false;
  await userEvent.click(dialog.getByRole('button', { name: 'Delete kept' }));
  expect(storage.getItem('wastenot.queries')).toBe('[]');
});

it('each example says in a sentence what it answers', async () => {
  serveKept();
  show(<SqlView trace={RELEASED} />, { trace: 'released', view: 'sql' });
  const dialog = await openQueries();
  for (const { title, answers } of EXAMPLES) {
    expect(dialog.getByRole('button', { name: title })).toBeTruthy();
    expect(dialog.getByText(answers).textContent).toMatch(/[.?]$/);
  }
  await screen.findByText('Macros');
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
