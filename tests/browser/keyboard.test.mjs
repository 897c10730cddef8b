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
