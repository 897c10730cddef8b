// What the journeys share: a Chromium, pages that collect their own errors, and the server's address.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

const ui = join(import.meta.dirname, '../../web/ui/');
const { chromium } = createRequire(ui)('playwright-core');
const { tableFromIPC } = createRequire(ui)('apache-arrow');

export const ADDRESS = process.env.WASTENOT_URL ?? 'http://127.0.0.1:8470/';
/** axe's script; the page's policy forbids script elements, so it is evaluated from outside. */
export const AXE = readFileSync(createRequire(ui).resolve('axe-core/axe.min.js'), 'utf8');

/** WASTENOT_SLOW=20 makes the pages' threads that much slower: what hangs on timing shows. */
const SLOW = Number(process.env.WASTENOT_SLOW ?? 1);
/** How long anything may take, ms: a loaded machine is slow, and what works does not wait. */
const PATIENCE = 90_000 * Math.max(1, SLOW / 8);

/** Runs `journey` with a browser that is closed whatever happens. */
export async function withBrowser(journey) {
  const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox'] });
  try {
    await journey(browser);
  } finally {
    await browser.close();
  }
}

/** A page at `hash`; `page.errors` collects what went wrong in it. */
export async function open(browser, hash = '#/', options = {}) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, reducedMotion: 'reduce', ...options });
  const page = await context.newPage();
  page.setDefaultTimeout(PATIENCE);
  if (SLOW > 1) await (await context.newCDPSession(page)).send('Emulation.setCPUThrottlingRate', { rate: SLOW });
  page.errors = [];
  page.asking = new Set();
  page.on('request', (request) => page.asking.add(request));
  for (const end of ['requestfinished', 'requestfailed']) page.on(end, (request) => page.asking.delete(request));
  page.on('pageerror', (error) => page.errors.push(error.message));
  page.on('console', (message) => message.type() === 'error' && page.errors.push(message.text()));
  await page.goto(ADDRESS + hash);
  return page;
}

/** Waits until the view has all its data and was drawn with them: nothing asked for, nothing loading, four looks in a row. */
export async function settled(page) {
  let still = 0;
  await eventually(async () => {
    const drawn = await page.evaluate(async () => {
      for (let i = 0; i < 2; i++) await new Promise(requestAnimationFrame);
      return document.querySelector('[aria-busy="true"]') === null;
    });
    still = drawn && page.asking.size === 0 ? still + 1 : 0;
    return still >= 4;
  }, 'the view has its data');
}

/**
 * What is wider than the space it has, by how many pixels, in words: what the window or the page's scrolled part would scroll sideways by, and parts
 * whose content lies over what is beside them. Tables that scroll by themselves are none of it.
 */
export const tooWide = (page) =>
  page.evaluate(() => {
    const more = (part) => part.scrollWidth - part.clientWidth;
    const name = (part) => `${part.tagName}.${part.className} by ${more(part)} px: ${part.textContent.slice(0, 40)}`;
    const scrolled = [document.documentElement, ...document.querySelectorAll('main')].filter((part) => more(part) > 0);
    const over = [...document.querySelectorAll('main *, footer *')].filter(
      (part) => part.clientWidth > 0 && more(part) > 1 && getComputedStyle(part).overflowX === 'visible',
    );
    return [...scrolled, ...over].map(name);
  });

/** The parameter of the place in the URL. */
export const parameter = (page, name) => new URLSearchParams(page.url().split('?')[1] ?? '').get(name);

