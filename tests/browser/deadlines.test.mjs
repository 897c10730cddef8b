// Four SCHED_DEADLINE threads, of which three miss: what was missed and why, and the way to each miss on the timeline.

import assert from 'node:assert/strict';
import test from 'node:test';
import { ADDRESS, AXE, eventually, open, parameter, settled, withBrowser } from './browser.mjs';

const answer = async (query = '') => (await fetch(`${ADDRESS}api/traces/realtime/deadlines${query}`)).json();

/** The texts of a table's rows, by cell. */
const rowsOf = (page, name) =>
  page
    .getByRole('table', { name })
    .locator('tbody tr')
    .evaluateAll((rows) => rows.map((row) => [...row.cells].map((cell) => cell.textContent)));

const facts = (page) =>
  page
    .getByRole('region', { name: 'Details' })
    .locator('dl > div')
    .evaluateAll((rows) => Object.fromEntries(rows.map((row) => [...row.children].map((cell) => cell.textContent))));

test('the figures are those of the API; a miss leads to its job on the timeline, which says by how much and whose fault', () =>
  withBrowser(async (browser) => {
    const page = await open(browser, '#/realtime/verdict');
    await settled(page);
    await page.getByRole('link', { name: 'Deadlines' }).click();
    const data = await answer();
    assert.ok(data.missed > 20 && data.misses.length === data.missed);
    const heading = page.locator('main').getByRole('heading', { level: 2 }).first();
    await eventually(async () => data.headline.startsWith(await heading.innerText()), 'the headline is there');
    const text = await page.locator('main').innerText();
    const first = await heading.innerText();
    assert.ok(first.length > 20 && text.includes(data.headline.slice(first.length).trim()), 'whole, its rest below');
    for (const { value } of data.figures) assert.ok(text.includes(value), value);
    assert.deepEqual(
      (await rowsOf(page, 'Faults')).map(([words, count, sentence, repair]) => [words, Number(count), sentence, repair]),
      data.faults_found.map((of) => [of.words, of.count, of.sentence, of.repair]),
    );
    const tasks = await rowsOf(page, 'Tasks');
    assert.deepEqual(
      tasks.map(([name, parameters, jobs, missed]) => [name, parameters, Number(jobs), Number(missed)]),
      data.tasks.map((task) => [`${task.name} ${task.tid}`, task.words, task.jobs, task.missed]),
    );
    const misses = await rowsOf(page, 'Worst misses');
    assert.equal(misses.length, 25);
    await page.getByRole('link', { name: `Show ${data.missed}` }).click();
    await eventually(async () => (await rowsOf(page, 'Worst misses')).length === data.missed, 'all misses are listed');

    const at = data.misses.findIndex(({ fault }) => fault === 'overload');
    const miss = data.misses[at];
    await page.getByRole('table', { name: 'Worst misses' }).getByRole('link').nth(at).click();
    await page.waitForURL(/\/timeline/);
    await settled(page);
    const lane = `t${miss.thread.utid}`;
    assert.equal(parameter(page, 'pin'), lane);
    assert.ok(parameter(page, 'o').split('.').includes('jobs'));
    const [start, end] = parameter(page, 'w').split('-').map(Number);
    assert.ok(start < miss.activation_ns && end > miss.end_ns);
    await eventually(async () => (await facts(page))['whose fault'] !== undefined, 'the job is in the panel');
    const shown = await facts(page);
    const seconds = (ns) => `+${((ns - data.start_ns) / 1e9).toFixed(6)} s`;
    assert.equal(shown.job, `released ${seconds(miss.activation_ns)}`);
    assert.equal(shown.deadline, seconds(miss.deadline_ns));
    assert.equal(shown.ended, seconds(miss.end_ns));
    assert.equal(shown['late by'], `${(miss.tardiness_ns / 1e6).toPrecision(3)} ms`);
    assert.equal(shown['whose fault'], miss.fault_words);
    await page.getByRole('list', { name: 'Marks of jobs' }).waitFor();

    // The time after the deadline is drawn in the colour of what is missed, on the lane of the thread alone.
    const colour = await page.evaluate(() => getComputedStyle(document.documentElement).getPropertyValue('--missed').trim());
    const drawn = await page.locator('canvas').evaluate(
      (canvas, [rgb, x]) => {
        const ratio = devicePixelRatio;
        const column = canvas.getContext('2d').getImageData(Math.round(x * canvas.width), 0, 1, canvas.height).data;
        const rows = [];
        for (let y = 0; y < canvas.height; y++)
          if (rgb.every((value, i) => Math.abs(value - column[4 * y + i]) < 8)) rows.push(y / ratio);
        return rows;
      },
      [colour.match(/[0-9a-f]{2}/gi).map((part) => Number.parseInt(part, 16)), ((miss.deadline_ns + miss.end_ns) / 2 - start) / (end - start)],
    );
    assert.ok(drawn.length >= 3 && Math.max(...drawn) < 52, `late at y ${drawn}`);

    // Its job under the pointer, on the same lane.
    const box = await page.locator('canvas').boundingBox();
    await page.mouse.move(box.x + (box.width * (miss.deadline_ns - 1000 - start)) / (end - start), box.y + 40);
    await page.locator('[class*="tooltip"]').getByText('whose fault').waitFor();
    await page.getByRole('button', { name: 'Jobs', exact: true }).click();
    assert.ok(!(parameter(page, 'o') ?? '').includes('jobs'));
    await page.goBack();
    await page.goBack();
    await heading.waitFor();
    assert.deepEqual(page.errors, []);
  }));

test('tasks of other classes are declared; a text that is not a task is refused with the line of the command', () =>
  withBrowser(async (browser) => {
    const page = await open(browser, '#/wasted/deadlines');
    await settled(page);
    const field = page.getByLabel(/^Tasks that are not recorded/);
    await field.fill('hog=1ms/2ms/4');
    await page.keyboard.press('Enter');
    await page.getByRole('alert').getByText("has no unit").waitFor();
    await field.fill('hog*=10ms/20ms');
    await page.keyboard.press('Enter');
    const tasks = page.getByRole('table', { name: 'Tasks' });
    await tasks.waitFor();
    assert.match(await tasks.innerText(), /10\/20\/20 ms \*/);
    assert.equal(parameter(page, 'task'), 'hog*=10ms/20ms');
    await tasks.getByRole('link').first().click();
    await page.waitForURL(/\/timeline/);
    await settled(page);
    assert.equal(parameter(page, 'task'), 'hog*=10ms/20ms');
  }));

for (const colorScheme of ['light', 'dark']) {
  test(`axe finds nothing in the view of deadlines, ${colorScheme}, wide and on a phone, and nothing is cut off`, () =>
    withBrowser(async (browser) => {
      for (const width of [1280, 390]) {
        const page = await open(browser, '#/realtime/deadlines', { viewport: { width, height: 844 }, colorScheme });
        await page.evaluate(AXE);
        for (const query of ['', '?task=x']) {
          await page.goto(`${ADDRESS}#/realtime/deadlines${query}`);
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
