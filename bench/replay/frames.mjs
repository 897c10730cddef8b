// Main-thread time of the replay's frames while it plays for ten seconds, in Debian's Chromium without a screen.
//
//   wastenot simulate bench/replay/thousand.toml -o thousand.duckdb    64 CPUs, 1,000 threads
//   wastenot serve thousand.duckdb
//   node bench/replay/frames.mjs 'http://127.0.0.1:8470/#/thousand/replay?t=500000000&x=1000'

import { createRequire } from 'node:module';
import { join } from 'node:path';

const { chromium } = createRequire(join(import.meta.dirname, '../../web/ui/'))('playwright-core');
const SECONDS = 10;

const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox'] });
try {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, colorScheme: 'dark' });
  const page = await context.newPage();
  await page.goto(process.argv[2]);
  await page.waitForFunction(() => globalThis.replayFrames !== undefined && document.querySelector('canvas'));
  await page.waitForTimeout(3000);
  await page.evaluate(() => globalThis.replayFrames.take());
  await page.keyboard.press(' ');
  await page.waitForTimeout(SECONDS * 1000);
  const ms = (await page.evaluate(() => globalThis.replayFrames.take())).sort((a, b) => a - b);
  const at = (share) => ms[Math.floor(share * (ms.length - 1))]?.toFixed(2);
  console.log(`${ms.length} frames in ${SECONDS} s; ms per frame: p50 ${at(0.5)}, p95 ${at(0.95)}, p99 ${at(0.99)}, most ${at(1)}`);
} finally {
  await browser.close();
}
