// Everything by keys alone.

import assert from 'node:assert/strict';
import test from 'node:test';
import { eventually, open, parameter, withBrowser } from './browser.mjs';

test('the way from the list of traces to a slice and back needs no pointer', () =>
  withBrowser(async (browser) => {
    const page = await open(browser);
    const row = page.getByRole('link', { name: /wasted\.duckdb/ });
    await row.waitFor();
    for (let i = 0; i < 20 && !(await row.evaluate((link) => link === document.activeElement)); i++) {
      await page.keyboard.press('Tab');
    }
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1 }).waitFor();

    await page.keyboard.press('2');
    await page.locator('canvas').waitFor();
    await page.getByText(/^\d+ episodes?$/).waitFor();
    await page.waitForFunction(() => window.wastenotFrames().length > 0);
    await page.keyboard.press('n');
    await page.getByRole('link', { name: 'Why', exact: true }).waitFor();
    assert.ok(parameter(page, 'e'), 'n goes to an episode');

    await page.keyboard.press('ArrowRight');
    await eventually(() => parameter(page, 'slice'), 'the arrows select a slice');
    const before = parameter(page, 'slice');
    await page.keyboard.press('ArrowDown');
    await eventually(() => parameter(page, 'slice')?.startsWith('5@'), 'one lane down is CPU 5');
    assert.ok(before.startsWith('4@'), 'the episode’s first idle CPU is where the arrows begin');
    await page.getByRole('link', { name: /^Why: episode/ }).waitFor();
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('ArrowUp');
    await page.getByRole('button', { name: 'Follow' }).waitFor();
    await page.keyboard.press('Enter');
    await eventually(() => parameter(page, 'utid'), 'Enter follows the thread');
    const window = parameter(page, 'w');
    await page.keyboard.press('w');
    await eventually(() => parameter(page, 'w') !== window, 'w zooms');
    await page.keyboard.press('Escape');
    await eventually(() => parameter(page, 'utid') === null, 'Escape clears it');

    await page.keyboard.press('?');
    await page.getByRole('heading', { name: 'Keyboard and glossary' }).waitFor();
    // At once, as a quick hand does: the next key is heard though no frame was drawn since the dialog closed.
    await page.keyboard.press('Escape');
    await page.keyboard.press('/');
    await page.getByRole('combobox', { name: 'Search for' }).fill('hog');
    await page.locator('dialog').getByRole('option').first().waitFor();
    assert.equal(parameter(page, 'q'), null, 'what is typed highlights nothing');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await eventually(() => parameter(page, 'utid'), 'a found thread is followed');
    assert.equal(parameter(page, 'q'), null, 'and nothing else is set off');

    await page.keyboard.press('7');
    await page.getByLabel('SQL query').waitFor();
    await page.getByLabel('SQL query').focus();
    await page.keyboard.press('Control+Enter');
    await page.getByText(/rows? in/).waitFor();
    assert.deepEqual(page.errors, []);
  }));

test('the arrows go through the list of episodes', () =>
  withBrowser(async (browser) => {
    const page = await open(browser, '#/wasted/episodes');
    const links = page.getByRole('navigation', { name: 'Episodes' }).getByRole('link');
    await links.first().focus();
    await page.keyboard.press('ArrowDown');
    await eventually(async () => (await links.nth(1).getAttribute('aria-current')) === 'page', 'the next one is shown');
    assert.ok(await links.nth(1).evaluate((link) => link === document.activeElement), 'and has the focus');
    await page.keyboard.press('ArrowUp');
    await eventually(async () => (await links.first().getAttribute('aria-current')) === 'page', 'and back');
  }));

test('latency by keys: a process, then a window of the trace; deadlines by a key', () =>
  withBrowser(async (browser) => {
    const page = await open(browser, '#/wasted/latency?by=process');
    const table = page.getByRole('table', { name: 'Processes' });
    const name = table.locator('tbody').getByRole('button').first();
    await name.focus();
    const text = (await name.innerText()).trim();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: `Longest waits of ${text}` }).waitFor();
    const strip = page.getByRole('slider', { name: 'Window of time' });
    await strip.focus();
    assert.equal(await strip.getAttribute('aria-valuetext'), 'the whole trace');
    await page.keyboard.press('Shift+ArrowLeft');
    assert.match(await strip.getAttribute('aria-valuetext'), / long, not applied yet$/);
    assert.equal(parameter(page, 'w'), null);
    await page.keyboard.press('Enter');
    await eventually(async () => parameter(page, 'w') !== null, 'the window is applied');
    await page.getByText(/ of the window of /).waitFor();
    assert.ok(await strip.evaluate((slider) => slider === document.activeElement), 'the focus stays');
    await page.keyboard.press('Escape');
    await eventually(async () => parameter(page, 'w') === null, 'the whole trace');
    await page.keyboard.press('l');
    await eventually(async () => page.url().includes('/deadlines'), 'the tenth view');
    assert.deepEqual(page.errors, []);
  }));

test('the camera of the replay by keys', () =>
  withBrowser(async (browser) => {
    const page = await open(browser, '#/wasted/replay');
    await page.getByRole('img', { name: /^The machine/ }).waitFor();
    const camera = () => parameter(page, 'cam')?.split(',').map(Number);
    await page.keyboard.press('w');
    await eventually(async () => camera() !== undefined, 'the camera is in the link');
    const [k, x, y] = camera();
    await page.keyboard.press('w');
    await eventually(async () => camera()[0] > k * 1.2, 'closer');
    const closer = camera();
    await page.keyboard.press('d');
    await eventually(async () => camera()[1] < closer[1], 'looks right');
    await page.keyboard.press('ArrowDown');
    await eventually(async () => camera()[2] < closer[2], 'looks down');
    await page.keyboard.press('a');
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('s');
    await eventually(async () => camera().every((value, i) => Math.abs(value - [k, x, y][i]) < 0.1), 'and back');
    await page.keyboard.press('0');
    await eventually(async () => camera() === undefined, 'the whole picture');
    assert.deepEqual(page.errors, []);
  }));
