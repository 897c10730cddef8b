// What a user sees who looks at waste for the first time: the picture is exact, and says what it shows.

import assert from 'node:assert/strict';
import test from 'node:test';
import { ADDRESS, eventually, open, parameter, pointOnLane, settled, withBrowser } from './browser.mjs';

const tooltip = (page) => page.locator('[class*="tooltip"]');
const span = (page) => parameter(page, 'w')?.split('-').map(Number);

/** Asks the server as the page does. */
const ask = (page, path) =>
  page.evaluate(async (address) => {
    const answer = await fetch(address);
    return answer.ok ? answer.json() : Promise.reject(new Error(await answer.text()));
  }, `${ADDRESS}api/${path}`);

/** Runs of a lane's pixels that have the colour of waste, as [first, last] in CSS pixels. */
async function orange(page, lane) {
  const { y } = await pointOnLane(page, lane, 0.5);
  return page.evaluate((at) => {
    const canvas = document.querySelector('canvas');
    const row = Math.round(at - canvas.getBoundingClientRect().top);
    const { data } = canvas.getContext('2d').getImageData(0, row, canvas.width, 1);
    const token = getComputedStyle(document.documentElement).getPropertyValue('--wasted-fill').trim();
    const wanted = [1, 3, 5].map((i) => Number.parseInt(token.slice(i, i + 2), 16));
    const runs = [];
    for (let x = 0; x < canvas.width; x++) {
      if (!wanted.every((value, i) => Math.abs(data[x * 4 + i] - value) < 6)) continue;
      if (runs.at(-1)?.[1] === x - 1) runs.at(-1)[1] = x;
      else runs.push([x, x]);
    }
    return runs;
  }, y);
}

test('a wasted stretch says that it is, for how long, beside whom, in which episode and why', () =>
  withBrowser(async (browser) => {
    const page = await open(browser, '#/wasted/timeline?w=70000000000-70300000000');
    await settled(page);
    const point = await pointOnLane(page, 5, 0.3);
    await eventually(async () => {
      await page.mouse.move(point.x + Math.random(), point.y);
      return (await tooltip(page).count()) > 0 && /beside\s*hog \d+ on CPU/.test(await tooltip(page).innerText());
    }, 'the tooltip names who waited');
    const text = await tooltip(page).innerText();
    assert.match(text, /^Wasted\n/);
    assert.match(text, /for\s+[\d.]+ m?s/);
    assert.match(text, /episode\s+8, persistent/);
    assert.match(text, /cause\s+Placed by: fork\/exec/);
    await page.mouse.click(point.x, point.y);
    await page.getByRole('link', { name: 'Why: episode 8' }).waitFor();

    // Where slices are not drawn, the panel says it too.
    await page.goto(`${ADDRESS}#/wasted/timeline?slice=5@71000000000`);
    await page.getByRole('heading', { name: 'Wasted', exact: true }).waitFor();
    await page.getByText(/hog \d+ on CPU \d/).first().waitFor();
    assert.deepEqual(page.errors, []);
  }));

test('an instant of a CPU has one answer, the whole stretch, however far the picture is zoomed', () =>
  withBrowser(async (browser) => {
    // wasted_cpu of the fixture: CPU 5 from 71,132,591,340 for 259,387,440 ns.
    const place = '#/wasted/timeline?w=69746380207-72676536483&e=8';
    const page = await open(browser, place);
    await settled(page);
    const point = await pointOnLane(page, 5, 0.5);
    await page.mouse.move(point.x, point.y);
    await page.getByText(/^CPU 5: wasted 100(\.0)? % in this pixel$/).waitFor();
    await page.mouse.click(point.x, point.y);
    const slice = () => parameter(page, 'slice');
    await eventually(slice, 'a slice is selected');
    const [cpu, t] = slice().split('@').map(Number);
    assert.ok(cpu === 5 && t >= 71_132_591_340 && t < 71_132_591_340 + 259_387_440, slice());
    const shown = async (of = page) => {
      const panel = of.locator('section[aria-label="Details"]');
      await panel.getByRole('heading', { name: 'Wasted', exact: true }).waitFor();
      await panel.getByText(/hog \d+ on CPU \d/).waitFor();
      await panel.getByText(/Placed by:/).waitFor();
      return panel.innerText();
    };
    const first = await shown();
    assert.match(first, /for\s+259 ms/);
    assert.match(first, /from\s+\+1\.74851/);
    await page.mouse.move(point.x, point.y);
    for (let i = 0; i < 8; i++) await page.mouse.wheel(0, -200);
    await settled(page);
    assert.equal(await shown(), first, 'zoomed in');
    await page.keyboard.press('0');
    await settled(page);
    assert.equal(await shown(), first, 'the whole trace');
    const again = await open(browser, `${place}&slice=${slice()}`);
    await settled(again);
    assert.equal(await shown(again), first, 'and in a page that is opened with its address');
    assert.deepEqual([...page.errors, ...again.errors], []);
  }));

