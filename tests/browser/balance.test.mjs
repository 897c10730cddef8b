// A parallel program of four ranks, and a daemon: what is lost, iterations by ranks, and the way to the timeline.

import assert from 'node:assert/strict';
import test from 'node:test';
import { ADDRESS, AXE, eventually, open, parameter, settled, withBrowser } from './browser.mjs';

const answer = async (query = '') => (await fetch(`${ADDRESS}api/traces/solver/balance${query}`)).json();

/** A share as the page writes it. */
const percent = (share) => {
  const value = Math.abs(share) * 100;
  const text = value === 0 ? '0 %' : `${value.toFixed(value < 9.995 ? 2 : 1)} %`;
  return share < 0 ? `−${text}` : text;
};

/** The texts of a table's rows, by cell. */
const rowsOf = (page, name) =>
  page
    .getByRole('table', { name })
    .locator('tbody tr')
    .evaluateAll((rows) => rows.map((row) => [...row.cells].map((cell) => cell.textContent)));

const cellsOf = (page) => page.getByRole('button', { name: /^Cells of/ });

test('the figures of a parallel program are those of the API', () =>
  withBrowser(async (browser) => {
    const page = await open(browser, '#/solver/verdict');
    await settled(page);
    await page.keyboard.press('9');
    const data = await answer();
    const [app] = data.applications;
    await page.getByRole('heading', { name: data.sentence }).waitFor();
    const text = await page.locator('main').innerText();
    for (const sentence of [app.text.evidence, app.text.time, app.text.loss]) assert.ok(text.includes(sentence), sentence);

    const figures = [app.load_balance, app.communication_efficiency, app.parallel_efficiency, app.lambda, app.utilization];
    const losses = [app.intrinsic_ns / app.length_ns, app.extrinsic_ns / app.length_ns];
    const bold = await page.locator('dl dd > b').allTextContents();
    assert.deepEqual(bold, [...figures, ...losses].map(percent));

    const sources = app.sources.filter((source) => source.is_shown);
    assert.ok(sources.some(({ name }) => name === 'daemon-3'));
    assert.deepEqual(
      await rowsOf(page, 'Sources of extrinsic imbalance'),
      sources.map(({ words, extrinsic_ns, avoidable_ns }) => [
        words,
        percent(extrinsic_ns / app.length_ns),
        avoidable_ns > 0 ? percent(avoidable_ns / app.length_ns) : '',
      ]),
    );
    const ranks = await rowsOf(page, 'Ranks');
    assert.deepEqual(
      ranks.map(([rank, thread, u, within, , ...parts]) => [rank, thread, u, within, ...parts.slice(0, 4)]),
      app.rank.map((of) => [
        String(of.rank),
        `${of.name} ${of.tid}`,
        percent(of.utilization),
        percent(of.utilization_in_iterations),
        ...[of.compute_ns, of.preempted_ns, of.wait_ns, of.avoidable_wait_ns].map((ns) => percent(ns / app.run_ns)),
      ]),
    );
    const widths = await page
      .getByRole('img', { name: /^Rank 3: / })
      .evaluate((bar) => [...bar.children].reduce((sum, part) => sum + parseFloat(part.style.width), 0));
    assert.ok(Math.abs(widths - 100) < 0.01, `the parts of a bar add up: ${widths} %`);
    for (const { what, commands, saves_words } of app.advice.recommendations)
      for (const words of [what, saves_words, ...commands]) assert.ok(text.includes(words), words);
    assert.deepEqual(page.errors, []);
  }));

test('a cell by keys: its exact values, then its range on the timeline with the lane of its rank; and back', () =>
  withBrowser(async (browser) => {
    const page = await open(browser, '#/solver/balance');
    await settled(page);
    const [app] = (await answer()).applications;
    await cellsOf(page).focus();
    for (const key of ['ArrowDown', 'ArrowDown', 'ArrowDown', 'ArrowRight']) await page.keyboard.press(key);
    assert.equal(parameter(page, 'cell'), '3.2');
    const card = page.getByTestId('cell');
    assert.match(await card.innerText(), /Rank 3, Iteration 2/);
    const preempted = app.cells.parts.preempted[3][1];
    assert.equal(preempted, 5_000_000);
    assert.ok((await card.innerText()).includes(`${preempted.toLocaleString('en')} ns`));
    const said = await page.locator('output').filter({ hasText: 'Rank 3' }).innerText();
    const column = app.cells.columns[1];
    assert.ok(said.includes(`Taken by others ${percent(app.cells.taken_ns[3][1] / (column.end_ns - column.start_ns))}`), said);

    await page.keyboard.press('Enter');
    await page.waitForURL(/\/timeline/);
    await settled(page);
    const lane = `t${app.rank[3].utid}`;
    assert.equal(parameter(page, 's'), `${column.start_ns}-${column.end_ns}@${lane}`);
    assert.equal(parameter(page, 'pin'), lane);
    const [start, end] = parameter(page, 'w').split('-').map(Number);
    assert.ok(start <= column.start_ns && end >= column.end_ns && end - start < 2 * (column.end_ns - column.start_ns));
    await page.goBack();
    await settled(page);
    assert.equal(parameter(page, 'cell'), '3.2');
    assert.deepEqual(page.errors, []);
  }));

