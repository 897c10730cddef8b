// CPUs scanned and interrupts on a real recording: what is drawn, said and stepped through is what the tables have.

import assert from 'node:assert/strict';
import test from 'node:test';
import { AXE, eventually, open, parameter, settled, sql, tokensAt, tooWide, withBrowser } from './browser.mjs';

/** 10 ms in which a pipeline of threads wakes up: 16 placements, some within microseconds. */
const [FROM, TO] = [145_540_000_000, 145_550_000_000];
const WINDOW = `w=${FROM}-${TO}`;
const SCANS = `SELECT s.id, s.ts_ns, s.cpu, s.chosen_cpu, m.cpus, t.name || ' ' || t.tid AS thread
  FROM cpus_scanned s LEFT JOIN mask m USING (mask_id) JOIN thread t ON t.tid = s.tid AND coalesce(t.start_ns, 0) <= s.ts_ns
  WHERE s.ts_ns >= ${FROM} AND s.ts_ns < ${TO}
  QUALIFY row_number() OVER (PARTITION BY s.id ORDER BY t.start_ns DESC) = 1 ORDER BY s.id`;
const interruptsSql = (from, to) =>
  `SELECT cpu, ts_ns, dur_ns, irq_kind_name(kind) AS kind FROM irq_span
   WHERE ts_ns < ${to} AND ts_ns + dur_ns > ${from} ORDER BY ts_ns, cpu`;

const words = ({ cpus, chosen_cpu: chosen }) => {
  const ranges = [];
  for (const cpu of cpus) {
    if (ranges.at(-1)?.[1] === cpu - 1) ranges.at(-1)[1] = cpu;
    else ranges.push([cpu, cpu]);
  }
  const list = ranges.map(([a, b]) => (a === b ? `${a}` : `${a}-${b}`)).join(', ');
  return `scanned ${cpus.length === 1 ? 'CPU' : 'CPUs'} ${list}; chose ${chosen}`;
};

const widthOf = async (page) => (await page.locator('canvas').first().boundingBox()).width;

test('each lane scanned has a mark at the instant of the placement, the chosen one a stronger one; keys, pointer and panel say the same', () =>
  withBrowser(async (browser) => {
    const scans = await sql('placed', SCANS);
    assert.ok(scans.length > 10 && scans.every(({ cpus }) => cpus !== null));
    const page = await open(browser, `#/placed/timeline?${WINDOW}&o=none`);
    await settled(page);
    assert.equal(scans.length, (await sql('placed', `FROM cpus_scanned WHERE ts_ns >= ${FROM} AND ts_ns < ${TO}`)).length);
    const near = (9 * (TO - FROM)) / (await widthOf(page));
    const alone = scans.filter(({ id, ts_ns: t }) => !scans.some((other) => other.id !== id && Math.abs(other.ts_ns - t) < near));
    assert.ok(alone.length >= 6, `${alone.length} scans lie apart`);
    const all = alone.flatMap(({ ts_ns: t, cpus, chosen_cpu: chosen }) =>
      Array.from({ length: 8 }, (_, cpu) => ({ t, cpu, token: cpu === chosen ? '--text' : cpus.includes(cpu) ? '--surface' : undefined })),
    );
    const before = await tokensAt(page, all, ['--text', '--surface']);
    const points = all.filter((_, at) => before[at] === undefined); // a letter of a name on the lane has such a colour, too
    assert.ok(points.length >= all.length - 2, 'off: no mark');
    const marks = () => tokensAt(page, points, ['--text', '--surface']);
    await page.getByRole('button', { name: 'Scans', exact: true }).click();
    assert.equal(parameter(page, 'o'), 'scans');
    await settled(page);
    assert.deepEqual(await marks(), points.map(({ token }) => token));
    await page.getByRole('list', { name: 'Marks of CPUs scanned' }).waitFor();
    // Of attempts nothing is said while they are not shown.
    const gaps = page.getByRole('complementary', { name: 'What was not recorded' });
    assert.doesNotMatch(await gaps.innerText(), /load-balance attempts/);
    await page.getByRole('button', { name: 'Balancing' }).click();
    await gaps.getByText('CPUs scanned by load-balance attempts: not marked on the lanes').waitFor();
    await page.getByRole('button', { name: 'Balancing' }).click();

    // By a key, one after the other, for those who do not see it.
    const status = page.getByRole('status').filter({ hasText: 'Placement of' });
    const [{ start_ns: origin }] = await sql('placed', 'SELECT start_ns FROM verdict');
    const said = [];
    for (const scan of scans) {
      await page.keyboard.press('v');
      const decided = `decided on CPU ${scan.cpu}, +${((scan.ts_ns - origin) / 1e9).toFixed(6)} s`;
      await eventually(async () => (await status.count()) === 1 && (await status.innerText()).includes(decided), decided);
      said.push((await status.innerText()).replace(/ at its wakeup, /, ': ').replace(/, decided.*$/s, ''));
    }
    assert.deepEqual(
      said,
      scans.map((scan) => `Placement of ${scan.thread}: ${words(scan)}`),
    );
    await page.keyboard.press('Escape');

    const [scan] = alone.filter(({ cpus, chosen_cpu: chosen }) => cpus.some((cpu) => cpu !== chosen));
    const canvas = await page.locator('canvas').boundingBox();
    const lane = await page.locator('button[class*="lane"]').nth(scan.chosen_cpu).boundingBox();
    const x = canvas.x + (canvas.width * (scan.ts_ns - FROM)) / (TO - FROM);
    const tooltip = page.locator('[class*="tooltip"]');
    await eventually(async () => {
      await page.mouse.move(x + Math.random(), lane.y + lane.height / 2);
      return (await tooltip.count()) === 1 && (await tooltip.innerText()).includes(words(scan));
    }, 'the pointer on a mark shows what was scanned');
    await page.mouse.move(5, 5);
    await page.getByRole('button', { name: 'Scans', exact: true }).click();
    await settled(page);
    assert.deepEqual(await marks(), points.map(() => undefined), 'off again');
    assert.deepEqual(page.errors, []);
  }));

