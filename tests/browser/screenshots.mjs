// node screenshots.mjs FOLDER: the pictures of the documentation; with --all every view, wide, wider and on a phone, dark and light.

import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { open, settled, withBrowser } from './browser.mjs';

const [folder, all] = process.argv.slice(2);
mkdirSync(folder, { recursive: true });

const SQL =
  'sql?sql=SELECT+cpu,+sum(dur_ns)+FILTER+(utid+>+0)+/+sum(dur_ns)+AS+busy+FROM+cpu_slice+GROUP+BY+cpu+ORDER+BY+cpu&chart=1';
const REPLAY = 'make-beside-r/replay?e=1&w=200000000-520000000';

/** Name, place, theme; 1280 pixels wide. */
const DOCUMENTATION = [
  ['verdict', 'wasted/verdict', 'light'],
  ['timeline', 'make-beside-r/timeline?e=1', 'dark'],
  ['timeline-wasted', 'wasted/timeline', 'light'],
  ['replay', REPLAY, 'dark'],
  ['sql', `wasted/${SQL}`, 'light'],
].map(([name, place, colorScheme]) => ({ name, place, colorScheme, width: 1280, height: 800 }));

const VIEWS = [
  ['home', ''],
  ['verdict', 'wasted/verdict'],
  ['verdict-64', 'make-beside-r/verdict'],
  ['timeline', 'wasted/timeline'],
  ['timeline-64', 'make-beside-r/timeline?e=1'],
  ['replay', 'wasted/replay?e=1'],
  ['replay-64', REPLAY],
  ['episodes', 'wasted/episodes'],
  ['episode', 'wasted/episodes?e=1'],
  ['episode-64', 'make-beside-r/episodes?e=1'],
  ['threads', 'wasted/threads'],
  ['threads-64', 'make-beside-r/threads'],
  ['sql', `wasted/${SQL}`],
  ['compare', 'wasted/compare?b=make-beside-r'],
];
const SIZES = [
  [1280, 800],
  [1920, 1080],
  [390, 844],
];

const everything = () =>
  VIEWS.flatMap(([name, place]) =>
    SIZES.flatMap(([width, height]) =>
      ['light', 'dark'].map((colorScheme) => ({ name: `${name}-${width}-${colorScheme}`, place, colorScheme, width, height })),
    ),
  );

await withBrowser(async (browser) => {
  for (const { name, place, colorScheme, width, height } of all ? everything() : DOCUMENTATION) {
    const page = await open(browser, `#/${place}`, { colorScheme, viewport: { width, height } });
    await settled(page);
    const offer = page.getByRole('button', { name: 'No, thanks' });
    if (await offer.count()) await offer.click();
    await settled(page);
    await page.waitForTimeout(300);
    await page.screenshot({ path: join(folder, `${name}.png`), fullPage: Boolean(all) && !/timeline|replay/.test(name) });
    await page.context().close();
  }
});
