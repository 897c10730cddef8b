// Lanes of threads: pinned from everywhere, drawn as the tables have them, followed from waker to run, measured and saved.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import test from 'node:test';
import { ADDRESS, AXE, eventually, open, parameter, settled, tooWide, withBrowser } from './browser.mjs';

const api = async (path) => (await fetch(`${ADDRESS}api/traces/wasted/${path}`)).json();
/** Runs of hog 407 and what is around them: it waits on CPU 1 from 69,948,995,320, runs there from 70,000,225,370 to 70,036,110,200. */
const [FROM, RUN, END] = [69_948_995_320, 70_000_225_370, 70_036_110_200];
const WINDOW = `w=${FROM - 20_000_000}-${END + 20_000_000}`;

/** utid of the thread with a tid. */
async function utidOf(tid) {
  const found = await api(`search?q=${tid}`);
  return found.find(({ kind, label }) => kind === 'thread' && label.includes(`(tid ${tid})`)).id;
}

/** The button that unpins a lane: it is there as long as the lane is pinned. */
const unpin = (page, name) => page.getByRole('button', { name: `Unpin: ${name}`, exact: true });

/** The colour tokens that a lane of a thread has at instants, by the picture. */
async function tokensAt(page, name, instants) {
  const lane = await page.getByRole('button', { name: `Unpin: ${name}`, exact: true }).boundingBox();
  const [start, end] = parameter(page, 'w').split('-').map(Number);
  return page.evaluate(
    ({ y, shares, tokens }) => {
      const canvas = document.querySelector('canvas');
      const box = canvas.getBoundingClientRect();
      const style = getComputedStyle(document.documentElement);
      const context = canvas.getContext('2d');
      const scale = canvas.width / box.width;
      return shares.map((share) => {
        const { data } = context.getImageData(Math.round(share * canvas.width), Math.round((y - box.top) * scale), 1, 1);
        return tokens.find((token) => {
          const hex = style.getPropertyValue(token).trim().replace(/^#(.)(.)(.)$/, '#$1$1$2$2$3$3'); // as the build shortens it
          return [1, 3, 5].every((i, at) => Math.abs(Number.parseInt(hex.slice(i, i + 2), 16) - data[at]) < 6);
        });
      });
    },
    {
      y: lane.y + 3, // above the names and lines on it
      shares: instants.map((t) => (t - start) / (end - start)),
      tokens: ['--busy-fill', '--waiting-fill', '--idle-fill', '--blocked-fill', '--surface'],
    },
  );
}

test('a thread is pinned by key, drawn as its states are, and its panel has waker, wait and what it may use', () =>
  withBrowser(async (browser) => {
    const utid = await utidOf(407);
    const page = await open(browser, `#/wasted/timeline?${WINDOW}&slice=1@${RUN + 1000}&o=flows`);
    const panel = page.getByRole('region', { name: 'Details' });
    await panel.getByText('woken by').waitFor();
    await page.keyboard.press('t');
    await unpin(page, 'hog 407').waitFor();
    assert.equal(parameter(page, 'pin'), `t${utid}`);
    await settled(page);
    const at = [FROM - 10_000_000, FROM + 5_000_000, RUN - 2_000_000, RUN + 2_000_000, END - 2_000_000, END + 2_000_000];
    assert.deepEqual(await tokensAt(page, 'hog 407', at), [
      '--surface', // not created yet
      '--waiting-fill',
      '--waiting-fill',
      '--busy-fill',
      '--busy-fill',
      '--waiting-fill',
    ]);

    const exact = await api(`threads/${utid}/instant?at=${RUN}`);
    assert.deepEqual([exact.wait.start_ns, exact.start_ns, exact.end_ns], [FROM, RUN, END]);
    const text = await panel.innerText();
    assert.match(text, /waited after the wakeup\s+51\.2 ms on CPU 1/);
    assert.match(text, /behind\s+hog 408 45\.8 ms, hog 400 5\.40 ms/);
    assert.match(text, /priority\s+120 \(nice 0\)/);
    assert.match(text, /may use CPUs\s+0-7/);
    assert.match(text, /not recorded\s+policy: the trace has no snapshot of the thread; cgroup/);
    // The arrow of its wakeup, by a key and by the pointer: from, to, latency.
    await page.keyboard.press('v');
    const tooltip = page.locator('[class*="tooltip"]');
    await tooltip.getByText('Wakeup of hog 407').waitFor();
    const arrow = await tooltip.innerText();
    assert.match(arrow, /from\s+hog 400 on CPU 1\s+to\s+hog 407 on CPU 1\s+latency\s+51\.2 ms/);
    const status = page.getByRole('status').filter({ hasText: 'Wakeup of hog 407' });
    assert.match(await status.innerText(), /from hog 400 on CPU 1, to hog 407 on CPU 1, latency 51\.2 ms/);
    await page.keyboard.press('Escape');
    await tooltip.waitFor({ state: 'detached' });
    const canvas = await page.locator('canvas').boundingBox();
    const row = await unpin(page, 'hog 407').boundingBox();
    const [start, end] = parameter(page, 'w').split('-').map(Number);
    const half = canvas.x + (canvas.width * ((FROM + RUN) / 2 - start)) / (end - start);
    await eventually(async () => {
      await page.mouse.move(half + Math.random(), row.y + row.height - 4);
      return (await tooltip.count()) === 1 && (await tooltip.innerText()) === arrow;
    }, 'the pointer on the line of the wait shows the same');
    await page.mouse.move(5, 5);
    await tooltip.waitFor({ state: 'detached' });
    await page.goto(`${ADDRESS}#/wasted/timeline?${WINDOW}&slice=1@${RUN + 1000}&o=flows&pin=t${utid}`);

    await panel.getByRole('button', { name: 'hog 400', exact: true }).click();
    await panel.getByRole('heading', { name: 'hog 400' }).waitFor();
    assert.equal(parameter(page, 'slice'), `1@${FROM - 1}`, 'the waker is where it woke');

    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('ArrowUp');
    await eventually(() => parameter(page, 'slice')?.startsWith(`t${utid}@`), 'the arrows reach the lane of the thread');
    await page.keyboard.press('t');
    await eventually(() => parameter(page, 'pin') === null, 't unpins');
    assert.deepEqual(page.errors, []);
  }));

test('lanes are pinned from the search and from the table of threads; the link shows the same', () =>
  withBrowser(async (browser) => {
    const page = await open(browser, `#/wasted/timeline?${WINDOW}`);
    await settled(page);
    await page.keyboard.press('/');
    await page.getByRole('combobox', { name: 'Search for' }).fill('408');
    const thread = page.locator('dialog').getByRole('option', { name: 'hog (tid 408)' });
    await thread.waitFor();
    while ((await thread.getAttribute('aria-selected')) !== 'true') await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Shift+Enter');
    await unpin(page, 'hog 408').waitFor();
    await page.keyboard.press('5');
    await page.getByRole('button', { name: 'Pin its lane on the timeline: hog 407' }).click();
    await page.keyboard.press('2');
    await unpin(page, 'hog 407').waitFor();
    assert.equal(parameter(page, 'pin'), `t${await utidOf(408)}.t${await utidOf(407)}`);
    await settled(page);
    const link = page.url().split('#')[1];
    const second = await open(browser, `#${link}`);
    await unpin(second, 'hog 407').waitFor();
    await settled(second);
    const places = [FROM + 5_000_000, RUN + 2_000_000];
    assert.deepEqual(await tokensAt(second, 'hog 408', places), await tokensAt(page, 'hog 408', places));
    await unpin(second, 'hog 408').click();
    await unpin(second, 'hog 408').waitFor({ state: 'detached' });
    assert.deepEqual([...page.errors, ...second.errors], []);
  }));

test('all threads have lanes by process: sorted, filtered, unfolded; all by key', () =>
  withBrowser(async (browser) => {
    const page = await open(browser, '#/gangs/timeline');
    await settled(page);
    const names = () => page.locator('[class*="threadName"] [class*="name"]').allInnerTexts();
    assert.deepEqual(await names(), []);
    await page.keyboard.press('g');
    await eventually(async () => (await names()).length > 2, 'g lists threads');
    assert.equal(parameter(page, 'group'), 'process');
    const byTime = await names();
    await page.keyboard.press('o');
    await page.keyboard.press('o');
    await eventually(() => parameter(page, 'order') === 'name', 'o sorts');
    assert.deepEqual(await names(), [...byTime].sort((a, b) => a.localeCompare(b, 'en')));
    const filter = page.getByPlaceholder('Filter threads');
    await filter.fill(byTime[0].replace(/ .*/, ''));
    await eventually(async () => (await names()).length < byTime.length, 'the filter leaves some');
    await filter.fill('');
    await page.keyboard.press('Escape');
    await filter.evaluate((input) => input.blur());
    await page.keyboard.press('c');
    await eventually(() => parameter(page, 'fold') === 'machine0', 'c folds the CPUs');
    await page.getByText('all CPUs', { exact: true }).waitFor();
    await settled(page);
    assert.deepEqual(page.errors, []);
  }));

test('a range has the statistics of the API, and its file a row per thread', () =>
  withBrowser(async (browser) => {
    const utid = await utidOf(407);
    const page = await open(browser, `#/wasted/timeline?${WINDOW}&pin=t${utid}&slice=t${utid}@${RUN + 1000}`);
    await page.getByRole('region', { name: 'Details' }).getByText('waited after the wakeup').waitFor();
    await page.keyboard.press('r');
    assert.equal(parameter(page, 's'), `${RUN}-${END}@t${utid}`, 'r takes the state as the range');
    await page.keyboard.press('Shift+R');
    const table = page.getByRole('table', { name: 'Threads of the range' });
    await table.waitFor();
    const [start, end] = parameter(page, 's').split('-').map(Number);
    assert.deepEqual([start, end], parameter(page, 'w').split('-').map(Number));
    const exact = await api(`selection?start=${start}&end=${end}`);
    await eventually(
      async () => (await table.locator('thead th').first().innerText()) === `${exact.threads.length} threads`,
      'the table has all threads of the range',
    );
    const download = page.waitForEvent('download');
    await page.keyboard.press('e');
    const file = await download;
    assert.equal(file.suggestedFilename(), `wasted-range-${start}-${end}.csv`);
    const lines = readFileSync(await file.path(), 'utf8').trim().split('\n');
    const head = lines[0].split(',');
    const rows = lines.slice(1).map((line) => Object.fromEntries(line.split(',').map((value, i) => [head[i], value])));
    assert.deepEqual(
      rows.map((row) => [Number(row.utid), Number(row.run_ns), Number(row.wait_ns), Number(row.sleep_ns)]),
      exact.threads.map((thread) => [thread.utid, thread.run_ns, thread.wait_ns, thread.sleep_ns]),
    );
    assert.equal(exact.causes.reduce((sum, cause) => sum + cause.avoidable_ns, 0), exact.wasted_core_s * 1e9);
    await page.getByRole('list', { name: 'Causes of the avoidable waiting' }).waitFor();
    assert.deepEqual(page.errors, []);
  }));

test('two instants are measured from edge to edge; bookmarks are set, named, visited and kept', () =>
  withBrowser(async (browser) => {
    const utid = await utidOf(407);
    const page = await open(browser, `#/wasted/timeline?${WINDOW}&pin=t${utid}&slice=t${utid}@${FROM + 1000}`);
    const panel = page.getByRole('region', { name: 'Details' });
    await panel.getByText('waiting after a wakeup').waitFor();
    await page.keyboard.press('m');
    await page.keyboard.press('b');
    await eventually(() => parameter(page, 'mark') === `${FROM}:hog 407`, 'b sets a bookmark at the start of the state');
    await page.keyboard.press('ArrowRight');
    await panel.getByText('running', { exact: true }).waitFor();
    await page.keyboard.press('m');
    await eventually(() => parameter(page, 'measure') === `${FROM}-${RUN}`, 'm measures to the start of the run');
    await page.getByTitle('Measure: choose two instants on the lanes (m)').filter({ hasText: '51.2 ms' }).waitFor();

    // With the pointer: near an edge the edge counts.
    await page.getByRole('button', { name: 'End the measure' }).click();
    await page.getByRole('button', { name: 'Measure', exact: true }).click();
    const canvas = await page.locator('canvas').boundingBox();
    const lane = await unpin(page, 'hog 407').boundingBox();
    const [start, end] = parameter(page, 'w').split('-').map(Number);
    const x = (t) => canvas.x + (canvas.width * (t - start)) / (end - start);
    await page.mouse.click(x(RUN) + 3, lane.y + lane.height / 2);
    await page.mouse.click(x(END) - 3, lane.y + lane.height / 2);
    await eventually(() => parameter(page, 'measure') === `${RUN}-${END}`, 'clicks measure the run');

    await page.getByRole('button', { name: 'Bookmarks: 1' }).click();
    await page.getByRole('textbox', { name: /^Name of the bookmark/ }).fill('late run');
    await page.keyboard.press('Escape');
    assert.equal(parameter(page, 'mark'), `${FROM}:late run`);
    assert.equal(parameter(page, 'measure'), `${RUN}-${END}`, 'Escape closed the list only');
    await page.mouse.move(5, 5);
    await page.keyboard.press('d');
    await eventually(() => Number(parameter(page, 'w').split('-')[0]) > start, 'd pans');
    await page.keyboard.press(',');
    await eventually(() => {
      const [a, b] = parameter(page, 'w').split('-').map(Number);
      return Math.abs((a + b) / 2 - FROM) < 5;
    }, 'a bookmark is brought to the middle');
    const again = await open(browser, `#${page.url().split('#')[1]}`);
    await again.getByRole('button', { name: 'Bookmarks: 1' }).waitFor();
    await again.getByRole('button', { name: '35.9 ms', exact: true }).waitFor();
    assert.deepEqual([...page.errors, ...again.errors], []);
  }));

test('64 CPUs have lanes with numbers, which scroll by a map, by keys and to what a link names; or all are in the window', () =>
  withBrowser(async (browser) => {
    const page = await open(browser, '#/nodes/timeline');
    await settled(page);
    /** Heights and numbers of the lanes, and where the first and the last one lie in the window of the lanes. */
    const lanes = () =>
      page.evaluate(() => {
        const scroller = document.querySelector('[class*="scroller"]');
        const labels = [...scroller.querySelectorAll('button[class*="lane"]')];
        const { top, bottom } = scroller.getBoundingClientRect();
        const boxes = labels.map((label) => label.getBoundingClientRect());
        const overlaps = labels.filter(({ textContent }, at) => {
          const next = labels.findIndex((label, other) => other > at && label.textContent !== '');
          return textContent !== '' && next > 0 && boxes[next].top - boxes[at].top < 9;
        });
        return {
          names: labels.map((label) => label.textContent),
          lowest: Math.min(...boxes.map((box) => box.height)),
          first: boxes[0].top - top,
          last: bottom - boxes.at(-1).bottom,
          scrolled: scroller.scrollTop,
          overlaps: overlaps.length,
        };
      });
    const numbers = Array.from({ length: 64 }, (_, cpu) => String(cpu));
    const before = await lanes();
    assert.deepEqual(before.names, numbers);
    assert.ok(before.lowest >= 14, `${before.lowest} px`);
    assert.ok(before.last < -100, 'the last lanes are below the window');

    const map = page.getByRole('img', { name: /^All CPUs in this window of time/ });
    const colours = await map.evaluate((canvas) => {
      const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
      return new Set(new Uint32Array(data.buffer)).size;
    });
    assert.ok(colours > 3, 'the map is drawn');
    const box = await map.boundingBox();
    await page.mouse.click(box.x + box.width / 2, box.y + box.height - 3);
    await eventually(async () => (await lanes()).last >= 0, 'the map scrolls to the last CPU');
    await page.keyboard.press('PageUp');
    await eventually(async () => (await lanes()).last < -100, 'PageUp scrolls up');

    await page.keyboard.press('h');
    await eventually(() => parameter(page, 'fit') === '1', 'h is in the address');
    await map.waitFor({ state: 'detached' });
    const isWhole = ({ first, last, overlaps }) => first >= 0 && last >= 0 && overlaps === 0;
    await eventually(async () => isWhole(await lanes()), 'all are in the window, and no number lies over another');
    await page.getByRole('button', { name: 'All CPUs in the window' }).click();
    await map.waitFor();

    const { start_ns } = (await (await fetch(`${ADDRESS}api/traces`)).json()).find(({ id }) => id === 'nodes');
    const linked = await open(browser, `#/nodes/timeline?slice=63@${start_ns + 400_000_000}`);
    await settled(linked);
    const [scroller, lane] = [linked.locator('[class*="scroller"]'), linked.locator('button[class*="lane"]').last()];
    const [around, inside] = [await scroller.boundingBox(), await lane.boundingBox()];
    assert.ok(inside.y + inside.height <= around.y + around.height + 1, 'the lane of the link is in sight');

    const phone = await open(browser, '#/nodes/timeline', { viewport: { width: 390, height: 844 } });
    await settled(phone);
    assert.deepEqual(await tooWide(phone), []);
    await page.evaluate(AXE);
    const { violations } = await page.evaluate(() => window.axe.run(document, { resultTypes: ['violations'] }));
    assert.deepEqual(violations.map(({ id, nodes }) => `${id}: ${nodes[0].html.slice(0, 160)}`), []);
    assert.deepEqual([...page.errors, ...linked.errors, ...phone.errors], []);
  }));

test('lanes of threads fit a phone, and axe finds nothing serious, light and dark', () =>
  withBrowser(async (browser) => {
    const utid = await utidOf(407);
    const place = `#/wasted/timeline?${WINDOW}&pin=t${utid}&group=process&slice=t${utid}@${RUN + 1000}&mark=${RUN}:run&measure=${FROM}-${RUN}`;
    for (const colorScheme of ['light', 'dark']) {
      const page = await open(browser, place, { viewport: { width: 390, height: 844 }, colorScheme });
      await unpin(page, 'hog 407').waitFor();
      await settled(page);
      const wide = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
      assert.ok(wide <= 0, `${wide} px too wide`);
      await page.evaluate(AXE);
      const { violations } = await page.evaluate(() => window.axe.run(document, { resultTypes: ['violations'] }));
      const serious = violations.filter(({ impact }) => impact === 'serious' || impact === 'critical');
      assert.deepEqual(
        serious.map(({ id, nodes }) => `${id}: ${nodes[0].html.slice(0, 160)}`),
        [],
      );
      assert.deepEqual(page.errors, []);
    }
  }));

test('lanes of CPUs: some alone, some above the others, by waste; in the address, by keys alone, accessible', () =>
  withBrowser(async (browser) => {
    const page = await open(browser, '#/nodes/timeline');
    await settled(page);
    const names = () =>
      page.evaluate(() =>
        [...document.querySelectorAll('button[title^="CPUs "][title$="statistics of what is in sight"]')]
          .sort((a, b) => a.offsetTop - b.offsetTop)
          .map((button) => button.title.match(/^CPUs (\S+):/)[1]),
      );
    const all = await names();
    assert.equal(all.length, 64);
    const episodes = await (await fetch(`${ADDRESS}api/traces/nodes/episodes`)).json();
    const violations = async () => {
      await page.evaluate(AXE);
      const found = await page.evaluate(() => window.axe.run(document, { resultTypes: ['violations'] }));
      return found.violations.map(({ id, nodes }) => `${id}: ${nodes[0].html.slice(0, 160)}`);
    };
    const wasted = new Set(episodes.flatMap((episode) => [...episode.idle_cpus, ...episode.overloaded_cpus]));
    await page.keyboard.press('o');
    await eventually(() => parameter(page, 'cpuorder') === 'waste', 'sorted by a key');
    await settled(page);
    const sorted = (await names()).map(Number);
    assert.deepEqual(new Set(sorted.slice(0, wasted.size)), wasted, 'those of episodes stand first');
    assert.deepEqual([...sorted].sort((a, b) => a - b), all.map(Number), 'each has its lane');
    await page.keyboard.press('o');
    await eventually(() => parameter(page, 'cpuorder') === null, 'back by the same key');

    const last = all.at(-1);
    await page.getByTitle(`CPUs ${last}: statistics of what is in sight`).click();
    const panel = page.getByRole('region', { name: 'Details' });
    await panel.getByRole('button', { name: 'Pin', exact: true }).click();
    await eventually(() => parameter(page, 'first') === last, 'pinned');
    await settled(page);
    assert.deepEqual(await names(), [last, ...all.slice(0, -1)]);
    assert.deepEqual(await violations(), []);
    await panel.getByRole('button', { name: 'Unpin', exact: true }).click();
    await page.keyboard.press('x');
    await eventually(() => parameter(page, 'cpus') === last, 'alone by a key');
    await settled(page);
    assert.deepEqual(await names(), [last]);
    assert.deepEqual(await violations(), []);
    await page.getByRole('button', { name: '1 of 64 CPUs have lanes: all again' }).click();
    await eventually(() => parameter(page, 'cpus') === null, 'all again');
    await settled(page);
    assert.deepEqual(await names(), all);
  }));