/** Waits until `check()` holds. */
export async function eventually(check, what, ms = PATIENCE) {
  const end = Date.now() + ms;
  for (;;) {
    if (await check()) return;
    if (Date.now() > end) assert.fail(`not within ${ms} ms: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

/** The rows of a query, integers as numbers. */
export async function sql(trace, text) {
  const body = JSON.stringify({ sql: text });
  const headers = { 'Content-Type': 'application/json' };
  const answer = await fetch(`${ADDRESS}api/traces/${trace}/sql`, { method: 'POST', headers, body });
  assert.equal(answer.status, 200, text);
  const plain = (value) => {
    if (typeof value === 'bigint') return Number(value);
    return value !== null && typeof value === 'object' ? Array.from(value, plain) : value;
  };
  return tableFromIPC(new Uint8Array(await answer.arrayBuffer()))
    .toArray()
    .map((row) => Object.fromEntries(Object.entries(row.toJSON()).map(([name, value]) => [name, plain(value)])));
}

/** Of points of the timeline's canvas (instant, CPU, pixels below the lane's top, or above its bottom if negative; null: its middle), the token whose colour they have. */
export async function tokensAt(page, points, tokens) {
  const lanes = await page.locator('button[class*="lane"]').evaluateAll((labels) =>
    labels.map((label) => {
      const { y, height } = label.getBoundingClientRect();
      return { y, height };
    }),
  );
  const [start, end] = parameter(page, 'w').split('-').map(Number);
  const places = points.map(({ t, cpu, below = null }) => ({
    share: (t - start) / (end - start),
    y: lanes[cpu].y + (below === null ? lanes[cpu].height / 2 : below < 0 ? lanes[cpu].height + below : below),
  }));
  return page.evaluate(
    ({ places, tokens }) => {
      const canvas = document.querySelector('canvas');
      const box = canvas.getBoundingClientRect();
      const style = getComputedStyle(document.documentElement);
      const context = canvas.getContext('2d');
      const scale = canvas.width / box.width;
      return places.map(({ share, y }) => {
        const [x, below] = [Math.floor(share * canvas.width), Math.floor((y - box.top) * scale)];
        const { data } = context.getImageData(x, below, 1, 1);
        return tokens.find((token) => {
          const hex = style.getPropertyValue(token).trim().replace(/^#(.)(.)(.)$/, '#$1$1$2$2$3$3'); // as the build shortens it
          return [1, 3, 5].every((i, at) => Math.abs(Number.parseInt(hex.slice(i, i + 2), 16) - data[at]) < 6);
        });
      });
    },
    { places, tokens },
  );
}

/** Puts a query into the editor and runs it. The schema's arrival can move the selection while the text is replaced: look. */
export async function ask(page, sql) {
  const editor = page.getByLabel('SQL query');
  await eventually(async () => {
    await editor.fill(sql);
    return (await editor.locator('.cm-line').allTextContents()).join('\n') === sql;
  }, 'the editor holds the query');
  await page.getByRole('button', { name: 'Run', exact: true }).click();
}

/** The middle of a lane (by its number from the top) at a share of the canvas' width. */
export async function pointOnLane(page, lane, share) {
  const canvas = await page.locator('canvas').first().boundingBox(); // the second one is the map of a large machine
  const label = await page.locator('button[class*="lane"]').nth(lane).boundingBox();
  return { x: canvas.x + canvas.width * share, y: label.y + label.height / 3 };
}

/** The rows of a query over a trace's tables, as the server answers it; whole numbers as numbers. */
export async function query(page, trace, sql) {
  const bytes = await page.evaluate(
    async ([at, text]) => {
      const headers = { 'content-type': 'application/json' };
      const answer = await fetch(`api/traces/${at}/sql`, { method: 'POST', headers, body: JSON.stringify({ sql: text }) });
      if (!answer.ok) throw new Error(`${answer.status} ${await answer.text()}`);
      return [...new Uint8Array(await answer.arrayBuffer())];
    },
    [trace, sql],
  );
  const plain = (value) => (typeof value === 'bigint' ? Number(value) : value);
  return tableFromIPC(Uint8Array.from(bytes)).toArray().map((row) => Object.fromEntries(Object.entries(row.toJSON()).map(([k, v]) => [k, plain(v)])));
}

const SCALES = { '%': 0.01, points: 0.01, s: 1, ms: 1e-3, µs: 1e-6, ns: 1e-9 };

/** A cell shows the value of a measure to three digits. */
export function shows(cell, value, unit, what) {
  if (value === null) return assert.equal(cell, '–', what);
  if (value === 0) return assert.ok(/^(same|–|<?0(\.0+1?)?( .*)?)$/.test(cell), `${what}: ${cell} for 0`);
  const [, sign, less, digits, word] = /^([+−]?)(<?)([\d.,]+) ?(.*)$/.exec(cell) ?? assert.fail(`${what}: ${cell}`);
  const shown = Number(digits.replaceAll(',', '')) * (unit === 's' || unit === 'share' ? SCALES[word] : 1);
  const error = Math.abs(shown - Math.abs(value)) / Math.abs(value);
  assert.ok(less ? Math.abs(value) <= shown : error < 0.006, `${what}: ${cell} for ${value} ${unit}`);
  assert.equal(sign === '−', value < 0, `${what}: ${cell} for ${value}`);
}
