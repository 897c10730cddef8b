// An event that is searched for by its number is gone to, and marked.

import assert from 'node:assert/strict';
import test from 'node:test';
import { eventually, open, parameter, settled, withBrowser } from './browser.mjs';

test('an event that was searched for is marked at its instant, and the chosen episode is closed', () =>
  withBrowser(async (browser) => {
    const page = await open(browser, '#/wasted/timeline?e=1');
    await settled(page);
    await page.getByLabel('Details').getByRole('link').first().waitFor(); // the episode's panel
    await page.keyboard.press('/');
    await page.getByRole('combobox', { name: 'Search for' }).fill('event 2000');
    await page.getByRole('option', { name: /event 2000/ }).waitFor();
    await page.keyboard.press('Enter');
    await page.getByLabel('Details').getByText(/^Event 2000, at \+[\d.]+ s/).waitFor();
    assert.equal(parameter(page, 'e'), null);
    const [id, ts] = parameter(page, 'event').split('@').map(Number);
    assert.equal(id, 2000);
    await eventually(async () => parameter(page, 'w') !== null, 'the window is in the link');
    const [start, end] = parameter(page, 'w').split('-').map(Number);
    await settled(page);
    const line = () =>
      page.evaluate((share) => {
        const canvas = document.querySelector('canvas');
        const token = getComputedStyle(document.documentElement).getPropertyValue('--accent').trim();
        const wanted = [1, 3, 5].map((i) => Number.parseInt(token.slice(i, i + 2), 16));
        const x = Math.round(canvas.width * share) - 2;
        let rows = 0;
        for (let y = 0; y < canvas.height; y++) {
          const { data } = canvas.getContext('2d').getImageData(x, y, 4, 1);
          if ([0, 4, 8, 12].some((at) => wanted.every((value, i) => Math.abs(data[at + i] - value) < 40))) rows++;
        }
        return rows / canvas.height;
      }, (ts - start) / (end - start));
    await eventually(async () => (await line()) > 0.95, 'a line over all lanes at the instant');
  }));
