// Readable for everybody, too, once something was opened, chosen or sorted: axe, and nothing wider than the window.

import assert from 'node:assert/strict';
import test from 'node:test';
import { ADDRESS, AXE, open, settled, withBrowser } from './browser.mjs';

/** Unfolds all that is folded. */
const unfold = (page) => page.evaluate(() => document.querySelectorAll('main details, dialog details').forEach((part) => part.setAttribute('open', '')));
const press = (...keys) => async (page) => {
  for (const key of keys) await page.keyboard.press(key);
};
const click = (role, name) => (page) => page.getByRole(role, { name }).first().click();

/** What opens, is chosen or sorted once a view is there: where, and by what. */
const OPENED = {
  'the help, with all terms': ['wasted/verdict', async (page) => {
    await page.keyboard.press('?');
    await page.getByRole('dialog').waitFor();
    await unfold(page);
  }],
  'the search, with what it found': ['wasted/verdict', async (page) => {
    await page.keyboard.press('/');
    await page.getByRole('combobox', { name: 'Search for' }).fill('hog');
    await page.getByRole('listbox', { name: 'Found' }).getByRole('option').first().waitFor();
    await page.keyboard.press('ArrowDown');
  }],
  'the search, with nothing': ['wasted/threads', async (page) => {
    await page.keyboard.press('/');
    await page.getByRole('combobox', { name: 'Search for' }).fill('xyzzy');
  }],
  'about the recording, of many gaps': ['doubtful/verdict', press('i')],
  'the guide': ['wasted/verdict', (page) => page.evaluate(() => window.dispatchEvent(new Event('wastenot-guide')))],
  'the queries': ['wasted/sql', click('button', 'Queries …')],
  'the schema, and a result': ['wasted/sql?sql=FROM+thread', async (page) => {
    await unfold(page);
    await page.getByRole('button', { name: 'Run', exact: true }).click();
  }],
  'threads by name': ['wasted/threads?sort=name'],
  'processes by waiting': ['wasted/threads?by=process&sort=-wait_ns'],
  'bubbles': ['gangs/threads?by=bubble&sort=-cpus'],
  'a row of latencies': ['wasted/latency?sort=-waits', (page) => page.locator('tbody tr').nth(1).click()],
  'an instant with all overlays': ['wasted/timeline?o=episodes.waiting.migrations.flows.wakeups.attempts.scans.interrupts.jobs&slice=1@70005000000&w=70000000000-70012000000', press('v')],
  'an instant of the other measures': ['power/timeline?o=idle.frequency&slice=0@30000000', press('m')],
  'a range, its stacks': ['placed/timeline?s=145000000000-145400000000', click('button', /stacks/i)],
  'a measure, bookmarks and pins': ['wasted/timeline?measure=70000000000-70400000000&mark=70100000000:here&pin=t24&group=cgroup&q=hog'],
  'nodes, one unfolded': ['nodes/timeline?fold=node1.node2.node3.node4.node5.node6.node7&e=14'],
  'an episode, all of it': ['placed/episodes?e=1', async (page) => {
    await unfold(page);
    await settled(page);
    for (const all of await page.getByRole('button', { name: /^All [\d,]+$/ }).all()) await all.click();
  }],
  'the legend of the replay': ['wasted/replay?e=8', click('button', 'What the colours mean')],
  'a thread of the replay': ['wasted/replay?e=8&utid=24'],
  'runs on both sides': ['wasted/compare?runs=1&base=wasted&new=nodes', (page) => page.getByRole('button', { name: /more$/ }).first().click({ timeout: 2000 }).catch(() => {})],
  'sides that lack evidence': ['wasted/compare?b=doubtful'],
  'a cell of the balance': ['solver/balance', async (page) => {
    await page.getByRole('button', { name: /^Cells of/ }).first().focus();
    await page.keyboard.press('ArrowRight');
  }],
  'a selection that names nothing': ['wasted/balance?app=nothing*'],
  'candidates': ['nodes/balance'],
  'deadlines': ['realtime/deadlines'],
  'a latency of no group': ['wasted/latency?by=thread&key=999999'],
  'a view that is not there': ['wasted/nowhere'],
};
const WIDE = { viewport: { width: 1280, height: 800 } };
const PHONE = { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true };
/** Each state at both widths and in both themes: the even ones light where the odd ones are dark. */
const SCREENS = [
  [WIDE, 'light', 0],
  [WIDE, 'dark', 1],
  [PHONE, 'dark', 0],
  [PHONE, 'light', 1],
];

for (const [screen, colorScheme, odd] of SCREENS) {
  test(`axe finds nothing in what is open, chosen or sorted, ${screen.viewport.width} pixels wide, ${colorScheme}`, () =>
    withBrowser(async (browser) => {
      const found = {};
      const page = await open(browser, '#/', { ...screen, colorScheme });
      await page.evaluate(() => localStorage.setItem('wastenot.guide', 'seen'));
      for (const [name, [place, act]] of Object.entries(OPENED).filter((_, n) => n % 2 === odd)) {
        // From the start: nothing stays open from the state before.
        await page.goto('about:blank');
        await page.goto(`${ADDRESS}#/${place}`);
        await settled(page);
        await act?.(page);
        await settled(page);
        await page.evaluate(AXE);
        const { violations } = await page.evaluate(() => window.axe.run(document, { resultTypes: ['violations'] }));
        const wide = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
        const amiss = violations.map(
          ({ id, nodes }) => `${id}: ${nodes.slice(0, 3).map((node) => node.html.slice(0, 160)).join(' | ')}`,
        );
        if (wide > 0) amiss.push(`${wide} px wider than the window`);
        if (amiss.length > 0) found[name] = amiss;
      }
      assert.deepEqual(found, {});
      assert.deepEqual(page.errors.filter((error) => !/40[04]/.test(error)), []);
    }));
}
