// Debian's Chromium by playwright-core (a package of web/ui), and what every check of a page begins with.

import { createRequire } from 'node:module';

const { chromium } = createRequire(new URL('../../web/ui/package.json', import.meta.url))('playwright-core');

/** A page; errors that it tells of are collected in `errors`, addresses it asks for in `asked`. */
export async function open({ width = 1280, height = 800, scheme = 'light', offline = false, ...more } = {}) {
  const browser = await chromium.launch({
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
    args: ['--no-sandbox', '--force-color-profile=srgb'],
  });
  const context = await browser.newContext({ viewport: { width, height }, colorScheme: scheme, offline, ...more });
  const page = await context.newPage();
  const errors = [];
  const asked = [];
  page.on('pageerror', (e) => errors.push(e.message));
  page.on('console', (m) => m.type() === 'error' && errors.push(m.text()));
  page.on('request', (r) => asked.push(r.url()));
  return { browser, context, page, errors, asked };
}

/** Fails with a sentence. */
export function check(good, sentence) {
  if (!good) throw new Error(sentence);
}

/** Asks `what` until it is true, for at most `ms`. */
export async function until(what, sentence, ms = 20_000) {
  const end = Date.now() + ms;
  while (!(await what())) {
    check(Date.now() < end, sentence);
    await new Promise((done) => setTimeout(done, 50));
  }
}
