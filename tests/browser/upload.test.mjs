// Traces that come in by the page: a good one opens, a broken one is refused with one line.

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'node:test';
import { open, withBrowser } from './browser.mjs';

const FTRACE = `# tracer: nop
#
           hog-10    [000] d..2.     1.000000: sched_switch: prev_comm=swapper/0 prev_pid=0 prev_prio=120 prev_state=R ==> next_comm=hog next_pid=10 next_prio=120
        <idle>-0     [001] d..2.     1.000100: sched_switch: prev_comm=kworker prev_pid=5 prev_prio=120 prev_state=S ==> next_comm=swapper/1 next_pid=0 next_prio=120
           hog-10    [000] d..3.     1.001000: sched_wakeup: comm=hog pid=11 prio=120 target_cpu=000
           hog-10    [000] d..2.     1.050000: sched_switch: prev_comm=hog prev_pid=10 prev_prio=120 prev_state=S ==> next_comm=hog next_pid=11 next_prio=120
        <idle>-0     [001] d..2.     1.060000: sched_switch: prev_comm=swapper/1 prev_pid=0 prev_prio=120 prev_state=R ==> next_comm=kworker next_pid=5 next_prio=120
`;

test('a chosen file is imported and opened; a broken one is refused', () =>
  withBrowser(async (browser) => {
    const folder = mkdtempSync(join(tmpdir(), 'wastenot-'));
    try {
      const page = await open(browser);
      const input = page.locator('input[type="file"]');
      await input.waitFor({ state: 'attached' });

      const broken = join(folder, 'broken.dat');
      writeFileSync(broken, Buffer.from(Array.from({ length: 4096 }, (_, i) => (i * 37) % 251)));
      await input.setInputFiles(broken);
      const alert = page.getByRole('alert');
      await alert.waitFor();
      const said = await alert.textContent();
      assert.match(said, /^broken\.dat: \S.+/);
      assert.ok(!said.includes('Traceback') && said.split('\n').length === 1, said);

      const good = join(folder, 'drawn.txt');
      writeFileSync(good, FTRACE);
      await page.locator('input[type="file"]').setInputFiles(good);
      await page.getByRole('heading', { level: 1, name: /core/i }).waitFor();
      assert.match(page.url(), /#\/[^/]*drawn[^/]*\/verdict/);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  }));

test('sending can be cancelled, and leaves nothing behind', () =>
  withBrowser(async (browser) => {
    const page = await open(browser);
    await page.route('**/api/traces?name=*', () => {}); // it takes for ever
    const input = page.locator('input[type="file"]');
    await input.waitFor({ state: 'attached' });
    await input.setInputFiles({ name: 'large.dat', mimeType: 'application/octet-stream', buffer: Buffer.alloc(100_000) });
    await page.getByText(/^Sending large\.dat/).waitFor();
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('button', { name: 'Choose a file' }).waitFor();
    assert.equal(await page.getByRole('alert').count(), 0);
  }));

test('after an import the verdict comes, and never that there is no such trace', () =>
  withBrowser(async (browser) => {
    const page = await open(browser);
    await page.locator('input[type="file"]').waitFor({ state: 'attached' });
    await page.evaluate(() => {
      window.seen = [];
      new MutationObserver(() => {
        for (const wrong of [/There is no trace.{0,20}/, /(?<![\d,.\u202f])1 events/]) {
          const seen = document.body.textContent.match(wrong);
          if (seen) window.seen.push(seen[0]);
        }
      }).observe(document.body, { childList: true, subtree: true, characterData: true });
    });
    await page.route('**/api/traces', async (route) => {
      await new Promise((resolve) => setTimeout(resolve, 400));
      await route.continue();
    });
    await page.locator('input[type="file"]').setInputFiles({ name: 'again.txt', mimeType: 'text/plain', buffer: Buffer.from(FTRACE) });
    await page.getByRole('heading', { level: 1, name: /core/i }).waitFor();
    assert.deepEqual(await page.evaluate(() => window.seen), []);
  }));

test('a file dragged over a view and away again leaves the view; dropped, it is imported', () =>
  withBrowser(async (browser) => {
    const page = await open(browser, '#/wasted/verdict');
    await page.getByRole('heading', { level: 1, name: /core/i }).waitFor();
    const drag = (names) =>
      page.evaluate(
        ([names, text]) => {
          const dataTransfer = new DataTransfer();
          dataTransfer.items.add(new File([text], 'dragged.txt'));
          for (const name of names)
            document.body.dispatchEvent(new DragEvent(name, { bubbles: true, cancelable: true, dataTransfer }));
        },
        [names, FTRACE],
      );
    const offer = page.getByText('Drop the file to import it as a trace');
    await drag(['dragenter', 'dragover']);
    await offer.waitFor();
    await drag(['dragleave']);
    await offer.waitFor({ state: 'detached' });
    assert.match(page.url(), /#\/wasted\/verdict$/);
    await drag(['dragenter', 'dragover', 'drop']);
    await page.waitForURL(/#\/[^/]*dragged[^/]*\/verdict/);
  }));
