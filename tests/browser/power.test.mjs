// Idle states and frequencies of CPUs: drawn where the trace has them, in the shade of the state and at the height of the frequency.

import assert from 'node:assert/strict';
import test from 'node:test';
import { AXE, eventually, open, parameter, settled, sql, tokensAt, tooWide, withBrowser } from './browser.mjs';

const MS = 1_000_000;
const WINDOW = `w=0-${100 * MS}`;

const fact = (page, name) =>
  page.getByRole('region', { name: 'Details' }).locator('dt', { hasText: new RegExp(`^${name}$`) }).locator('xpath=following-sibling::dd');

test('each is drawn while its overlay is on, where and as the events say; the panel says the same', () =>
  withBrowser(async (browser) => {
    assert.deepEqual(await sql('power', 'SELECT cpu, ts_ns, state FROM cpu_idle WHERE state IS NOT NULL ORDER BY id'), [
      { cpu: 0, ts_ns: 10 * MS, state: 0 },
      { cpu: 0, ts_ns: 20 * MS, state: 2 },
      { cpu: 1, ts_ns: 60 * MS, state: 1 },
    ]);
    const page = await open(browser, `#/power/timeline?${WINDOW}&o=none&slice=0@${30 * MS}`);
    await settled(page);
    // Of each 2 ms, a point of the band at the bottom: the deepest state has the token's colour.
    const instants = Array.from({ length: 49 }, (_, at) => (2 * at + 1) * MS);
    const bandOf = (cpu) => tokensAt(page, instants.map((t) => ({ t, cpu, below: -4.5 })), ['--idle-state']);
    assert.ok((await bandOf(0)).every((token) => token === undefined), 'off');
    await page.getByRole('button', { name: 'Idle states', exact: true }).click();
    assert.equal(parameter(page, 'o'), 'idle');
    await settled(page);
    const deepest = instants.map((t) => (t > 20 * MS && t < 40 * MS ? '--idle-state' : undefined));
    assert.deepEqual(await bandOf(0), deepest);
    await page.getByRole('list', { name: 'Colours of idle states' }).getByText('idle states 0 to 2').waitFor();
    const idle = fact(page, 'idle state');
    await idle.waitFor();
    assert.equal(await idle.innerText(), '2 from +0.020000 s for 20.0 ms');
    assert.equal(await fact(page, 'idle states in it').innerText(), '0 for 10.0 ms, 2 for 20.0 ms');

    await page.getByRole('button', { name: 'Idle states', exact: true }).click();
    await page.getByRole('button', { name: 'Frequency', exact: true }).click();
    assert.equal(parameter(page, 'o'), 'frequency');
    await settled(page);
    // The highest of the trace runs along the top of the lane, three quarters of it (where no name is written) lower.
    const { height } = await page.locator('button[class*="lane"]').first().boundingBox();
    const body = height - 2;
    const below = (share) => body - 1.5 - Math.round(share * (body - 3));
    const lineOf = (cpu, share) => tokensAt(page, instants.map((t) => ({ t, cpu, below: below(share) })), ['--frequency']);
    const during = (from, to) => instants.map((t) => (t > from * MS && t < to * MS ? '--frequency' : undefined));
    assert.deepEqual(await lineOf(0, 1), during(50, 100));
    assert.deepEqual(await lineOf(0, 0.75), during(4, 50));
    assert.deepEqual(await lineOf(1, 0.25), during(4, 100));
    await page.getByRole('list', { name: 'Line of the frequency' }).getByText('frequency, up to 2.40 GHz').waitFor();
    assert.equal(await fact(page, 'frequency').innerText(), '1.80 GHz from +0.004000 s for 46.0 ms');

    // The pointer on a slice with both frequencies.
    const canvas = await page.locator('canvas').first().boundingBox();
    const tooltip = page.locator('[class*="tooltip"]');
    await eventually(async () => {
      await page.mouse.move(canvas.x + canvas.width * 0.7 + Math.random(), canvas.y + 30 + height / 2);
      return (await tooltip.count()) === 1 && (await tooltip.innerText()).includes('2.40 GHz from +0.050000 s for 50.0 ms');
    }, 'the frequency under the pointer');
    assert.match(await tooltip.innerText(), /frequencies in it\s+1\.80 GHz to 2\.40 GHz/);
    assert.deepEqual(page.errors, []);
  }));

