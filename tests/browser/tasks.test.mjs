// What an engineer asks of a recording, each from the verdict's page: how many actions it takes. An action is a click, a key, or a text that is typed.
// TASKS=print prints the actions and the seconds from the first to the answer (docs/guide/perfetto.md).

import assert from 'node:assert/strict';
import test from 'node:test';
import { ADDRESS, AXE, eventually, open, parameter, query, settled, shows, withBrowser } from './browser.mjs';

const api = async (path) => (await fetch(`${ADDRESS}api/traces/wasted/${path}`)).json();

/** Counts what is done to a page, and the time that it takes. */
function actionsOn(page) {
  const began = Date.now();
  let count = 0;
  const counted = (work) => {
    count += 1;
    return work;
  };
  return {
    click: (locator) => counted(locator.click()),
    key: (key) => counted(page.keyboard.press(key)),
    type: (text) => counted(page.keyboard.type(text)),
    done: (task, most) => {
      const seconds = (Date.now() - began) / 1000;
      if (process.env.TASKS === 'print') console.log(`${task}: ${count} actions, ${seconds.toFixed(1)} s`);
      assert.ok(count <= most, `${task}: ${count} actions`);
    },
  };
}

const fact = (panel, name) => panel.locator('dt', { hasText: name }).locator('xpath=following-sibling::dd');

/** The page, whose tables were made: what is counted is how it is used. */
async function ready(browser) {
  const page = await open(browser, '#/wasted/timeline', { permissions: ['clipboard-read', 'clipboard-write'] });
  await settled(page);
  await page.keyboard.press('1');
  await page.locator('h1').first().waitFor();
  await settled(page);
  return page;
}

test('who delayed a thread at a time, which CPU idled meanwhile, and a link to exactly that', () =>
  withBrowser(async (browser) => {
    const page = await ready(browser);
    const worst = (await api('latency?by=thread&limit=5')).longest[0];
    const since = (worst.start_ns + worst.dur_ns / 2 - (await api('verdict')).trace.start_ns) / 1e9;
    const act = actionsOn(page);
    const option = (text) => page.getByRole('option').filter({ hasText: text }).first().waitFor();
    await act.key('/');
    await act.type(`${worst.name} ${worst.tid}`);
    await option(`tid ${worst.tid}`);
    await act.key('Enter');
    await act.key('/');
    await act.type(`+${since.toFixed(9)} s`);
    await option('what the followed thread did then');
    await act.key('Enter');
    const panel = page.getByRole('region', { name: 'Details' });
    await fact(panel, 'behind').waitFor();
    act.done('who delayed the thread', 6);
    assert.match(await fact(panel, 'behind').innerText(), /\d (ns|µs|ms|s)/);
    const exact = await api(`threads/${worst.utid}/instant?at=${Math.round(worst.start_ns + worst.dur_ns / 2)}`);
    if (exact.wait.idle.length > 0)
      assert.match(await fact(panel, 'idle CPUs').innerText(), new RegExp(`^CPU ${exact.wait.idle[0].cpu} `));
    act.done('which CPU idled meanwhile', 6);

    const link = actionsOn(page);
    await link.key('y');
    await eventually(async () => (await page.evaluate(() => navigator.clipboard.readText())) === page.url(), 'the link');
    link.done('send a colleague the exact view', 1);
    assert.deepEqual(page.errors, []);
  }));

test('the longest wait of a process', () =>
  withBrowser(async (browser) => {
    const page = await ready(browser);
    // Not the one with the longest wait of all: the list of the whole trace would answer for that one.
    const { groups, longest: overall } = await api('latency?by=process&limit=50');
    const group = groups.find((row) => row.key !== null && row.longest_ns < overall[0].dur_ns && row.waits > 2);
    const act = actionsOn(page);
    await act.key('6');
    await act.click(page.getByRole('tab', { name: 'Processes' }));
    await act.click(page.getByRole('table', { name: 'Processes' }).getByRole('row').filter({ hasText: `${group.name} ${group.tgid}` }).first());
    const table = page.getByRole('table', { name: `Longest waits of ${group.name} ${group.tgid}` });
    await table.waitFor();
    act.done('longest wait of a process', 3);

    const own = `FROM waits() w JOIN thread t USING (utid) WHERE t.upid = ${group.key}`;
    const wanted = await query(page, 'wasted', `SELECT t.name || ' ' || t.tid AS thread, w.dur_ns ${own} ORDER BY w.dur_ns DESC, w.start_ns, w.utid LIMIT 20`);
    const rows = await table.locator('tbody tr').all();
    assert.equal(rows.length, wanted.length);
    assert.equal(wanted[0].dur_ns, group.longest_ns);
    for (const [i, row] of rows.entries()) {
      const [, thread, wait] = await row.getByRole('cell').allInnerTexts();
      assert.equal(thread.replace(/\s+/g, ' ').trim(), wanted[i].thread, `row ${i} is of the process`);
      shows(wait.replace(' or more', ''), wanted[i].dur_ns / 1e9, 's', `wait ${i}`);
    }
    const [{ n }] = await query(page, 'wasted', `SELECT count(*) AS n ${own}`);
    assert.ok((await page.locator('main').innerText()).includes(`${n.toLocaleString('en')} waits of ${group.name} (tgid ${group.tgid}) for a CPU`));
    await page.getByRole('heading', { name: `Waits of ${group.name} ${group.tgid} by length` }).waitFor();
    assert.deepEqual(page.errors, []);
  }));

