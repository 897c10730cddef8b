// Numbers as the page shows them, each beside what a query over the tables says: of two traces, in four views.

import assert from 'node:assert/strict';
import test from 'node:test';
import { open, query, settled, shows, withBrowser } from './browser.mjs';

const LEAST = 100;
/** So many rows of each table. */
const ROWS = 6;

/** By view: the table, its rows by a query (what identifies a row, then a value per column), and the columns with their units. */
const TABLES = [
  {
    view: 'threads',
    table: 'Threads',
    sql: `SELECT t.name || ' ' || t.tid AS row, p.avoidable, p.avoidable / w.ns, w.ns - p.avoidable, r.ns, coalesce(m.n, 0), s.n
          FROM thread t
          JOIN (SELECT utid, sum(dur_ns)::BIGINT AS ns FROM waits() GROUP BY utid) w USING (utid)
          JOIN (SELECT utid, sum(dur_ns)::BIGINT AS ns FROM cpu_slice GROUP BY utid) r USING (utid)
          JOIN (SELECT next_tid AS tid, count(*) AS n FROM sched_switch GROUP BY next_tid) s USING (tid)
          LEFT JOIN (SELECT tid, count(*) AS n FROM sched_migrate_task GROUP BY tid) m USING (tid)
          JOIN (SELECT utid, avoidable_wait_ns AS avoidable FROM thread) p USING (utid)
          WHERE p.avoidable > 0 AND t.tid > 0 ORDER BY p.avoidable DESC LIMIT ${ROWS}`,
    columns: [
      ['Avoidable wait', 'ns'],
      ['of its wait', 'share'],
      ['Unavoidable', 'ns'],
      ['Ran', 'ns'],
      ['Moves', 'count'],
      ['Switches', 'count'],
    ],
  },
  {
    view: 'latency',
    table: 'Threads',
    sql: `SELECT t.name || ' ' || t.tid, count(*), quantile_disc(dur_ns, 0.5), quantile_disc(dur_ns, 0.99), max(dur_ns),
            quantile_disc(dur_ns, 0.99) FILTER (waited_after = 'wakeup'), quantile_disc(dur_ns, 0.99) FILTER (waited_after = 'preemption')
          FROM waits() JOIN thread t USING (utid) GROUP BY utid, t.name, t.tid ORDER BY max(dur_ns) DESC, sum(dur_ns) DESC LIMIT ${ROWS}`,
    columns: [
      ['Waits', 'count'],
      ['Median', 'ns'],
      ['p99', 'ns'],
      ['Longest', 'ns'],
      ['p99 after a wakeup', 'ns'],
      ['p99 after a preemption', 'ns'],
    ],
  },
];

/** Figures of the verdict: the name beside which each stands, and its value in core-seconds or per cent. */
const FIGURES = `SELECT wasted_ns / 1e9 AS "Wasted", certain_ns / 1e9 AS "Certain", (SELECT sum(core_ns) FROM excuse_ledger) / 1e9 AS "Excused",
    peak_wasted AS "Peak", wall_wasted_ns / 1e9 AS "With waste", busy_ns / (end_ns - start_ns) AS "Busy" FROM verdict`;

/** By what the first column says of a row, its cells by the heading of their column; where a heading stands twice, the first. */
async function cellsOf(table) {
  const [headings, ...rows] = await table.evaluate((element) =>
    [...element.rows].map((row) => [...row.cells].map((cell) => cell.innerText.replace(/[↓↑]/g, '').replace(/\s+/g, ' ').trim())),
  );
  const named = (cells) => Object.fromEntries(headings.map((heading, i) => [heading, cells[i]]).reverse());
  return new Map(rows.map((cells) => [cells[0], named(cells)]));
}

test('what views show is what queries over the tables answer', () =>
  withBrowser(async (browser) => {
    let compared = 0;
    for (const trace of ['wasted', 'nodes']) {
      const page = await open(browser, `#/${trace}/verdict`);
      await settled(page);
      const main = await page.locator('main').innerText();
      for (const [name, value] of Object.entries((await query(page, trace, FIGURES))[0])) {
        const [, figure] = new RegExp(`\\n${name}\\n(\\S+)`).exec(main) ?? assert.fail(`${trace}: no figure ${name}`);
        if (value === null || Math.abs(value) < 5e-4) continue; // shown as none, or below the least digit
        shows(figure, value, 'count', `${trace}: ${name}`);
        compared++;
      }
      for (const { view, table: name, sql, columns } of TABLES) {
        await page.goto(page.url().replace(/#.*/, `#/${trace}/${view}`));
        const table = page.getByRole('table', { name, exact: true });
        await table.waitFor();
        await settled(page);
        const rows = await query(page, trace, sql);
        assert.ok(rows.length > 0, `${trace}: ${view} has rows`);
        const shown = await cellsOf(table);
        for (const [who, ...values] of rows.map((row) => Object.values(row))) {
          const cells = shown.get(who) ?? assert.fail(`${trace}: ${view} has no row of ${who}`);
          for (const [i, [column, unit]] of columns.entries()) {
            const what = `${trace}: ${view}: ${column} of ${who}`;
            if (values[i] === null) assert.equal(cells[column], '', what);
            else shows(cells[column], unit === 'ns' ? values[i] / 1e9 : values[i], unit === 'ns' ? 's' : unit, what);
            compared++;
          }
        }
      }
      assert.deepEqual(page.errors, []);
    }
    assert.ok(compared >= LEAST, `${compared} numbers were compared`);
  }));
