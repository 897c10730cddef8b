// Main-thread time of the page's frames while it pans, zooms or replays, in Debian's Chromium without a screen.
//
//   node bench/web/frames.mjs ADDRESS TRACE pan|zoom|replay      of a running `wastenot serve`
//
// Chromium's own tracing says how long the page's main thread was busy: all tasks between two animation frames (input, React,
// canvas, answers of the worker), not the drawing alone. The pointer moves at most once per frame. Prints one line of JSON: ms.

import { createRequire } from 'node:module';
import { join } from 'node:path';

const { chromium } = createRequire(join(import.meta.dirname, '../../web/ui/'))('playwright-core');
const SECONDS = 8;
const SETTLE_MS = 3000;
const [address, trace, how] = process.argv.slice(2);

const still = (page) => page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => resolve())));

async function timeline(page) {
  await page.goto(`${address}#/${trace}/timeline`);
  await page.waitForFunction(() => globalThis.wastenotFrames?.().length > 0, null, { timeout: 60_000 });
  await page.waitForTimeout(SETTLE_MS);
  const box = await page.locator('canvas').first().boundingBox();
  const middle = { x: box.x + box.width / 2, y: box.y + box.height / 2 };
  await page.mouse.move(middle.x, middle.y);
  return { box, middle };
}

/** To a window of a hundredth of the trace, then there and back with the pointer down. */
async function pan(page, measured) {
  const { box, middle } = await timeline(page);
  for (let i = 0; i < 24; i++) {
    await page.mouse.wheel(0, -120);
    await still(page);
  }
  await page.waitForTimeout(SETTLE_MS);
  await measured(async (over) => {
    for (let turn = 0; !over(); turn++) {
      const [from, to] = turn % 4 < 2 ? [0.85, 0.15] : [0.15, 0.85];
      await page.mouse.move(box.x + box.width * from, middle.y);
      await page.mouse.down();
      for (let i = 1; i <= 40 && !over(); i++) {
        await page.mouse.move(box.x + box.width * (from + ((to - from) * i) / 40), middle.y);
        await still(page);
      }
      await page.mouse.up();
    }
  });
}

/** In by forty steps of the wheel and out again, at another place each time. */
async function zoom(page, measured) {
  const { box, middle } = await timeline(page);
  await measured(async (over) => {
    for (let turn = 0; !over(); turn++) {
      await page.mouse.move(box.x + box.width * [0.2, 0.5, 0.8, 0.35][turn % 4], middle.y);
      for (const step of [-120, 120]) {
        for (let i = 0; i < 40 && !over(); i++) {
          await page.mouse.wheel(0, step);
          await still(page);
        }
      }
    }
  });
}

/** The replay plays by itself, 1 : 1,000. */
async function replay(page, measured) {
  await page.goto(`${address}#/${trace}/replay?t=500000000&x=1000`);
  await page.waitForFunction(() => globalThis.replayFrames !== undefined && document.querySelector('canvas'));
  await page.waitForTimeout(SETTLE_MS);
  await page.keyboard.press(' ');
  await measured(async () => page.waitForTimeout(SECONDS * 1000));
}

/** Time of the main thread's tasks between each two animation frames, ms: on the clock, and of the CPU. */
function busy(events) {
  const fired = events.filter((e) => e.name === 'FireAnimationFrame');
  const count = new Map();
  for (const { pid, tid } of fired) count.set(`${pid}.${tid}`, (count.get(`${pid}.${tid}`) ?? 0) + 1);
  const main = [...count].sort((a, b) => b[1] - a[1])[0]?.[0];
  const here = (e) => `${e.pid}.${e.tid}` === main;
  const frames = fired.filter(here).map((e) => e.ts).sort((a, b) => a - b);
  const tasks = events.filter((e) => here(e) && e.ph === 'X' && e.name === 'RunTask').sort((a, b) => a.ts - b.ts);
  const out = frames.slice(1).map(() => ({ wall: 0, cpu: 0 }));
  let at = 0;
  for (const task of tasks) {
    while (at + 1 < frames.length && frames[at + 1] <= task.ts) at++;
    if (task.ts < frames[0] || at >= out.length) continue;
    out[at].wall += task.dur / 1000;
    out[at].cpu += (task.tdur ?? task.dur) / 1000;
  }
  return out;
}

const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox'] });
try {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, colorScheme: 'dark' });
  const page = await context.newPage();
  let frames = [];
  const measured = async (act) => {
    const categories = ['toplevel', 'devtools.timeline', 'disabled-by-default-devtools.timeline'];
    await browser.startTracing(page, { categories });
    const end = Date.now() + SECONDS * 1000;
    await act(() => Date.now() >= end);
    frames = busy(JSON.parse((await browser.stopTracing()).toString()).traceEvents);
  };
  await { pan, zoom, replay }[how](page, measured);
  const spread = (which) => {
    const ms = frames.map((frame) => frame[which]).sort((a, b) => a - b);
    const at = (share) => Math.round((ms[Math.floor(share * (ms.length - 1))] ?? 0) * 100) / 100;
    return { p50: at(0.5), p95: at(0.95), most: at(1) };
  };
  console.log(JSON.stringify({ frames: frames.length, seconds: SECONDS, wall: spread('wall'), cpu: spread('cpu') }));
} finally {
  await browser.close();
}
