// The pictures of the documentation, for scripts/screenshots: `node screenshots.mjs FOLDER`.

import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { open, withBrowser } from './browser.mjs';

const folder = process.argv[2];
mkdirSync(folder, { recursive: true });

const PICTURES = [
  ['verdict', '#/wasted/verdict', 'light'],
  ['timeline', '#/make-beside-r/timeline?e=1', 'dark'],
  ['timeline-wasted', '#/wasted/timeline', 'light'],
  ['replay', '#/make-beside-r/replay?e=1&w=200000000-520000000', 'dark'],
  ['sql', '#/wasted/sql?sql=SELECT+cpu,+sum(dur_ns)+FILTER+(utid+>+0)+/+sum(dur_ns)+AS+busy+FROM+cpu_slice+GROUP+BY+cpu+ORDER+BY+cpu&chart=1', 'light'],
];

await withBrowser(async (browser) => {
  for (const [name, hash, colorScheme] of PICTURES) {
    const page = await open(browser, hash, { colorScheme, viewport: { width: 1280, height: 800 } });
    await page.waitForLoadState('networkidle');
    const offer = page.getByRole('button', { name: 'No, thanks' });
    if (await offer.count()) await offer.click();
    await page.waitForTimeout(1500);
    await page.screenshot({ path: join(folder, `${name}.png`) });
    await page.context().close();
  }
});
