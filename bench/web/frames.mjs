// Main-thread time of the page's frames while it pans, zooms or replays, in Debian's Chromium without a screen.
//
//   node bench/web/frames.mjs ADDRESS TRACE pan|zoom|replay [why]      of a running `wastenot serve`
//
// Chromium's own tracing says how long the page's main thread was busy: all tasks between two animation frames (input, React,
// canvas, answers of the worker), not the drawing alone. The pointer moves at most once per frame. Prints one line of JSON: ms, and
// the memory of all of Chromium's processes afterwards, MB (PSS: what they share is counted once).
// `why` adds what the main thread did in the frames of the highest 5 % (ms of CPU per such frame, by Chromium's names of tasks).

import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

const { chromium } = createRequire(join(import.meta.dirname, '../../web/ui/'))('playwright-core');
const SECONDS = 8;
const SETTLE_MS = 3000;
const [address, trace, how, why] = process.argv.slice(2);

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
  const tasks = events.filter((e) => here(e) && e.ph === 'X' && e.name === 'RunTask').sort((a, b) => a.ts - b.ts);
  // A frame has an event per callback: it begins with the task that runs them.
  const called = fired.filter(here).map((e) => e.ts).sort((a, b) => a - b);
  const frames = [];
  for (const { ts, dur } of tasks) {
    while (called.length > 0 && called[0] < ts) called.shift();
    if (called[0] < ts + dur) frames.push(ts);
  }
  const out = frames.slice(1).map(() => ({ wall: 0, cpu: 0, tasks: [] }));
  let at = 0;
  for (const task of tasks) {
    while (at + 1 < frames.length && frames[at + 1] <= task.ts) at++;
    if (task.ts < frames[0] || at >= out.length) continue;
    out[at].wall += task.dur / 1000;
    out[at].cpu += (task.tdur ?? task.dur) / 1000;
    out[at].tasks.push(task);
  }
  out.parts = events.filter((e) => here(e) && e.ph === 'X' && e.name !== 'RunTask' && e.tdur !== undefined);
  return out;
}

/** CPU by kind of work, without what it contains, in the frames that took most. */
function costliest(frames) {
  const slow = [...frames].sort((a, b) => b.cpu - a.cpu).slice(0, Math.ceil(frames.length * 0.05));
  const spent = new Map();
  for (const { tasks } of slow) {
    const within = (e) => tasks.some((task) => e.ts >= task.ts && e.ts < task.ts + task.dur);
    const parts = frames.parts.filter(within).sort((a, b) => a.ts - b.ts || b.dur - a.dur);
    const open = [];
    for (const part of parts) {
      while (open.length > 0 && open.at(-1).ts + open.at(-1).dur <= part.ts) open.pop();
      const add = (name, us) => spent.set(name, (spent.get(name) ?? 0) + us / 1000 / slow.length);
      const named = (e) =>
        [e.name, e.args?.src_func, e.args?.data?.type, e.args?.data?.functionName].filter(Boolean).join(' ');
      add(named(part), part.tdur);
      if (open.length > 0) add(named(open.at(-1)), -part.tdur);
      open.push(part);
    }
  }
  const most = [...spent].sort((a, b) => b[1] - a[1]).slice(0, 14);
  return Object.fromEntries(most.map(([name, ms]) => [name, Math.round(ms * 100) / 100]));
}

/** Memory of the processes that this one has started, and of those that they have, MB. */
function memory() {
  const parents = new Map();
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    try {
      // The name of a process is in parentheses and may hold any character.
      const [, parent] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1).split(' ');
      parents.set(Number(pid), Number(parent));
    } catch {
      // It has ended.
    }
  }
  const isOurs = (pid) => parents.has(pid) && (parents.get(pid) === process.pid || isOurs(parents.get(pid)));
  let kb = 0;
  for (const pid of [...parents.keys()].filter(isOurs)) {
    try {
      kb += Number(/^Pss:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'))?.[1] ?? 0);
    } catch {
      // It has ended.
    }
  }
  return Math.round((kb * 1024) / 1e6);
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
  const spreads = { wall: spread('wall'), cpu: spread('cpu') };
  const found = { frames: frames.length, seconds: SECONDS, ...spreads, memory: memory() };
  console.log(JSON.stringify(why ? { ...found, why: costliest(frames) } : found));
} finally {
  await browser.close();
}
