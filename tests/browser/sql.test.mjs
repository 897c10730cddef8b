// The SQL page: a refusal with its place, a query that is cancelled, rows that are exported and linked, saved queries, a server
// that is gone.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import test from 'node:test';
import { ADDRESS, ask, eventually, open, parameter, settled, withBrowser } from './browser.mjs';

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

test('rows lead to the timeline, are saved as files, and copied', () =>
  withBrowser(async (browser) => {
    const page = await open(browser, '#/wasted/sql', { permissions: ['clipboard-read', 'clipboard-write'] });
    await ask(page, 'SELECT start_ns, dur_ns, cpu, (SELECT epoch_ns FROM trace) AS epoch_ns FROM cpu_slice ORDER BY ALL LIMIT 2');
    await page.getByText(/^2 rows in/).waitFor();
    const files = [];
    for (const name of ['Save as CSV', 'Save as JSON']) {
      const saving = page.waitForEvent('download');
      await page.getByRole('button', { name }).press('Enter');
      const saved = await saving;
      files.push([saved.suggestedFilename(), readFileSync(await saved.path(), 'utf8')]);
    }
    const [[csvName, csv], [jsonName, json]] = files;
    assert.deepEqual([csvName, jsonName], ['wasted-query.csv', 'wasted-query.json']);
    const [head, first] = csv.split('\n');
    assert.equal(head, 'start_ns,dur_ns,cpu,epoch_ns');
    const { epoch_ns } = await (await fetch(`${ADDRESS}api/traces/wasted/identity`)).json();
    const [start, , cpu, epoch] = first.split(',');
    assert.equal(Number(epoch), epoch_ns);
    assert.ok(json.includes(`"epoch_ns": ${epoch}}`), 'to the last digit');
    await page.getByRole('button', { name: 'Copy', exact: true }).press('Enter');
    await page.getByText('Copied 2 rows').waitFor();
    const copied = await page.evaluate(() => navigator.clipboard.readText());
    assert.equal(copied.replaceAll('\t', ','), csv);
    await page.getByRole('link', { name: start }).first().press('Enter');
    assert.equal(parameter(page, 'slice'), `${cpu}@${start}`);
    assert.deepEqual(page.errors, []);
  }));

test('each example runs', () =>
  withBrowser(async (browser) => {
    const page = await open(browser, '#/wasted/sql');
    const queries = page.getByRole('button', { name: 'Queries …' });
    const examples = page.getByRole('region', { name: 'Examples' }).getByRole('button');
    await queries.click();
    const titles = await examples.allTextContents();
    assert.ok(titles.length >= 5);
    for (const [index, title] of titles.entries()) {
      if (index > 0) await queries.click();
      await examples.nth(index).click();
      await settled(page);
      await page.getByText(/^[\d,]+ rows? in/).waitFor();
      assert.equal(await page.getByRole('alert').count(), 0, title);
    }
  }));

test('a saved query is there after a reload, and its link opens it elsewhere', () =>
  withBrowser(async (browser) => {
    const page = await open(browser, '#/wasted/sql');
    await ask(page, 'SELECT 7 AS seven');
    await page.getByRole('cell', { name: '7', exact: true }).waitFor();
    await page.getByRole('button', { name: 'Queries …' }).click();
    await page.getByLabel('Name of the query in the editor').fill('seven');
    await page.keyboard.press('Enter');
    await page.getByText('“seven” is saved.').waitFor();
    await page.goto(`${ADDRESS}#/wasted/sql`);
    await page.reload();
    await page.getByRole('button', { name: 'Queries …' }).click();
    await page.getByRole('button', { name: 'seven', exact: true }).click();
    await page.getByRole('cell', { name: '7', exact: true }).waitFor();
    const other = await open(browser, new URL(page.url()).hash);
    await other.getByRole('cell', { name: '7', exact: true }).waitFor();
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
