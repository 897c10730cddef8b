// From the verdict to what proves it, and back by the link.

import assert from 'node:assert/strict';
import test from 'node:test';
import { ADDRESS, ask, eventually, open, parameter, pointOnLane, shows, withBrowser } from './browser.mjs';

test('the verdict leads to the worst episode, its slices, SQL and another trace', () =>
  withBrowser(async (browser) => {
    const page = await open(browser);
    await page.getByRole('link', { name: /wasted\.duckdb/ }).click();

    const headline = page.getByRole('heading', { level: 1 });
    await headline.waitFor();
    assert.match(await headline.textContent(), /^3\.\d of 8 cores wasted for 2\.5\d s$/);
    await page.getByRole('heading', { name: 'Excuse ledger' }).waitFor();

    // From the headline to the remedy: how bad, why and how sure, then the episode with what to do and the page of the rule.
    const api = (path) => page.evaluate(async (at) => (await fetch(`api/traces/wasted/${at}`)).json(), path);
    const verdict = await api('verdict');
    const bad = page.getByText(/^Severity:/);
    assert.equal((await bad.textContent()).toLowerCase(), `severity: persistent: ${verdict.text.grade_bounds[verdict.severity]}`);
    const reason = page.getByRole('region', { name: /^Main reason: / });
    shows((await reason.getByRole('heading').innerText()).match(/(\S+ %)/)[1], verdict.main_reason.share, 'share', 'share of the main reason');
    for (const { clause, proof } of verdict.main_reason.answers)
      assert.ok((await reason.textContent()).toLowerCase().includes(`${clause} (${proof})`.toLowerCase()), clause);
    assert.equal(await page.getByText(verdict.trace.kernel, { exact: false }).count(), 1, 'the release is in one place');
    await reason.getByRole('link').click();
    const { diagnosis } = await api(`episodes/${verdict.main_reason.episode}`);
    const why = page.getByRole('region', { name: 'Why' });
    await why.getByRole('heading', { name: 'What to do' }).waitFor();
    for (const { share } of diagnosis.answers.filter((answer) => answer.chosen && answer.share < 0.995))
      assert.match(await why.innerText(), new RegExp(`${(share * 100).toFixed(share * 100 < 9.995 ? 2 : 1)} % of the waste`));
    for (const { text } of diagnosis.repairs) assert.ok((await why.innerText()).includes(text.replaceAll('`', '')), text);
    assert.ok((await why.innerText()).includes('load-balance attempts'), 'which evidence would tell');
    const [{ question, rule }] = diagnosis.repairs;
    const address = await why.getByRole('link', { name: rule, exact: true }).first().evaluate((link) => link.href);
    assert.equal(address, `${ADDRESS}docs/causes/${question}/${rule}.html`);
    await page.keyboard.press('3');
    await page.getByRole('link', { name: `episode ${verdict.worst[0].id}` }).waitFor();
    const at = Number((await page.locator('[class*="clock"]').innerText()).replace(/[^0-9]/g, ''));
    assert.equal(at, verdict.worst[0].start_ns - verdict.trace.start_ns, 'the replay opens at the worst episode');
    await page.goto(`${ADDRESS}#/wasted/verdict`);

    await page.getByRole('link', { name: /^episode \d+ / }).first().click();
    await page.locator('canvas').waitFor();
    assert.equal(parameter(page, 'e'), '8', 'the waste as a whole, not a grade of it');
    const [start, end] = parameter(page, 'w').split('-').map(Number);
    assert.ok(start < 69_948_459_950 && end > 72_474_456_740, 'the window holds the episode');
    assert.ok(end - start < 3_300_000_000, 'and is not the whole trace');
    await page.getByRole('heading', { name: /cores wasted for 2\.53 s/ }).waitFor();

    const point = await pointOnLane(page, 0, 0.5);
    await eventually(async () => {
      await page.mouse.move(point.x + Math.random(), point.y);
      return page.locator('[class*="tooltip"]').getByText('hog').count();
    }, 'the tooltip names the thread');
    await page.mouse.click(point.x, point.y);
    await page.getByRole('button', { name: 'Follow' }).click();
    assert.ok(Number(parameter(page, 'utid')) > 0, 'the thread is followed');

    await page.keyboard.down('Shift');
    await page.mouse.move(point.x - 100, point.y);
    await page.mouse.down();
    await page.mouse.move(point.x + 100, point.y + 2, { steps: 5 });
    await page.mouse.up();
    await page.keyboard.up('Shift');
    await page.getByText('of the CPU time').waitFor();
    assert.match(parameter(page, 's'), /^\d+-\d+@0$/);

    // The same link, in another window, is the same view.
    const link = page.url().slice(page.url().indexOf('#'));
    const again = await open(browser, link);
    await again.getByText('of the CPU time').waitFor();
    assert.equal(again.url(), page.url());

    await page.getByRole('link', { name: 'SQL' }).click();
    await ask(page, 'SELECT count(*) AS n FROM thread');
    await page.getByText('1 row in').waitFor();
    await ask(page, 'DROP TABLE thread');
    await page.getByRole('alert').waitFor();

    await page.getByRole('link', { name: 'Compare' }).click();
    await page.getByRole('heading', { name: 'Measures' }).waitFor();
    // Asked by the page itself: a request with a browser's name that no page of ours sends is refused.
    const compared = await page.evaluate(async () => {
      const answer = await fetch('api/compare?a=wasted&b=nodes');
      return answer.ok ? answer.json() : Promise.reject(new Error(`${answer.status} ${await answer.text()}`));
    });
    await page.getByLabel('Compare with').selectOption('nodes');
    await eventually(async () => (await page.getByRole('columnheader', { name: 'nodes.duckdb' }).count()) === 1, 'the other trace');
    for (const { name, unit, a, b, difference } of compared.measures) {
      const cells = await page.getByRole('row', { name: new RegExp(`^${name} `) }).first().getByRole('cell').allTextContents();
      shows(cells[0], a, unit, name);
      shows(cells[1], b, unit, name);
      shows(cells[2], difference, unit, `difference of ${name}`);
    }

    await page.getByRole('link', { name: 'Threads' }).click();
    await page.getByRole('table', { name: 'Threads' }).waitFor();
    await page.getByRole('button', { name: 'Ran', exact: true }).click();
    assert.equal(parameter(page, 'sort'), '-run_ns');
    await page.getByRole('link', { name: /hog/ }).first().click();
    await page.locator('canvas').waitFor();
    const refusals = page.errors.filter((text) => !text.includes('400'));
    assert.deepEqual(refusals, [], 'nothing went wrong but the refused statement');
  }));