test('an episode is shown with its proof in the words of the command line, and with what also fits', () =>
  withBrowser(async (browser) => {
    const page = await open(browser, '#/wasted/episodes?e=8');
    const why = page.locator('section[aria-labelledby="why-8"]');
    await why.getByText(/^consistent: The events agree with this answer/).waitFor();
    const others = page.getByRole('listitem');
    await others.filter({ hasText: /preempted in place\s.*is the answer for [\d.]+\s?%/ }).first().waitFor();
    await others.filter({ hasText: /started running in place\s.*fits [\d.]+\s?% of it as well|started running in place\s.*is the answer for/ }).first().waitFor();
    assert.equal(await page.getByText('no other that is known').count(), 0);
  }));

test('the replay’s header adds up to the machine, and the curve’s legend names its outline', () =>
  withBrowser(async (browser) => {
    const page = await open(browser, '#/wasted/replay?t=71212644643');
    const header = page.locator('[class*="readout"]');
    await header.getByText('4 wasted').waitFor();
    const text = await header.innerText();
    const parts = ['wasted', 'busy', 'other idle', 'not observed'];
    const figures = parts.map((part) => text.match(new RegExp(`(\\d+)\\s+${part}`))?.[1]);
    assert.deepEqual(figures, ['4', '4', '0', undefined], text);
    await page.goto(`${ADDRESS}#/wasted/verdict`);
    await page.getByRole('listitem').filter({ hasText: /^most wasted at once$/ }).waitFor();
  }));

test('waste is drawn where the table has it, to the pixel, in every scheme and at every zoom', () =>
  withBrowser(async (browser) => {
    // wasted_cpu of the fixture: CPU 0 from 69,427,931,520 for 466,510 ns.
    const [start, length] = [69_427_931_520, 466_510];
    for (const [from, to] of [
      [start - 2_000_000, start + 3_000_000],
      [start - 200_000, start + length + 200_000],
      [start - 300, start + 900],
    ]) {
      const page = await open(browser, `#/wasted/timeline?o=none&w=${from}-${to}`);
      for (const scheme of ['state', 'thread', 'process', 'cgroup', 'bubble', 'queue', 'wait']) {
        await page.getByRole('combobox', { name: 'Colour', exact: true }).selectOption(scheme);
        await settled(page);
        const width = await page.locator('canvas').evaluate((canvas) => canvas.clientWidth);
        const x = (t) => Math.min(Math.max(((t - from) / (to - from)) * width, 0), width);
        let runs = [];
        await eventually(async () => {
          runs = await orange(page, 0);
          return runs.length === 1 && Math.abs(runs[0][0] - x(start)) <= 1.5 && Math.abs(runs[0][1] + 1 - x(start + length)) <= 1.5;
        }, `${scheme}: ${x(start)} to ${x(start + length)}, not ${JSON.stringify(runs)}`, 20_000);
        await page.getByLabel('Colours of the lanes').getByText('idle, wasted').waitFor();
      }
      await page.context().close();
    }
  }));

test('one waste is one row, with one amount in every view', () =>
  withBrowser(async (browser) => {
    const page = await open(browser, '#/wasted/verdict');
    const rows = page.locator('ol a[class*="main"]');
    await rows.first().waitFor();
    const worst = (await ask(page, 'traces/wasted/verdict')).worst[0];
    const amount = `${worst.core_s.toPrecision(3)} core-s`; // as the command line prints it
    assert.ok((await rows.first().innerText()).includes(amount), `verdict: ${amount}`);
    const spans = (await ask(page, 'traces/wasted/episodes')).map((e) => `${e.start_ns}-${e.end_ns}-${e.idle_cpus}`);
    assert.equal(await rows.count(), spans.length);
    assert.equal(new Set(spans).size, spans.length, 'no two rows have the same span and CPUs');
    await page.goto(`${ADDRESS}#/wasted/episodes?e=${worst.id}`);
    const list = page.getByRole('navigation', { name: 'Episodes' });
    await list.locator('a[aria-current="page"]').getByText(amount).waitFor();
    await page.locator('dl').getByText(amount).waitFor();
    await page.goto(`${ADDRESS}#/wasted/timeline?e=${worst.id}`);
    await page.locator('section[aria-label="Details"]').getByText(amount).waitFor();
    await page.getByText(`${spans.length} episodes`).or(page.getByText(`episode ${worst.id}`)).first().waitFor();
  }));