test('a trace without has no such overlays, and a link that asks for them says so', () =>
  withBrowser(async (browser) => {
    const page = await open(browser, '#/nodes/timeline?o=episodes');
    await settled(page);
    await page.getByRole('button', { name: 'Interrupts', exact: true }).waitFor();
    for (const name of ['Idle states', 'Frequency']) assert.equal(await page.getByRole('button', { name, exact: true }).count(), 0);
    const asked = await open(browser, '#/nodes/timeline?o=idle.frequency');
    const gaps = asked.getByRole('complementary', { name: 'What was not recorded' });
    await gaps.waitFor();
    assert.match(await gaps.innerText(), /Not recorded: idle states of CPUs, frequencies of CPUs: not drawn/);
    await asked.getByRole('button', { name: 'Idle states', exact: true }).click();
    assert.equal(parameter(asked, 'o'), 'frequency');
    assert.deepEqual([...page.errors, ...asked.errors], []);
  }));

test('on a real recording a band is where the table has a state, and nowhere else', () =>
  withBrowser(async (browser) => {
    const [{ start_ns: start }] = await sql('wasted', 'SELECT start_ns FROM verdict');
    const [from, to] = [start + 100 * MS, start + 500 * MS];
    const spans = await sql(
      'wasted',
      `WITH spans AS (
         SELECT cpu, ts_ns, lead(ts_ns) OVER (PARTITION BY cpu ORDER BY id) AS end_ns, state FROM cpu_idle)
       SELECT cpu, ts_ns, end_ns FROM spans WHERE state = 1 AND ts_ns < ${to} AND end_ns > ${from} ORDER BY ts_ns`,
    );
    assert.ok(spans.length > 100 && new Set(spans.map(({ cpu }) => cpu)).size === 8);
    const page = await open(browser, `#/wasted/timeline?w=${from}-${to}&o=idle`);
    await settled(page);
    assert.equal(await page.getByRole('button', { name: 'Frequency', exact: true }).count(), 0, 'a virtual machine');
    const { width } = await page.locator('canvas').first().boundingBox();
    const pixel = (to - from) / width;
    const samples = Array.from({ length: Math.floor(width) }, (_, at) => from + (at + 0.5) * pixel);
    for (let cpu = 0; cpu < 8; cpu++) {
      const own = spans.filter((span) => span.cpu === cpu);
      const drawn = await tokensAt(page, samples.map((t) => ({ t, cpu, below: -4.5 })), ['--idle-state']);
      for (const [at, token] of drawn.entries()) {
        const t = samples[at];
        const near = own.some((span) => t > span.ts_ns - 2 * pixel && t < span.end_ns + 2 * pixel);
        const within = own.some((span) => t > span.ts_ns + pixel && t < span.end_ns - pixel);
        assert.ok(token === undefined ? !within : near, `CPU ${cpu} at ${t}: ${token}`);
      }
    }
    assert.deepEqual(page.errors, []);
  }));

test('on a phone it fits, and axe finds nothing, light and dark', () =>
  withBrowser(async (browser) => {
    for (const colorScheme of ['light', 'dark']) {
      const small = { viewport: { width: 390, height: 844 }, colorScheme };
      const phone = await open(browser, `#/power/timeline?${WINDOW}&o=idle.frequency&slice=0@${30 * MS}`, small);
      await settled(phone);
      await fact(phone, 'idle state').waitFor();
      assert.deepEqual(await tooWide(phone), []);
      await phone.evaluate(AXE);
      const { violations } = await phone.evaluate(() => window.axe.run(document, { resultTypes: ['violations'] }));
      assert.deepEqual(violations.map(({ id, nodes }) => `${id}: ${nodes[0].html.slice(0, 160)}`), []);
      assert.deepEqual(phone.errors, []);
    }
  }));
