// node replay.mjs ADDRESS TRACE FOLDER: plays a trace as a user would. Files it saves go to FOLDER.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { check, open, until } from './open.mjs';

const [address, trace, folder] = process.argv.slice(2);
const { browser, page, errors } = await open({ acceptDownloads: true });

const clock = async () => Number((await page.locator('[class*=clock]').first().innerText()).replace(/[^0-9.]/g, ''));
const figure = async (word) =>
  Number((await page.locator('[class*=readout]').innerText()).match(new RegExp(`(\\d+)\\s+${word}`))?.[1]);

try {
  await page.goto(`${address}#/${trace}/replay?e=1`);
  await until(async () => (await figure('busy')) > 0, 'the picture of the episode’s begin does not come');

  const begin = await clock();
  await page.keyboard.press('.');
  await until(async () => (await clock()) > begin, 'a step does not go on');
  const stepped = await clock();
  await page.keyboard.press(',');
  await until(async () => (await clock()) < stepped, 'a step back does not go back');

  await page.keyboard.press(' ');
  await until(async () => (await clock()) > stepped + 0.01, 'it does not play');
  await page.keyboard.press('r');
  const turned = await clock();
  await until(async () => (await clock()) < turned - 0.005, 'it does not play backwards');
  await page.keyboard.press('r');

  await page.keyboard.press('m');
  await page.waitForTimeout(2500); // the link follows what is seen once it rests
  const { hash } = new URL(page.url());
  check(/[?&]t=\d+/.test(hash), `the link does not tell the instant: ${hash}`);
  const [at, wasted] = [await clock(), await figure('wasted')];
  const again = await page.context().newPage();
  await again.goto(page.url());
  await until(async () => (await again.locator('[class*=clock]').first().innerText()).length > 5, 'the link does not open');
  const other = Number((await again.locator('[class*=clock]').first().innerText()).replace(/[^0-9.]/g, ''));
  check(other === at, `the link opens at ${other} s, not at ${at} s`);
  await until(
    async () => (await again.locator('[class*=readout]').innerText()).includes(`${wasted}`),
    'the link does not show the same',
  );
  await again.close();

  const saved = async (button, name) => {
    const [download] = await Promise.all([page.waitForEvent('download'), page.click(`button:text-is("${button}")`)]);
    const path = join(folder, name);
    await download.saveAs(path);
    return readFileSync(path);
  };
  const svg = (await saved('SVG', 'still.svg')).toString();
  check(svg.startsWith('<svg ') && svg.includes('CPU 0'), 'the still is no picture of the machine');
  const png = await saved('PNG', 'still.png');
  check(png.subarray(1, 4).toString() === 'PNG' && png.length > 5000, 'the PNG is none');
  await page.click('button:text-is("WebM")');
  await page.waitForTimeout(2000);
  const webm = await saved('Stop', 'movie.webm');
  check(webm.readUInt32BE(0) === 0x1a45dfa3 && webm.length > 5000, `the movie is none (${webm.length} bytes)`);

  check(errors.length === 0, `errors on the page: ${errors.join('; ')}`);
  console.log(`ok: ${webm.length} bytes of movie`);
} finally {
  await browser.close();
}
