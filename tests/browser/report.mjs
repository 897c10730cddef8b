// node report.mjs R.html EPISODES: opens a report as a file, with no network, and plays in it. Run by test_report.py.

import assert from 'node:assert/strict';
import { pathToFileURL } from 'node:url';
import { AXE, eventually, tooWide, withBrowser } from './browser.mjs';

const [file, episodes] = process.argv.slice(2);

const SCREENS = [
  { viewport: { width: 1280, height: 800 }, colorScheme: 'light' },
  { viewport: { width: 390, height: 844 }, colorScheme: 'dark' },
];

await withBrowser(async (browser) => {
  for (const screen of SCREENS) {
    const page = await (await browser.newContext({ ...screen, offline: true })).newPage();
    const [errors, asked] = [[], []];
    page.on('pageerror', (error) => errors.push(error.message));
    page.on('console', (message) => message.type() === 'error' && errors.push(message.text()));
    page.on('request', (request) => asked.push(request.url()));
    await page.goto(pathToFileURL(file).href);

    await eventually(async () => (await page.locator('h1').count()) > 0, 'the verdict');
    assert.match(await page.locator('h1').first().innerText(), /wasted/);
    await eventually(async () => (await page.locator('article').count()) === Number(episodes), 'all episodes in full');
    await eventually(async () => (await page.locator('article canvas').count()) > 0, 'the window of an episode');
    assert.deepEqual(await tooWide(page), []);
    await page.evaluate(AXE);
    const violations = async () => {
      const found = await page.evaluate(() => window.axe.run(document, { resultTypes: ['violations'] }));
      return found.violations.map(({ id, nodes }) => `${id}: ${nodes[0].html.slice(0, 160)}`);
    };
    assert.deepEqual(await violations(), []);

    // Each link leads to something that the report has: an episode that it carries, or the replay.
    const dead = await page.evaluate(() =>
      [...document.querySelectorAll('a[href]')]
        .map((link) => link.getAttribute('href'))
        .filter((href) => {
          const [, , view, query = ''] = /^#\/([^/]*)\/([^?]*)\??(.*)$/.exec(href) ?? [];
          if (view === 'replay') return false;
          return view !== 'episodes' || !document.getElementById(`episode-${new URLSearchParams(query).get('e')}`);
        }),
    );
    assert.deepEqual(dead, [], 'no link does nothing');
    assert.ok((await page.locator('[title*="wastenot sql"]').count()) > 6, 'figures tell their queries');
    const worst = page.locator('ol a[class*="main"]').first();
    for (let i = 0; i < 2; i++) {
      await page.evaluate(() => window.scrollTo(0, 0));
      await worst.click();
      await eventually(async () => (await page.evaluate(() => window.scrollY)) > 200, 'a click on an episode leads to it');
    }

    await page.locator('article a:text("Replay it")').first().click();
    const clock = () => page.locator('[class*="clock"]').innerText();
    await eventually(async () => /[1-9]\d*\s+busy/.test(await page.locator('[class*="readout"]').innerText()), 'the replay');
    assert.deepEqual(await violations(), []);
    const begin = await clock();
    await page.keyboard.press('.');
    await eventually(async () => (await clock()) > begin, 'a step on');
    await page.click('a:text("Back to the report")');
    await eventually(async () => (await page.locator('article').count()) === Number(episodes), 'the report again');

    assert.deepEqual(asked.filter((url) => !/^(file|blob|data):/.test(url)), []);
    assert.deepEqual(errors, []);
  }
});
