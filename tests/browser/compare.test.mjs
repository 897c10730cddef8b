// Two traces beside each other: what is counted twice says so.

import assert from 'node:assert/strict';
import test from 'node:test';
import { open, settled, withBrowser } from './browser.mjs';

test('waste that other rows hold too has an asterisk and a footnote', () =>
  withBrowser(async (browser) => {
    const page = await open(browser, '#/wasted/compare');
    await page.route('**/api/compare*', async (route) => {
      const answer = await (await route.fetch()).json();
      for (const grade of answer.grades) if (grade.grade === 'recurrent') grade.a_core_s = 2;
      answer.causes.push({ ...answer.causes[0], recurrent: true, a_core_s: 2, b_core_s: 0 });
      await route.fulfill({ json: answer });
    });
    await page.reload();
    await settled(page);
    const panels = page.locator('section').filter({ has: page.getByRole('heading', { name: /^Waste by/ }) });
    assert.equal(await panels.count(), 2);
    for (const panel of await panels.all()) {
      const text = await panel.innerText();
      assert.match(text, /core-s\*/);
      assert.match(text, /\* recurrent: .* as well/);
    }
  }));
