// node screenshots.mjs FOLDER: the pictures of the documentation. With --all [REGEX] every view (or those whose name fits) of machines
// with 2 to 256 CPUs, wide, wider and on a phone, light and dark, and what the page shows while it has nothing to show; the reports
// whose files WASTENOT_REPORTS names (a:b), too. Run by scripts/screenshots.

import { mkdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ADDRESS, open, settled, withBrowser } from './browser.mjs';

const [folder, all, only = ''] = process.argv.slice(2);
mkdirSync(folder, { recursive: true });

const SQL =
  'wasted/sql?sql=SELECT+cpu,+sum(dur_ns)+FILTER+(utid+>+0)+/+sum(dur_ns)+AS+busy+FROM+cpu_slice+GROUP+BY+cpu+ORDER+BY+cpu&chart=1';
const THREADS = 'wasted/timeline?pin=t28.t29&group=process&slice=t28@70005000000&w=69900000000-70200000000';
const JOB =
  'realtime/timeline?w=18193016203704-18193058503233&o=episodes.waiting.migrations.flows.jobs&pin=t154&slice=t154@18193043253625';
const REPLAY = 'make-beside-r/replay?e=14&w=200000000-520000000&t=320000000';

/** Name, place, theme; 1280 pixels wide. */
const DOCUMENTATION = [
  ['verdict', 'demo/verdict', 'light'],
  ['timeline', 'make-beside-r/timeline?e=14&fit=1', 'dark'],
  ['timeline-wasted', 'wasted/timeline', 'light'],
  ['timeline-threads', THREADS, 'light'],
  ['replay', REPLAY, 'dark'],
  ['sql', SQL, 'light'],
  ['balance', 'solver/balance', 'light'],
  ['deadlines', 'realtime/deadlines', 'light'],
  ['deadlines-timeline', JOB, 'light'],
];

/** Traces of machines of every size: by how many CPUs the machine has, the trace and one to compare it with. */
const MACHINES = [
  [2, 'two-cpus', 'demo'], // real
  [8, 'demo', 'wasted'], // real, of a guest
  [64, 'rig-64', 'demo'], // real, of a guest
  [256, 'rig-256', 'demo'], // real, of a guest
];

const QUERY = 'SELECT+episode_id,+start_ns,+end_ns,+core_ns,+idle_cpus,+overloaded_cpus+FROM+episode+ORDER+BY+core_ns+DESC+LIMIT+20';

/** Name and place of every view of a trace; `worst` is the number of the episode that wasted most, if there is one. */
const viewsOf = (trace, other, worst) => [
  ['verdict', `${trace}/verdict`],
  ['episodes', `${trace}/episodes`],
  ['episode', `${trace}/episodes?e=${worst ?? 1}`],
  ['timeline', `${trace}/timeline`],
  ['timeline-fit', `${trace}/timeline?fit=1`],
  ['timeline-episode', `${trace}/timeline?e=${worst ?? 1}`],
  ['timeline-lanes', `${trace}/timeline?group=process`],
  ['threads', `${trace}/threads`],
  ['latency', `${trace}/latency`],
  ['balance', `${trace}/balance`],
  ['deadlines', `${trace}/deadlines`],
  ['compare', `${trace}/compare?b=${other}`],
  ['replay', `${trace}/replay`],
  ['sql', `${trace}/sql?sql=${QUERY}`],
];

/** Views in which something is chosen, or that other traces show better. */
const MORE = [
  ['home', ''],
  ['timeline-slices', 'wasted/timeline?w=70000000000-70012000000&slice=1@70005000000'],
  ['timeline-pinned', THREADS],
  ['timeline-range', 'demo/timeline?group=process&s=24500000000-24900000000&measure=24600000000-24900000000'],
  ['timeline-thread', 'wasted/timeline?c=thread&utid=28'],
  ['timeline-quiet-256', 'huge/timeline'],
  ['replay-declared', 'gangs/replay?t=1000000000'],
  ['replay-quiet-256', 'huge/replay?t=300000000'],
  ['chart', SQL],
  ['balance-solver', 'solver/balance'],
  ['verdict-doubtful', 'wasted/verdict'],
  ['deadlines', 'realtime/deadlines'],
];
const SIZES = [
  [1440, 900],
  [1920, 1080],
  [390, 844],
];

