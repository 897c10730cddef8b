// A journey through every view in a real Firefox, by its own protocol (WebDriver BiDi): Chromium has all the other journeys.

import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import test from 'node:test';
import { ADDRESS, eventually } from './browser.mjs';

const { default: puppeteer } = await import(
  createRequire(join(import.meta.dirname, '../../web/ui/')).resolve('puppeteer-core')
);
const FIREFOX = process.env.WASTENOT_FIREFOX ?? '/usr/bin/firefox-esr';
/** The first start of a profile takes half a minute on a loaded machine, ms. */
const PATIENCE = 120_000;

async function withFirefox(journey) {
  const browser = await puppeteer.launch({
    browser: 'firefox',
    executablePath: FIREFOX,
    timeout: PATIENCE,
    protocolTimeout: PATIENCE,
    extraPrefsFirefox: { 'ui.prefersReducedMotion': 1 },
  });
  try {
    const page = await browser.newPage();
    page.setDefaultTimeout(PATIENCE);
    await page.setViewport({ width: 1280, height: 800 });
    page.errors = [];
    page.on('pageerror', (error) => page.errors.push(error.message));
    page.on('console', (message) => message.type() === 'error' && page.errors.push(message.text()));
    await journey(page);
    assert.deepEqual(page.errors, []);
  } finally {
    await browser.close();
  }
}

const api = async (path) => (await fetch(`${ADDRESS}api/${path}`)).json();
const textOf = (page, selector) => page.$eval(selector, (part) => part.textContent);
const count = (page, selector) => page.$$eval(selector, (parts) => parts.length);

/** Nothing is awaited or asked for, and that for four looks in a row. */
async function settled(page) {
  let still = 0;
  await eventually(async () => {
    const busy = await page.evaluate(() => document.querySelector('[aria-busy="true"]') !== null);
    still = busy ? 0 : still + 1;
    return still >= 4;
  }, 'the view has its data');
}

/** By the view's name in the header, as a user goes there. */
async function goTo(page, view) {
  await page.locator(`nav[aria-label="Views"] a ::-p-text(${view})`).click();
  await page.waitForFunction(
    (name) => document.querySelector('nav[aria-label="Views"] [aria-current="page"]')?.textContent === name,
    {},
    view,
  );
  await settled(page);
}

/** Colours of the view's canvas: one that was not drawn has one. */
const coloursOf = (page) =>
  page.evaluate(() => {
    const canvas = document.querySelector('canvas');
    const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
    return new Set(new Uint32Array(data.buffer)).size;
  });

const windowOf = (page) => new URLSearchParams(page.url().split('?')[1] ?? '').get('w');

test('Firefox shows every view of a trace, draws its canvases, and follows wheel and keys', () =>
  withFirefox(async (page) => {
    const [worst] = await api('traces/wasted/episodes?limit=1');
    const verdict = await api('traces/wasted/verdict');

    await page.goto(ADDRESS);
    await page.waitForSelector('a[href="#/wasted/verdict"]');
    await page.evaluate(() => localStorage.setItem('wastenot.guide', 'seen'));
    await page.locator('a[href="#/wasted/verdict"]').click();
    await page.waitForSelector('h1');
    await settled(page);
    const head = await textOf(page, 'h1');
    assert.ok(head.length > 20 && verdict.sentence.startsWith(head), head);
    await page.waitForSelector('figure svg path[d^="M"]');

    await page.locator(`ol a ::-p-text(episode ${worst.episode_id})`).click();
    await page.waitForSelector('canvas');
    await settled(page);
    await eventually(async () => (await coloursOf(page)) > 5, 'lanes are drawn');
    const before = windowOf(page);
    const box = await (await page.$('canvas')).boundingBox();
    await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
    await page.mouse.wheel({ deltaY: -400 });
    await eventually(async () => windowOf(page) !== before, 'the wheel zooms');
    const zoomed = windowOf(page);
    await page.keyboard.press('d');
    await eventually(async () => windowOf(page) !== zoomed, 'a key pans');

    await page.locator('section[aria-label="Details"] a ::-p-text(Why)').click();
    await page.waitForSelector('article h1');
    await settled(page);
    assert.equal(await textOf(page, 'article h1'), worst.sentence);
    await page.waitForSelector('article canvas');
    await eventually(async () => (await coloursOf(page)) > 3, 'the window of the episode is drawn');

    await goTo(page, 'Replay');
    await eventually(async () => (await coloursOf(page)) > 8, 'the machine is drawn');
    const instant = () => page.$eval('[role="slider"]', (slider) => Number(slider.getAttribute('aria-valuenow')));
    const start = await instant();
    await page.keyboard.press('.');
    await eventually(async () => (await instant()) > start, 'a step on');
    await page.keyboard.press(' ');
    const playing = await instant();
    await eventually(async () => (await instant()) > playing, 'it plays');
    await page.keyboard.press(' ');

    await goTo(page, 'Threads');
    const { rows } = await api('traces/wasted/top/thread?limit=1000');
    const active = rows.filter((row) => row.run_ns > 0 || row.wait_ns > 0).length;
    assert.equal(await count(page, 'table tbody tr'), active);

    await goTo(page, 'Latency');
    assert.ok((await count(page, 'svg[aria-label^="Waits by length"] rect')) > 6);

    await goTo(page, 'SQL');
    await page.waitForSelector('.cm-content');
    await page.locator('.cm-content').click();
    await page.keyboard.down('Control');
    await page.keyboard.press('a');
    await page.keyboard.up('Control');
    await page.keyboard.type('SELECT count(*) AS n FROM episode');
    await page.locator('button ::-p-text(Run)').click();
    await eventually(async () => {
      const cell = await page.$('table tbody td');
      return cell !== null && /^\d+$/.test(await cell.evaluate((part) => part.textContent));
    }, 'the query has its row');

    await goTo(page, 'Compare');
    assert.ok((await count(page, 'table tbody tr')) > 8);
    await goTo(page, 'Balance');
    assert.ok((await textOf(page, 'main')).length > 100);
    await goTo(page, 'Deadlines');
    assert.ok((await textOf(page, 'main')).length > 40);
    await goTo(page, 'Verdict');

    await page.keyboard.press('?');
    await page.waitForSelector('dialog[open]');
    await page.keyboard.press('Escape');
    await page.waitForFunction(() => document.querySelector('dialog[open]') === null);
  }));

test('Firefox shows every view on a narrow window without sideways scrolling', () =>
  withFirefox(async (page) => {
    await page.setViewport({ width: 390, height: 844 });
    const views = 'verdict timeline replay episodes threads latency sql compare balance deadlines'.split(' ');
    for (const view of views) {
      await page.goto(`${ADDRESS}#/wasted/${view}`);
      await page.waitForSelector('main');
      await settled(page);
      const wide = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
      assert.ok(wide <= 0, `${view} is ${wide} px too wide`);
    }
  }));
