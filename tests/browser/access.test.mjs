// Readable for everybody: axe in every view and both themes; a phone's width without anything cut off.

import assert from 'node:assert/strict';
import test from 'node:test';
import { ADDRESS, AXE, open, settled, withBrowser } from './browser.mjs';

const VIEWS = ['verdict', 'timeline?e=1', 'replay', 'episodes?e=1', 'threads', 'latency', 'sql', 'compare', 'balance', 'deadlines'];

for (const theme of ['light', 'dark']) {
  test(`axe finds nothing serious, ${theme}`, () =>
    withBrowser(async (browser) => {
      const found = {};
      const page = await open(browser, '#/', { colorScheme: theme });
      await page.evaluate(AXE);
      for (const view of ['', ...VIEWS.map((name) => `wasted/${name}`)]) {
        await page.goto(`${ADDRESS}#/${view}`);
        await settled(page);
        const { violations } = await page.evaluate(() => window.axe.run(document, { resultTypes: ['violations'] }));
        const serious = violations
          .filter(({ impact }) => impact === 'serious' || impact === 'critical')
          .map(({ id, nodes }) => `${id}: ${nodes.slice(0, 3).map((node) => node.html.slice(0, 160)).join(' | ')}`);
        if (serious.length > 0) found[view] = serious;
      }
      assert.deepEqual(found, {});
    }));
}

/** Dialogs that have the focus, and what opens them. */
const DIALOGS = {
  'About this recording': ['wasted/verdict', (page) => page.keyboard.press('i')],
  Queries: ['wasted/sql', (page) => page.getByRole('button', { name: 'Queries …' }).press('Enter')],
};

test('dialogs open by keys, fit a phone, give the focus back, and axe finds nothing serious in them', () =>
  withBrowser(async (browser) => {
    const page = await open(browser, '#/', { viewport: { width: 390, height: 844 }, colorScheme: 'dark' });
    await page.evaluate(AXE);
    for (const [name, [view, press]] of Object.entries(DIALOGS)) {
      await page.goto(`${ADDRESS}#/${view}`);
      await settled(page);
      const before = await page.evaluateHandle(() => document.activeElement);
      await press(page);
      const dialog = page.getByRole('dialog', { name });
      await dialog.waitFor();
      await settled(page);
      const { violations } = await page.evaluate(() => window.axe.run(document, { resultTypes: ['violations'] }));
      const serious = violations.filter(({ impact }) => impact === 'serious' || impact === 'critical');
      assert.deepEqual(serious.map(({ id }) => id), [], name);
      const wide = await dialog.evaluate((box) => box.scrollWidth - box.clientWidth);
      assert.ok(wide <= 0, `${name} is ${wide} px too wide`);
      await page.keyboard.press('Escape');
      await dialog.waitFor({ state: 'hidden' });
      if (name === 'Queries') {
        assert.equal(await page.evaluate(() => document.activeElement.textContent), 'Queries …');
      } else {
        assert.ok(await before.evaluate((was) => was === document.activeElement), `${name} gives the focus back`);
      }
    }
  }));

test('a phone shows every view without sideways scrolling', () =>
  withBrowser(async (browser) => {
    const page = await open(browser, '#/', { viewport: { width: 390, height: 844 } });
    for (const view of VIEWS) {
      await page.goto(`${ADDRESS}#/wasted/${view}`);
      await settled(page);
      const wide = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
      assert.ok(wide <= 0, `${view} is ${wide} px too wide`);
    }
  }));
