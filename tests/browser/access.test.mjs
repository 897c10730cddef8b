// Readable for everybody: axe in every view and both themes; a phone's width without anything cut off.

import assert from 'node:assert/strict';
import test from 'node:test';
import { ADDRESS, AXE, open, settled, tooWide, withBrowser } from './browser.mjs';

const VIEWS = ['verdict', 'timeline?e=1', 'replay', 'episodes?e=1', 'threads', 'latency', 'sql', 'compare', 'balance', 'deadlines'];

/** Views in which something is chosen, is long, is wrong or is missing. */
const LONG_QUERY = `SELECT 1${'%0A'.repeat(40)}`;
const STATES = [
  '',
  'nothing/verdict',
  'doubtful/verdict',
  'nodes/verdict',
  'many/verdict',
  'many/timeline',
  'many/timeline?group=process&fit=1',
  'many/replay',
  'wasted/timeline?w=70000000000-70012000000&slice=1@70005000000',
  'wasted/timeline?group=process&s=70000000000-70400000000',
  'nodes/timeline?group=process&fold=node0.node1.node2.node3.node4.node5.node6.node7',
  'gangs/replay',
  'gangs/episodes',
  'wasted/episodes?e=9999',
  'wasted/threads?by=cgroup',
  'wasted/sql?sql=SELECT+nothing+FROM+nowhere',
  `wasted/sql?sql=${LONG_QUERY}`,
  'wasted/compare?runs=1',
  'solver/balance',
];
const IN_VIEWS = VIEWS.map((name) => `wasted/${name}`);
const ALL = [...IN_VIEWS, ...STATES];
/** Screens, and what is looked at on them: all views on each; each state in the light, and dark on one of the two. */
const SCREENS = [
  [{ viewport: { width: 1280, height: 800 }, colorScheme: 'light' }, ALL],
  [{ viewport: { width: 1280, height: 800 }, colorScheme: 'dark' }, [...IN_VIEWS, ...STATES.filter((_, n) => n % 2 === 0)]],
  [{ viewport: { width: 390, height: 844 }, colorScheme: 'dark', isMobile: true, hasTouch: true }, [...IN_VIEWS, ...STATES.filter((_, n) => n % 2 === 1)]],
];

for (const [screen, places] of SCREENS) {
  test(`axe finds nothing in any state, ${screen.viewport.width} pixels wide, ${screen.colorScheme}`, () =>
    withBrowser(async (browser) => {
      const found = {};
      const page = await open(browser, '#/', screen);
      await page.evaluate(() => localStorage.setItem('wastenot.guide', 'seen'));
      await page.evaluate(AXE);
      for (const place of places) {
        await page.goto(`${ADDRESS}#/${place}`);
        await settled(page);
        const { violations } = await page.evaluate(() => window.axe.run(document, { resultTypes: ['violations'] }));
        if (violations.length === 0) continue;
        found[place] = violations.map(
          ({ id, nodes }) => `${id}: ${nodes.slice(0, 3).map((node) => node.html.slice(0, 160)).join(' | ')}`,
        );
      }
      assert.deepEqual(found, {});
      assert.deepEqual(page.errors.filter((error) => !error.includes('400')), []);
    }));
}

/** Dialogs that have the focus, and what opens them. */
const DIALOGS = {
  'About this recording': ['wasted/verdict', (page) => page.keyboard.press('i')],
  Queries: ['wasted/sql', (page) => page.getByRole('button', { name: 'Queries …' }).press('Enter')],
};

test('dialogs open by keys, fit a phone, give the focus back, and axe finds nothing in them', () =>
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
      assert.deepEqual(violations.map(({ id, nodes }) => `${id}: ${nodes[0].html.slice(0, 160)}`), [], name);
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
    for (const place of [...VIEWS.map((view) => `wasted/${view}`), 'nodes/verdict', 'doubtful/verdict', 'wasted/compare?b=doubtful', 'nodes/timeline?e=14', 'realtime/deadlines', 'solver/balance']) {
      await page.goto(`${ADDRESS}#/${place}`);
      await settled(page);
      assert.deepEqual(await tooWide(page), [], place);
    }
  }));
