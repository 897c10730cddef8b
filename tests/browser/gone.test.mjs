// A server that does not answer any more: the page says so, claims nothing that it does not know, and mends on a retry.

import assert from 'node:assert/strict';
import test from 'node:test';
import { ADDRESS, eventually, open, pointOnLane, settled, withBrowser } from './browser.mjs';

const notice = (page) => page.getByRole('alert').filter({ hasText: 'Not connected' });
const hatched = (page) => page.locator('[class*="legend"]').getByText('could not be loaded');

/** From now on nothing is answered; returns how the server is started again. */
async function kill(page) {
  await page.context().route('**', (route) => route.abort());
  return () => page.context().unroute('**');
}

/** Colours of a lane's row of pixels between two shares of the canvas. */
async function colours(page, lane, from, to) {
  const { y } = await pointOnLane(page, lane, 0.5);
  return page.evaluate(
    ([at, from, to]) => {
      const canvas = document.querySelector('canvas');
      const row = Math.round(at - canvas.getBoundingClientRect().top);
      const left = Math.round(canvas.width * from);
      const { data } = canvas.getContext('2d').getImageData(left, row, Math.round(canvas.width * to) - left, 1);
      return [...new Set(Array.from({ length: data.length / 4 }, (_, i) => data.slice(i * 4, i * 4 + 3).join()))];
    },
    [y, from, to],
  );
}

test('lanes that could not be loaded are hatched, not idle, and a retry brings them', () =>
  withBrowser(async (browser) => {
    const page = await open(browser, '#/wasted/timeline?w=70000000000-70010000000');
    await settled(page);
    assert.equal(await hatched(page).count(), 0, 'the legend has no hatching while nothing is missing');
    const revive = await kill(page);
    await page.locator('canvas').hover();
    for (let i = 0; i < 12; i++) await page.mouse.wheel(1000, 0);
    await notice(page).waitFor();
    await hatched(page).waitFor();
    const idle = await page.evaluate(() => {
      const token = getComputedStyle(document.documentElement).getPropertyValue('--idle-fill').trim();
      return [1, 3, 5].map((i) => Number.parseInt(token.slice(i, i + 2), 16)).join();
    });
    await eventually(async () => {
      const found = await colours(page, 0, 0.4, 0.9);
      return found.length > 1 && !found.includes(idle);
    }, 'the lane is hatched, and no part of it has the colour of idle');

    await revive();
    await page.getByRole('button', { name: 'Try again' }).click();
    await settled(page);
    await notice(page).waitFor({ state: 'detached' });
    await hatched(page).waitFor({ state: 'detached' });
  }));

test('a view that cannot be fetched says so inside the page, and comes with a retry', () =>
  withBrowser(async (browser) => {
    const page = await open(browser, '#/wasted/verdict');
    await settled(page);
    const revive = await kill(page);
    for (const [key, name] of [
      ['2', 'Timeline'],
      ['4', 'Episodes'],
    ]) {
      await page.keyboard.press(key);
      await page.getByRole('alert').filter({ hasText: 'Not connected' }).waitFor();
      await page.getByRole('navigation').getByRole('link', { name }).first().waitFor();
      assert.ok(page.url().startsWith(`${ADDRESS}#/wasted/`), page.url());
    }
    await page.getByRole('button', { name: 'Try again' }).click();
    await notice(page).waitFor();
    await revive();
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('table').first().waitFor();
    assert.match(page.url(), /#\/wasted\/episodes/);
  }));

test('the replay shows dashes until it knows, and says when the server is gone', () =>
  withBrowser(async (browser) => {
    const readout = (page) => page.locator('[class*="readout"]').innerText();
    const page = await open(browser, '#/wasted/verdict');
    await settled(page);
    let held = [];
    await page.context().route('**/api/**/replay/moves*', (route) => held.push(route));
    await page.goto(`${ADDRESS}#/wasted/replay`);
    await eventually(async () => /loading/.test(await readout(page).catch(() => '')), 'it is loading');
    assert.match(await readout(page), /–\s*wasted\s*–\s*busy\s*–\s*other idle\s*–\s*waiting/);
    for (const route of held) await route.abort();
    held = [];
    await notice(page).waitFor();
    assert.match(await readout(page), /–\s*wasted\s*–\s*busy/);
    assert.doesNotMatch(await readout(page), /loading/);
    await page.context().unroute('**/api/**/replay/moves*');
    await page.getByRole('button', { name: 'Try again' }).click();
    await eventually(async () => /\d+\s*wasted\s*\d+\s*busy/.test(await readout(page)), 'the figures');
    assert.equal(await notice(page).count(), 0);
  }));
