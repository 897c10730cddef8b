// What a screen reader has of the verdict and of its worst episode: Chromium's tree of roles and names, as it is kept in spoken/.
// SPOKEN=renew writes the files anew, to be read through.

import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { open, settled, withBrowser } from './browser.mjs';

const PAGES = { verdict: '#/wasted', episode: '#/wasted/episodes/8' };

for (const [name, hash] of Object.entries(PAGES)) {
  test(`the ${name} reads as it is kept`, () =>
    withBrowser(async (browser) => {
      const page = await open(browser, hash);
      await page.locator('main h1').first().waitFor();
      await settled(page);
      const text = `${await page.locator('main').ariaSnapshot()}\n`;
      const file = join(import.meta.dirname, 'spoken', `${name}.txt`);
      if (process.env.SPOKEN === 'renew') writeFileSync(file, text);
      assert.equal(text, readFileSync(file, 'utf8'));
    }));
}
