// node report.mjs R.html EPISODES: opens a report as a file, with no network, and plays in it.

import { pathToFileURL } from 'node:url';
import { check, open, until } from './open.mjs';

const [file, episodes] = process.argv.slice(2);
const address = pathToFileURL(file).href;

for (const [width, height, scheme] of [
  [1280, 800, 'light'],
  [390, 844, 'dark'],
]) {
  const { browser, page, errors, asked } = await open({ width, height, scheme, offline: true });
  try {
    await page.goto(address);
    await until(async () => (await page.locator('h1').count()) > 0, 'the verdict does not appear');
    check((await page.locator('h1').first().innerText()).includes('wasted'), 'the verdict is no sentence about waste');
    await until(
      async () => (await page.locator('article').count()) === Number(episodes),
      `not ${episodes} episodes are told in full`,
    );
    await until(async () => (await page.locator('article canvas').count()) > 0, 'the episode’s window is not drawn');
    const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    check(wide <= 0, `at ${width} px the page is ${wide} px too wide`);

    await page.locator('article a:text("Replay it")').first().click();
    const clock = async () => (await page.locator('[class*=clock]').first().innerText()).trim();
    await until(async () => /\d/.test(await clock()), 'the replay does not open');
    await until(async () => /[1-9]\d*\s+busy/.test(await page.locator('[class*=readout]').innerText()), 'nobody runs in the replay');
    const begin = await clock();
    await page.keyboard.press('.');
    await until(async () => (await clock()) > begin, 'a step does not go on');
    await page.click('a:text("Back to the report")');
    await until(async () => (await page.locator('h1').count()) > 0, 'the report does not come back');

    const others = asked.filter((url) => !url.startsWith('file:') && !url.startsWith('blob:') && !url.startsWith('data:'));
    check(others.length === 0, `it asks for ${others.join(', ')}`);
    check(errors.length === 0, `errors on the page: ${errors.join('; ')}`);
  } finally {
    await browser.close();
  }
}
console.log('ok');