test('a cell by pointer: hovering shows it, a click opens it; a finger shows it first', () =>
  withBrowser(async (browser) => {
    const page = await open(browser, '#/solver/balance');
    await settled(page);
    const [app] = (await answer()).applications;
    await cellsOf(page).scrollIntoViewIfNeeded();
    const box = await cellsOf(page).boundingBox();
    const at = { x: box.x + 60, y: box.y + box.height - 12 };
    await page.mouse.move(at.x, at.y);
    assert.match(await page.getByTestId('cell').innerText(), /^Rank 3/);
    await page.mouse.click(at.x, at.y);
    await page.waitForURL(/\/timeline/);
    assert.equal(parameter(page, 'utid'), String(app.rank[3].utid));

    const phone = await open(browser, '#/solver/balance', { viewport: { width: 390, height: 844 }, hasTouch: true });
    await settled(phone);
    await cellsOf(phone).scrollIntoViewIfNeeded();
    const small = await cellsOf(phone).boundingBox();
    const finger = { x: small.x + 60, y: small.y + small.height - 12 };
    await phone.touchscreen.tap(finger.x, finger.y);
    await eventually(() => parameter(phone, 'cell') !== null, 'the first touch chooses the cell');
    await phone.getByTestId('cell').waitFor();
    assert.match(phone.url(), /\/balance/);
    const again = await cellsOf(phone).boundingBox();
    await phone.touchscreen.tap(again.x + 60, again.y + again.height - 12);
    await phone.waitForURL(/\/timeline/);
    assert.deepEqual([...page.errors, ...phone.errors], []);
  }));

test('a selection that names nothing is refused with the line of the command; nothing found says why', () =>
  withBrowser(async (browser) => {
    const page = await open(browser, '#/solver/balance');
    await settled(page);
    await page.getByLabel('Name of thread or process').fill('nothing*');
    await page.keyboard.press('Enter');
    const { error } = await answer('?app=nothing*');
    assert.match(error, /^--app 'nothing\*': no thread that ran/);
    assert.ok((await page.getByRole('alert').innerText()).includes(error));
    await page.getByRole('button', { name: 'Find applications' }).press('Enter');
    await page.getByRole('heading', { name: /^solver: / }).waitFor();

    await page.goto(`${ADDRESS}#/nodes/balance`);
    await settled(page);
    const { sentence } = await (await fetch(`${ADDRESS}api/traces/nodes/balance`)).json();
    assert.match(sentence, /^No application found/);
    await page.getByRole('heading', { name: sentence }).waitFor();
  }));

for (const colorScheme of ['light', 'dark']) {
  test(`axe finds nothing in the view of a program, ${colorScheme}, wide and on a phone, and nothing is cut off`, () =>
    withBrowser(async (browser) => {
      for (const width of [1280, 390]) {
        const page = await open(browser, '#/solver/balance', { viewport: { width, height: 844 }, colorScheme });
        await page.evaluate(AXE);
        for (const query of ['', '?colour=taken&cell=3.2', '?app=nothing*']) {
          await page.goto(`${ADDRESS}#/solver/balance${query}`);
          await settled(page);
          const { violations } = await page.evaluate(() => window.axe.run(document, { resultTypes: ['violations'] }));
          assert.deepEqual(violations.map(({ id, nodes }) => `${id}: ${nodes[0].html.slice(0, 160)}`), [], `${width} ${query}`);
          const wide = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
          assert.ok(wide <= 0, `${width} ${query}: ${wide} px too wide`);
        }
        await page.context().close();
      }
    }));
}
