// The SQL page: a refusal with its place, a query that is cancelled, a server that is gone.

import assert from 'node:assert/strict';
import test from 'node:test';
import { ask, eventually, open, withBrowser } from './browser.mjs';

test('a refused query shows its line and a caret below the place', () =>
  withBrowser(async (browser) => {
    const page = await open(browser, '#/wasted/sql');
    await ask(page, 'SELECT cpu,\n  nothing\nFROM cpu');
    const alert = page.getByRole('alert');
    await alert.getByText('The query was refused').waitFor();
    const [line, caret] = (await alert.locator('pre').textContent()).split('\n');
    assert.ok(line.startsWith('LINE 2: ') && line.slice(caret.indexOf('^')).startsWith('nothing'), `${line}\n${caret}`);
    await ask(page, 'SELECT 1 AS one WHERE false');
    await page.getByText(/^0 rows/).waitFor();
    assert.equal(await alert.count(), 0);
  }));

test('a long query can be cancelled, and the next one runs', () =>
  withBrowser(async (browser) => {
    const page = await open(browser, '#/wasted/sql');
    await ask(page, 'SELECT count(*) FROM cpu_slice a, cpu_slice b, cpu_slice c, cpu_slice d WHERE a.dur_ns + b.dur_ns < c.dur_ns + d.dur_ns');
    await page.getByText('Running the query').waitFor();
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.getByText('Cancelled', { exact: true }).waitFor();
    assert.equal(await page.getByRole('alert').count(), 0, 'that is no error');
    await ask(page, 'SELECT 7 AS seven');
    await page.getByRole('cell', { name: '7', exact: true }).waitFor();
  }));

test('a query to a server that is gone says so, and runs once it is back', () =>
  withBrowser(async (browser) => {
    const page = await open(browser, '#/wasted/sql');
    await page.getByLabel('SQL query').waitFor();
    await page.route('**/api/**/sql*', (route) => route.abort());
    await ask(page, 'SELECT 7 AS seven');
    await page.getByText('Not connected').waitFor();
    await page.getByText(/is `wastenot serve` still running/).waitFor();
    await page.unroute('**/api/**/sql*');
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await eventually(async () => (await page.getByRole('cell', { name: '7', exact: true }).count()) === 1, 'it answers');
  }));
