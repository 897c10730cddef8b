// Both themes, compared with pictures that are kept: `pictures/VIEW-THEME.png`, half the size of the page.
//
// A picture may differ in 2 % of its pixels (those that antialiasing alone explains are not counted), a pixel differs from a
// colour distance of 0.15 on (YIQ, 0 the same, 1 black and white; pixelmatch's threshold). The letters come with the page, so
// that the fonts of a machine hardly matter. After a wanted change: scripts/screenshots --compared, and look at them.

import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import test from 'node:test';
import { pathToFileURL } from 'node:url';
import { ADDRESS, eventually, open, settled, withBrowser } from './browser.mjs';

const from = createRequire(join(import.meta.dirname, '../../web/ui/'));
const { PNG } = from('pngjs');
const { default: pixelmatch } = await import(pathToFileURL(from.resolve('pixelmatch')).href);

const KEPT = join(import.meta.dirname, 'pictures');
const FAILED = join(import.meta.dirname, '../../out/pictures');
const RENEW = process.env.WASTENOT_RENEW === '1';
const DISTANCE = 0.15;
const TOLERANCE = 0.02;

const VIEWS = {
  verdict: 'wasted/verdict',
  timeline: 'wasted/timeline?e=8',
  replay: 'wasted/replay?e=8&t=71000000000',
};

/** What the verdict says in words may grow with the rules: it has a fixed place here, and is not compared. */
const FIXED = `
  [class*="rest"], [class*="banner"] { overflow: hidden; width: 720px !important; height: 40px; color: transparent !important }
  [class*="banner"] * { color: transparent !important }
  [class*="gaps"] { overflow: hidden; height: 40px !important; color: transparent !important }
`;

/** Share of the pixels of `a` that differ from those of `b`, and a picture of them. */
function difference(a, b) {
  const { width, height } = a;
  if (b.width !== width || b.height !== height) return { share: 1, marked: a };
  const marked = new PNG({ width, height });
  const differing = pixelmatch(a.data, b.data, marked.data, width, height, { threshold: DISTANCE });
  return { share: differing / (width * height), marked };
}

/** Mean luminance, 0 black to 1 white. */
function light({ data }) {
  let sum = 0;
  for (let i = 0; i < data.length; i += 4) sum += 0.2126 * data[i] + 0.7152 * data[i + 1] + 0.0722 * data[i + 2];
  return sum / 255 / (data.length / 4);
}

async function pictures(browser, colorScheme) {
  const size = { viewport: { width: 1120, height: 700 }, deviceScaleFactor: 0.5, colorScheme };
  const page = await open(browser, '#/', size);
  await page.evaluate(() => localStorage.setItem('wastenot.guide', 'seen'));
  const taken = {};
  for (const [view, place] of Object.entries(VIEWS)) {
    await page.goto('about:blank');
    await page.goto(`${ADDRESS}#/${place}`);
    await page.addStyleTag({ content: FIXED });
    await settled(page);
    await page.evaluate(() => document.fonts.ready);
    // What is drawn on canvas may still be on its way: two pictures in a row must be the same.
    let before = null;
    await eventually(async () => {
      const now = await page.screenshot({ animations: 'disabled', caret: 'hide' });
      const same = before?.equals(now) ?? false;
      before = now;
      return same;
    }, `${view} comes to rest`);
    taken[view] = PNG.sync.read(before);
  }
  assert.deepEqual(page.errors, []);
  await page.context().close();
  return taken;
}

test('light and dark look as they are kept', () =>
  withBrowser(async (browser) => {
    const taken = { light: await pictures(browser, 'light'), dark: await pictures(browser, 'dark') };
    const amiss = [];
    for (const [theme, views] of Object.entries(taken)) {
      for (const [view, picture] of Object.entries(views)) {
        const name = `${view}-${theme}.png`;
        if (RENEW) {
          writeFileSync(join(KEPT, name), PNG.sync.write(picture));
          continue;
        }
        const { share, marked } = difference(PNG.sync.read(readFileSync(join(KEPT, name))), picture);
        if (share <= TOLERANCE) continue;
        mkdirSync(FAILED, { recursive: true });
        writeFileSync(join(FAILED, name), PNG.sync.write(picture));
        writeFileSync(join(FAILED, `differs-${name}`), PNG.sync.write(marked));
        amiss.push(`${name}: ${(share * 100).toFixed(1)} % of the pixels differ; see out/pictures/differs-${name}`);
      }
    }
    assert.deepEqual(amiss, []);
    for (const view of Object.keys(VIEWS)) {
      const [day, night] = [taken.light[view], taken.dark[view]];
      assert.ok(light(day) > 0.6 && light(night) < 0.3, `${view}: luminance ${light(day)} by day, ${light(night)} by night`);
      assert.ok(difference(day, night).share > 0.5, `${view}: the comparison tells the themes apart`);
    }
  }));
