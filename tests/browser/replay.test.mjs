// The replay: an episode, steps, both directions, a link that shows the same again, stills and a movie.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import test from 'node:test';
import { eventually, open, parameter, withBrowser } from './browser.mjs';

const readout = (page) => page.locator('[class*="readout"]').innerText();
const clock = async (page) => Number((await page.locator('[class*="clock"]').innerText()).replace(/[^0-9.]/g, ''));
const figure = async (page, word) => Number((await readout(page)).match(new RegExp(`(\\d+)\\s+${word}`))?.[1]);

async function saved(page, button) {
  const [download] = await Promise.all([page.waitForEvent('download'), page.click(`button:text-is("${button}")`)]);
  return readFileSync(await download.path());
}

test('an episode is played, stepped, reversed, linked and saved', () =>
  withBrowser(async (browser) => {
    const page = await open(browser, '#/wasted/replay?e=1', { reducedMotion: 'no-preference' });
    await eventually(async () => (await figure(page, 'busy')) > 0, 'the picture of the episode’s begin');

    const begin = await clock(page);
    await page.keyboard.press('.');
    await eventually(async () => (await clock(page)) > begin, 'a step on');
    const stepped = await clock(page);
    await page.keyboard.press(',');
    await eventually(async () => (await clock(page)) < stepped, 'a step back');

    await page.keyboard.press(' ');
    await eventually(async () => (await clock(page)) > stepped + 0.01, 'it plays');
    await page.keyboard.press('r');
    const turned = await clock(page);
    await eventually(async () => (await clock(page)) < turned - 0.005, 'it plays backwards');
    await page.keyboard.press('r');

    await page.keyboard.press('m');
    await eventually(() => parameter(page, 't') !== null, 'the link tells the instant once it rests');
    const [at, wasted] = [await clock(page), await figure(page, 'wasted')];
    const again = await open(browser, new URL(page.url()).hash);
    await eventually(async () => (await clock(again)) === at && (await figure(again, 'wasted')) === wasted, 'the link shows the same');
    assert.deepEqual(again.errors, []);

    const svg = (await saved(page, 'SVG')).toString();
    assert.ok(svg.startsWith('<svg ') && svg.includes('CPU 0'), 'the SVG is a picture of the machine');
    assert.equal((await saved(page, 'PNG')).subarray(1, 4).toString(), 'PNG');
    await page.click('button:text-is("WebM")');
    await page.waitForTimeout(2000);
    const webm = await saved(page, 'Stop');
    assert.equal(webm.readUInt32BE(0), 0x1a45dfa3, 'WebM begins with the mark of EBML');
    assert.ok(webm.length > 5000);
    assert.deepEqual(page.errors, []);
  }));

test('a thread that is chosen in the picture is shown and followed', () =>
  withBrowser(async (browser) => {
    const page = await open(browser, '#/wasted/replay?e=1&b=none');
    await eventually(async () => (await figure(page, 'busy')) > 0, 'the picture');
    const box = await page.locator('canvas').first().boundingBox();
    // Somewhere on the picture there is a running thread: the first row of CPUs is busy.
    for (let i = 1; i < 40 && parameter(page, 'utid') === null; i++) {
      await page.mouse.click(box.x + (box.width * i) / 40, box.y + box.height * 0.28);
      await page.waitForTimeout(60);
    }
    assert.notEqual(parameter(page, 'utid'), null, 'a click on a thread chooses it');
    await page.click('button:text-is("Follow")');
    await eventually(() => parameter(page, 'follow') === '1', 'the link tells that the camera follows');
    assert.deepEqual(page.errors, []);
  }));

test('declared bubbles are shown where there are any, and bursts are gone to', () =>
  withBrowser(async (browser) => {
    const page = await open(browser, '#/gangs/replay');
    const bubbles = page.getByRole('combobox', { name: 'Bubbles' });
    await bubbles.waitFor();
    assert.equal(await bubbles.inputValue(), 'declared');
    const begin = await clock(page);
    await page.keyboard.press('b');
    await eventually(async () => (await clock(page)) > begin, 'the first burst');
    assert.equal(await clock(page), 0.00000735);
    const svg = (await saved(page, 'SVG')).toString();
    for (const gang of ['gang0', 'gang1', 'gang2']) {
      assert.equal(svg.split(`>${gang}<`).length, 3, `${gang} is in its place and on the runqueue of the machine`);
    }
    await bubbles.selectOption('natural');
    await eventually(() => parameter(page, 'b') === 'natural', 'the choice is in the link');
    assert.deepEqual(page.errors, []);
  }));