test('a picked slice has the CPUs scanned at its wakeup, and those that it scanned for others', () =>
  withBrowser(async (browser) => {
    const [scan] = (await sql('placed', SCANS)).filter(({ cpus, thread }) => cpus.length > 1 && thread.startsWith('stage'));
    const [run] = await sql(
      'placed',
      `SELECT s.cpu, s.start_ns, s.dur_ns FROM cpu_slice s JOIN thread t USING (utid)
       WHERE t.name || ' ' || t.tid = '${scan.thread}' AND s.start_ns > ${scan.ts_ns} ORDER BY s.start_ns LIMIT 1`,
    );
    const page = await open(browser, `#/placed/timeline?${WINDOW}&o=scans&slice=${run.cpu}@${run.start_ns + 1}`);
    const panel = page.getByRole('region', { name: 'Details' });
    await panel.getByText('placement', { exact: true }).waitFor();
    const facts = (name) => panel.locator('dt', { hasText: new RegExp(`^${name}$`) }).locator('xpath=following-sibling::dd');
    assert.equal(await facts('placement').innerText(), `${words(scan)}, on CPU ${scan.cpu}`);
    const made = await sql(
      'placed',
      `SELECT count(*) AS n FROM cpus_scanned WHERE cpu = ${run.cpu} AND ts_ns >= ${run.start_ns} AND ts_ns < ${run.start_ns + run.dur_ns}`,
    );
    await eventually(async () => (await facts('decided here').count()) === Math.min(made[0].n, 2), 'what was decided in it');
    // The mark of its own scan is drawn in the colour of what is picked.
    await settled(page);
    assert.deepEqual(await tokensAt(page, [{ t: scan.ts_ns, cpu: scan.chosen_cpu }], ['--text', '--accent']), ['--accent']);
    assert.deepEqual(page.errors, []);
  }));