test('what the balancer did about the worst waste', () =>
  withBrowser(async (browser) => {
    const page = await ready(browser);
    const act = actionsOn(page);
    await act.click(page.locator('ol a[class*="main"]').first());
    await act.click(page.getByRole('region', { name: 'Details' }).getByRole('link', { name: 'Why', exact: true }));
    const why = page.getByRole('region', { name: 'Why' });
    await why.waitFor();
    act.done('what the balancer did', 2);
    const [worst] = (await api('verdict')).worst;
    const { diagnosis } = await api(`episodes/${worst.id}`);
    const chosen = diagnosis.answers.filter((answer) => answer.chosen && answer.rule);
    assert.ok(chosen.length > 0, 'there are answers');
    await eventually(async () => {
      const text = (await why.innerText()).toLowerCase();
      return chosen.every(({ rule, proof }) => text.includes(rule) && text.includes(proof));
    }, 'the rule of each answer is there, with its proof');
    assert.deepEqual(page.errors, []);
  }));

test('two runs compared', () =>
  withBrowser(async (browser) => {
    const page = await ready(browser);
    const act = actionsOn(page);
    await act.key('8');
    const wasted = page.getByRole('row', { name: /^wasted / }).first();
    await wasted.waitFor();
    act.done('compare two runs', 1);
    const names = await page.getByRole('columnheader').allInnerTexts();
    const other = names.find((name) => name.endsWith('.duckdb') && name !== 'wasted.duckdb').replace('.duckdb', '');
    const compared = await page.evaluate(async (b) => (await fetch(`api/compare?a=wasted&b=${b}`)).json(), other);
    const { a, b, difference, unit } = compared.measures.find(({ name }) => name === 'wasted');
    const cells = await wasted.getByRole('cell').allTextContents();
    for (const [i, value] of [a, b, difference].entries()) shows(cells[i], value, unit, `wasted: ${['one run', 'the other', 'difference'][i]}`);
    assert.deepEqual(page.errors, []);
  }));

test('kernel stacks of what is in sight: a flame graph with an address, by keys alone, accessible', () =>
  withBrowser(async (browser) => {
    const page = await open(browser, '#/wasted/timeline');
    await settled(page);
    await page.keyboard.press('Shift+R');
    await page.keyboard.press('k');
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('tab', { name: 'Moves' }).click();
    const graph = dialog.getByRole('group', { name: 'Flame graph of moves' });
    await graph.waitFor();
    assert.equal(parameter(page, 'stacks'), 'moves');
    const span = parameter(page, 's').split('@')[0].split('-');
    const answer = await api(`stacks?of=moves&start=${span[0]}&end=${span[1]}`);
    assert.match(await dialog.innerText(), new RegExp(`${answer.events.toLocaleString('en').replace(/,/g, '[, \\u202f\\u2009]')} moves`));
    assert.match(await graph.getByRole('button').first().getAttribute('aria-label'), /^all: .* moves, 100/);
    await graph.getByRole('button').first().focus();
    await page.keyboard.press('ArrowDown');
    const focused = () => page.evaluate(() => document.activeElement?.getAttribute('aria-label'));
    assert.doesNotMatch(await focused(), /^all/);
    await page.keyboard.press('Enter');
    await dialog.getByRole('button', { name: 'Show all' }).waitFor();
    await page.evaluate(AXE);
    const found = await page.evaluate(() => window.axe.run(document.querySelector('dialog[open]')));
    assert.deepEqual(found.violations.map(({ id, nodes }) => `${id}: ${nodes[0].html}`), []);
    await dialog.getByRole('tab', { name: 'Switches' }).click();
    await dialog.getByText('No kernel stacks of the').waitFor();
    await page.keyboard.press('Escape');
    await eventually(async () => parameter(page, 'stacks') === null, 'the dialog is closed');
    assert.deepEqual(page.errors, []);
  }));