/** Name, place, and what is done to the page before. */
const STATES = [
  ['loading', 'wasted/verdict', (page) => page.route('**/api/**/verdict*', () => {})],
  ['failed', 'wasted/verdict', (page) => page.route('**/api/**/verdict*', (r) => r.fulfill(refusal(500, 'the disk is gone')))],
  ['gone', 'wasted/timeline', (page) => page.route('**/api/**/machine*', (r) => r.abort())],
  ['unknown-trace', 'nothing/verdict'],
  ['no-traces', '', (page) => page.route('**/api/traces', (r) => r.fulfill({ json: [] }))],
  ['only-one', 'wasted/compare', onlyOne],
  ['no-episodes', 'wasted/episodes', (page) => page.route('**/episodes?*', (r) => r.fulfill({ json: [] }))],
  ['help', 'wasted/timeline', null, (page) => page.keyboard.press('?')],
  ['search', 'wasted/timeline', null, search],
  ['guide', 'wasted/verdict', null, guide],
  ['broken', '', null, broken],
  ['sql-error', 'wasted/sql?sql=SELECT+nothing+FROM+nowhere', null],
  ['print', 'wasted/verdict', null, (page) => page.emulateMedia({ media: 'print' })],
  ['print-episode', 'wasted/episodes?e=8', null, (page) => page.emulateMedia({ media: 'print' })],
];

const refusal = (status, error) => ({ status, json: { error } });

async function onlyOne(page) {
  const [first] = await (await fetch(`${ADDRESS}api/traces`)).json();
  await page.route('**/api/traces', (route) => route.fulfill({ json: [{ ...first, id: 'wasted' }] }));
}

async function search(page) {
  await page.keyboard.press('/');
  await page.getByRole('combobox', { name: 'Search for' }).fill('lttng');
  await page.locator('dialog').getByRole('option').first().waitFor();
}

async function guide(page) {
  await page.keyboard.press('?');
  await page.getByRole('button', { name: 'Show the guide' }).click();
  await page.getByRole('button', { name: 'Next' }).click();
}

async function broken(page) {
  const file = { name: 'broken.dat', mimeType: 'application/octet-stream', buffer: Buffer.alloc(5000, 'no trace ') };
  await page.locator('input[type="file"]').setInputFiles(file);
  await page.getByRole('alert').waitFor();
}

async function picture(browser, { name, place, address = `${ADDRESS}#/${place}`, colorScheme, size = [1280, 800], before, after, whole }) {
  const phone = size[0] < 500 && { isMobile: true, hasTouch: true };
  const page = await open(browser, 'api/health', { colorScheme, viewport: { width: size[0], height: size[1] }, ...phone });
  await page.evaluate((seen) => seen && localStorage.setItem('wastenot.guide', 'seen'), name !== 'offer');
  await before?.(page);
  await page.goto(address);
  if (before) await page.waitForTimeout(5000);
  else await settled(page);
  await after?.(page);
  await page.waitForTimeout(600);
  if (whole) await unfold(page, size);
  await page.screenshot({ path: join(folder, `${name}.png`) });
  await page.context().close();
}

/** Makes the window as high as the page's content, so that all of it is seen. */
async function unfold(page, [width, height]) {
  const hidden = await page.evaluate(() =>
    Math.max(...[...document.querySelectorAll('html, main, main *')].map((part) => part.scrollHeight - part.clientHeight)),
  );
  await page.setViewportSize({ width, height: Math.min(height + Math.max(hidden, 0), 3000) });
  await page.waitForTimeout(300);
}

async function everything() {
  const places = [...MORE];
  for (const [cpus, trace, other] of MACHINES) {
    const [worst] = await (await fetch(`${ADDRESS}api/traces/${trace}/episodes?limit=1`)).json();
    for (const [name, place] of viewsOf(trace, other, worst?.episode_id)) places.push([`${name}-${cpus}`, place]);
  }
  const addresses = places.map(([name, place]) => [name, `${ADDRESS}#/${place}`]);
  addresses.push(['docs', `${ADDRESS}docs/`], ['docs-glossary', `${ADDRESS}docs/glossary.html`]);
  const reports = process.env.WASTENOT_REPORTS?.split(':') ?? [];
  for (const file of reports) addresses.push([`report-${basename(file, '.html')}`, pathToFileURL(file).href]);
  const views = addresses.flatMap(([name, address]) =>
    SIZES.flatMap((size) =>
      ['light', 'dark'].map((colorScheme) => {
        const whole = !/^(timeline|replay)/.test(name);
        return { name: `${name}-${size[0]}-${colorScheme}`, address, colorScheme, size, whole };
      }),
    ),
  );
  const states = STATES.flatMap(([name, place, before, after]) => [
    { name: `state-${name}`, place, colorScheme: 'light', before, after, whole: name.startsWith('print') },
    { name: `state-${name}-390`, place, colorScheme: 'dark', size: SIZES[2], before, after },
  ]);
  return [...views, ...states, { name: 'offer', place: 'wasted/verdict', colorScheme: 'light' }];
}

await withBrowser(async (browser) => {
  const documentation = DOCUMENTATION.map(([name, place, colorScheme]) => ({ name, place, colorScheme }));
  const fitting = new RegExp(only);
  for (const wanted of all ? await everything() : documentation) if (fitting.test(wanted.name)) await picture(browser, wanted);
});