test('interrupts are bands along the top of the lanes, as long as the table has them; too many are not drawn', () =>
  withBrowser(async (browser) => {
    const [{ end_ns: last }] = await sql('placed', 'SELECT end_ns FROM verdict');
    const [from, to] = [145_500_000_000, 146_100_000_000];
    const page = await open(browser, `#/placed/timeline?w=${from}-${to}&o=interrupts`);
    await settled(page);
    const spans = await sql('placed', interruptsSql(from, to));
    assert.ok(spans.length > 20 && new Set(spans.map(({ cpu }) => cpu)).size > 3);
    const width = await widthOf(page);
    const pixel = (to - from) / width;
    // Of every half pixel of a row of each lane: drawn where the table has work, and nowhere else.
    const samples = Array.from({ length: 2 * Math.floor(width) }, (_, at) => from + ((at + 0.5) * pixel) / 2);
    for (let cpu = 0; cpu < 8; cpu++) {
      const own = spans.filter((span) => span.cpu === cpu);
      const drawn = await tokensAt(page, samples.map((t) => ({ t, cpu, below: 1.5 })), ['--irq-soft', '--irq-hard']);
      const at = (t) => drawn[Math.min(Math.max(Math.floor(((t - from) / pixel) * 2), 0), drawn.length - 1)];
      for (const [index, token] of drawn.entries()) {
        const t = samples[index];
        const isNear = own.some((span) => t > span.ts_ns - 2 * pixel && t < span.ts_ns + span.dur_ns + 2 * pixel);
        if (token !== undefined) assert.ok(isNear, `CPU ${cpu} has none at ${t}`);
      }
      for (const { ts_ns: start, dur_ns: length, kind } of own) {
        if (length < 3 * pixel || start < from) continue;
        assert.equal(at(start + length / 2), kind === 'softirq' ? '--irq-soft' : '--irq-hard', `CPU ${cpu} at ${start}`);
      }
    }

    // The longest one: by the pointer on its band, and in the panel of the slice in which it is.
    const longest = spans.reduce((a, b) => (b.dur_ns > a.dur_ns ? b : a));
    const t = Math.floor(longest.ts_ns + longest.dur_ns / 2);
    const canvas = await page.locator('canvas').boundingBox();
    const lane = await page.locator('button[class*="lane"]').nth(longest.cpu).boundingBox();
    const tooltip = page.locator('[class*="tooltip"]');
    await eventually(async () => {
      await page.mouse.move(canvas.x + (canvas.width * (t - from)) / (to - from) + Math.random(), lane.y + 2);
      return (await tooltip.count()) === 1 && (await tooltip.innerText()).startsWith(`Interrupt work on CPU ${longest.cpu}`);
    }, 'the pointer on a band');
    const length = (longest.dur_ns / 1e6).toPrecision(3);
    assert.match(await tooltip.innerText(), new RegExp(`kind\\s+softirq \\w+\\s+from\\s+\\S+ s\\s+for\\s+${length} ms`));
    await page.mouse.click(canvas.x + (canvas.width * (t - from)) / (to - from), lane.y + lane.height / 2);
    await page.mouse.move(5, 5);
    const fact = page.getByRole('region', { name: 'Details' }).locator('dt', { hasText: /^interrupt$/ }).locator('xpath=following-sibling::dd');
    await fact.waitFor();
    assert.match(await fact.innerText(), new RegExp(`^softirq \\w+, ${length} ms from `));

    const whole = await open(browser, '#/placed/timeline?o=scans');
    await settled(whole);
    assert.ok((await sql('placed', 'FROM cpus_scanned')).length > (await widthOf(whole)) / 5);
    await whole.getByText('too many scanned CPUs to draw: zoom in').waitFor();
    assert.equal(await whole.getByRole('list', { name: 'Marks of CPUs scanned' }).count(), 0);
    assert.ok(last > to);
    assert.deepEqual([...page.errors, ...whole.errors], []);
  }));

test('where nothing of it was recorded the page says so; on a phone it fits, and axe finds nothing, light and dark', () =>
  withBrowser(async (browser) => {
    const page = await open(browser, '#/wasted/timeline?o=scans.interrupts.attempts');
    const gaps = page.getByRole('complementary', { name: 'What was not recorded' });
    await gaps.waitFor();
    const text = await gaps.innerText();
    assert.match(text, /placements of threads, CPUs scanned at wakeup \(the trace has none\)/);
    assert.match(text, /CPUs scanned by load-balance attempts: not marked/);
    assert.match(text, /Not recorded: CPU in interrupt work \(the trace does not have both irq and softirq events\): not drawn/);
    for (const colorScheme of ['light', 'dark']) {
      const small = { viewport: { width: 390, height: 844 }, colorScheme };
      const phone = await open(browser, `#/placed/timeline?${WINDOW}&o=scans.interrupts&slice=4@145544800000`, small);
      await settled(phone);
      assert.deepEqual(await tooWide(phone), []);
      await phone.evaluate(AXE);
      const { violations } = await phone.evaluate(() => window.axe.run(document, { resultTypes: ['violations'] }));
      assert.deepEqual(violations.map(({ id, nodes }) => `${id}: ${nodes[0].html.slice(0, 160)}`), []);
      assert.deepEqual(phone.errors, []);
    }
    assert.deepEqual(page.errors, []);
  }));