test('zooming goes down to single events and comes back', () =>
  withBrowser(async (browser) => {
    const page = await open(browser, '#/nodes/timeline');
    await page.locator('canvas').first().waitFor();
    const point = await pointOnLane(page, 8, 0.4);
    await page.mouse.move(point.x, point.y);
    for (let i = 0; i < 45; i++) await page.mouse.wheel(0, -200);
    const inSight = () => parameter(page, 'w')?.split('-').reduce((start, end) => Number(end) - Number(start));
    await eventually(() => inSight() <= 201, 'the wheel goes down to 200 ns');
    await page.keyboard.press('0');
    await eventually(() => parameter(page, 'w') === null, 'the whole trace is in sight');
    await page.getByRole('button', { name: /^node 0: CPUs/ }).click();
    assert.equal(parameter(page, 'fold'), 'node0');
    assert.deepEqual(page.errors, []);
  }));

test('with one trace the bare address opens its verdict, and the list is still there', () =>
  withBrowser(async (browser) => {
    const page = await open(browser);
    await page.route('**/api/traces', async (route) => {
      const list = await (await route.fetch()).json();
      await route.fulfill({ json: list.filter(({ id }) => id === 'wasted') });
    });
    await page.goto('about:blank');
    await page.goto(ADDRESS);
    await page.getByRole('heading', { level: 1, name: /cores wasted/ }).waitFor();
    await page.getByRole('link', { name: 'wastenot: all traces' }).click();
    await page.getByRole('heading', { level: 1, name: 'Traces' }).waitFor();
    await page.getByRole('link', { name: /wasted\.duckdb/ }).waitFor();
    assert.equal(new URL(page.url()).hash, '#/');
    assert.deepEqual(page.errors, []);
  }));
