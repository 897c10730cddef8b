// Readable for everybody: axe in every view and both themes; a phone's width without anything cut off.

import assert from 'node:assert/strict';
import test from 'node:test';
import { AXE, open, settled, withBrowser } from './browser.mjs';

const VIEWS = ['verdict', 'timeline?e=1', 'replay', 'episodes?e=1', 'threads', 'sql', 'compare'];

for (const theme of ['light', 'dark']) {
  test(`axe finds nothing serious, ${theme}`, () =>
    withBrowser(async (browser) => {
      const found = {};
      for (const view of ['', ...VIEWS.map((name) => `wasted/${name}`)]) {
        const page = await open(browser, `#/${view}`, { colorScheme: theme });
        await settled(page);
        await page.evaluate(AXE);
        const { violations } = await page.evaluate(() => window.axe.run(document, { resultTypes: ['violations'] }));
        const serious = violations
          .filter(({ impact }) => impact === 'serious' || impact === 'critical')
          .map(({ id, nodes }) => `${id}: ${nodes.slice(0, 3).map((node) => node.html.slice(0, 160)).join(' | ')}`);
        if (serious.length > 0) found[view] = serious;
        await page.context().close();
      }
      assert.deepEqual(found, {});
    }));
}

test('a phone shows every view without sideways scrolling', () =>
  withBrowser(async (browser) => {
    for (const view of VIEWS) {
      const page = await open(browser, `#/wasted/${view}`, { viewport: { width: 390, height: 844 } });
      await settled(page);
      const wide = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
      assert.ok(wide <= 0, `${view} is ${wide} px too wide`);
      await page.context().close();
    }
  }));
