// Readable for everybody: axe in every view and both themes; a phone's width without anything cut off.

import assert from 'node:assert/strict';
import test from 'node:test';
import { ADDRESS, AXE, open, settled, withBrowser } from './browser.mjs';

const VIEWS = ['verdict', 'timeline?e=1', 'replay', 'episodes?e=1', 'threads', 'latency', 'sql', 'compare'];

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