test('n goes to an episode, z shows it or what is selected, and never a moment that holds nothing', () =>
  withBrowser(async (browser) => {
    const page = await open(browser, '#/wasted/timeline?w=69384073350-69384073950&slice=7@69384073500');
    await settled(page);
    await page.keyboard.press('z'); // what is selected is longer than the window: a CPU that is not observed yet
    await settled(page);
    assert.ok(span(page)[1] - span(page)[0] >= 600, 'not down to the shortest window there is');
    await page.keyboard.press('0');
    await eventually(() => parameter(page, 'w') === null, 'the whole trace');
    await page.keyboard.press('ArrowRight');
    await eventually(() => ![null, '7@69384073500'].includes(parameter(page, 'slice')), 'the next slice is selected');
    await page.keyboard.press('n');
    await eventually(() => parameter(page, 'e'), 'an episode is chosen');
    assert.equal(parameter(page, 'slice'), null, 'and what was selected before is not');
    await settled(page);
    await page.keyboard.press('z');
    const { start_ns, end_ns } = (await ask(page, `traces/wasted/episodes/${parameter(page, 'e')}`)).episode;
    await eventually(() => span(page)?.[0] === start_ns && span(page)?.[1] === end_ns, 'z shows the episode');
    await page.keyboard.press('ArrowRight');
    await eventually(() => parameter(page, 'slice'), 'a slice of an idle CPU of it');
    assert.ok([4, 5, 6, 7].includes(Number(parameter(page, 'slice').split('@')[0])));
    assert.deepEqual(page.errors, []);
  }));

test('the tooltip is of what is under the pointer after the wheel has turned', () =>
  withBrowser(async (browser) => {
    const page = await open(browser, '#/wasted/timeline');
    await settled(page);
    const { x, y } = await pointOnLane(page, 0, 0.5);
    await page.mouse.move(x, y);
    await tooltip(page).waitFor();
    const before = await tooltip(page).innerText();
    for (let i = 0; i < 12; i++) await page.mouse.wheel(0, -200);
    await eventually(async () => (await tooltip(page).innerText()) !== before, 'it changes with the picture');
    await settled(page);
    const still = await tooltip(page).innerText();
    await page.mouse.move(x + 1, y);
    await page.mouse.move(x, y);
    await eventually(async () => (await tooltip(page).innerText()) === still, 'moving the pointer tells nothing new');
  }));

test('an episode is found by its name; an address that is none says so', () =>
  withBrowser(async (browser) => {
    const page = await open(browser, '#/wasted/verdict');
    await page.getByRole('heading', { level: 1 }).waitFor();
    await page.keyboard.press('/');
    await page.getByRole('combobox', { name: 'Search for' }).fill('episode 3');
    await page.getByRole('option', { name: /episode 3/ }).waitFor();
    await page.keyboard.press('Enter');
    await page.getByText(/^Episode 3\b/).first().waitFor();

    for (const [place, said] of [
      ['nowhere?e=1', 'There is no view “nowhere” here'],
      ['episodes?e=first', 'There is no episode “first” here'],
      ['episodes?e=999', 'There is no episode 999 in this trace'],
      ['episodes/99', 'There is no episode 99 in this trace'],
      ['timeline?e=999', 'There is no episode 999 in this trace'],
      ['replay?e=999', 'There is no episode 999 in this trace'],
    ]) {
      await page.goto(`${ADDRESS}#/wasted/${place}`);
      await page.getByText(said).first().waitFor();
    }
    await page.goto(`${ADDRESS}#/wasted/episode/3`);
    await page.getByText(/^Episode 3\b/).first().waitFor();
  }));

test('a share that is not certain says so in the list of traces, and little waste is not loud', () =>
  withBrowser(async (browser) => {
    const page = await open(browser);
    const row = (name) => page.getByRole('link', { name: new RegExp(`^${name}`) });
    await row('doubtful').getByText('none of it certain').waitFor();
    assert.equal(await row('wasted').getByText('certain').count(), 0);
    const loud = (name) => row(name).locator('[data-alarm]').getAttribute('data-alarm');
    assert.deepEqual([await loud('wasted'), await loud('doubtful')], ['much', 'none']);
  }));

/** Parts of a row whose texts lie over each other, or are cut off. */
const collisions = (page, rows) =>
  page.locator(rows).evaluateAll((found) =>
    found.flatMap((row) => {
      const parts = [...row.children].filter((part) => part.tagName === 'SPAN' && part.textContent);
      const box = (part) => {
        const range = document.createRange();
        range.selectNodeContents(part);
        return range.getBoundingClientRect();
      };
      const wrong = parts.filter((part) => part.scrollWidth > part.clientWidth + 1).map((part) => `cut: ${part.textContent}`);
      for (const [i, a] of parts.entries()) {
        for (const b of parts.slice(i + 1)) {
          const [p, q] = [box(a), box(b)];
          const over = p.left < q.right - 1 && q.left < p.right - 1 && p.top < q.bottom - 1 && q.top < p.bottom - 1;
          if (over) wrong.push(`${a.textContent} over ${b.textContent}`);
        }
      }
      return wrong;
    }),
  );

test('nothing lies over anything else: rows at three widths, lanes under the ruler, legends', () =>
  withBrowser(async (browser) => {
    for (const width of [390, 768, 1440]) {
      const page = await open(browser, '#/nodes/verdict', { viewport: { width, height: 900 } });
      await settled(page);
      assert.deepEqual(await collisions(page, 'ol a[class*="main"]'), [], `verdict at ${width}`);
      await page.goto(`${ADDRESS}#/nodes/episodes`);
      await page.locator('nav[aria-label="Episodes"] li > a').first().waitFor();
      assert.deepEqual(await collisions(page, 'nav[aria-label="Episodes"] li > a'), [], `episodes at ${width}`);
      await page.goto(`${ADDRESS}#/wasted/timeline?c=thread`);
      await settled(page);
      const outside = await page.evaluate(() =>
        [...document.querySelectorAll('[class*="legend"] li')]
          .filter((item) => item.getBoundingClientRect().right > window.innerWidth + 1)
          .map((item) => item.textContent),
      );
      assert.deepEqual(outside, [], `legend at ${width}`);
      await page.context().close();
    }
    const page = await open(browser, '#/nodes/timeline', { viewport: { width: 1280, height: 480 } });
    await settled(page);
    await page.locator('[class*="scroller"]').evaluate((part) => part.scrollTo(0, 120));
    const box = await page.locator('[class*="scroller"]').boundingBox();
    const above = await page.evaluate(
      ([x, y]) => [4, 12, 20, 26].map((dy) => document.elementFromPoint(x + 60, y + dy)?.tagName),
      [box.x, box.y],
    );
    assert.ok(!above.includes('BUTTON'), `beside the ruler: ${above}`);
  }));

test('the guide’s box lies beside what it explains', () =>
  withBrowser(async (browser) => {
    for (const viewport of [{ width: 1280, height: 800 }, { width: 1920, height: 1080 }]) {
      const page = await open(browser, '#/wasted/verdict', { viewport });
      const card = page.getByRole('complementary', { name: 'Guide' });
      await settled(page);
      await page.getByRole('button', { name: 'Show me' }).click();
      for (const part of ['sentence', 'curve', 'worst']) {
        const marked = page.locator(`[data-guide="${part}"][class*="marked"]`);
        await marked.waitFor();
        await settled(page);
        const [a, b] = [await card.boundingBox(), await marked.boundingBox()];
        const apart = a.x >= b.x + b.width || b.x >= a.x + a.width || a.y >= b.y + b.height || b.y >= a.y + a.height;
        assert.ok(apart, `${viewport.width}, ${part}: ${JSON.stringify([a, b])}`);
        assert.ok(a.x >= 0 && a.y >= 0 && a.x + a.width <= viewport.width && a.y + a.height <= viewport.height, part);
        await card.getByRole('button', { name: 'Next' }).click();
      }
      await page.keyboard.press('Escape');
      await card.waitFor({ state: 'detached' });
      await page.context().close();
    }
  }));
