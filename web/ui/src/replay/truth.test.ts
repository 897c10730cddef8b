// The replay's state at random instants against SQL over the trace's tables, through a server that runs:
// WASTENOT_SERVER=http://… npx vitest run src/replay/truth.test.ts
// tests/browser/test_report.py starts one and runs this; without one it is skipped.

import { appendFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { numbers, type Table } from '../api/table';
import { decode } from '../workers/decode';
import { placed } from './moves';
import { ServerSource } from './source';
import { MachineState } from './state';
import { gridLength, StretchStore } from './store';
import { seededRandom } from './testReplays';

const server = process.env.WASTENOT_SERVER;
if (!server && process.env.WASTENOT_SKIPS) {
  const line = 'SKIPPED the replay against SQL: no WASTENOT_SERVER; tests/browser/test_report.py runs it with one\n';
  appendFileSync(process.env.WASTENOT_SKIPS, line);
}
const INSTANTS = Number(process.env.INSTANTS ?? 200);

async function table(path: string, init?: RequestInit): Promise<Table> {
  const response = await fetch(`${server}/api/traces/${path}`, init);
  if (!response.ok) throw new Error(await response.text());
  return decode(await response.arrayBuffer());
}

it.runIf(server)(
  'the state at random instants is that of thread_state, forwards and backwards',
  { timeout: 300_000 },
  async () => {
    const traces = (await (await fetch(`${server}/api/traces`)).json()) as {
      id: string;
      start_ns: number;
      end_ns: number;
      events: number;
    }[];
    for (const t of traces) {
      const span = { start: 0, end: t.end_ns - t.start_ns };
      const at = (what: string, start: number, end: number) =>
        table(`${t.id}/replay/${what}?start=${start}&end=${end}&limit=200000`);
      const api = {
        state: (ns: number) => table(`${t.id}/replay/state?at=${ns}`),
        moves: (start: number, end: number, limit: number) =>
          table(`${t.id}/replay/moves?start=${start}&end=${end}&limit=${limit}`),
        waste: (start: number, end: number) => at('waste', start, end),
        unobserved: (start: number, end: number) => at('unobserved', start, end),
        wastedCpus: (start: number, end: number) => at('wasted_cpus', start, end),
      };
      // Stretches of a tenth of the usual length, so that their seams are met.
      const source = new ServerSource(api, t.start_ns, span, gridLength(t.events * 10, span.end));
      const store = new StretchStore(source);
      const state = new MachineState(4096);
      const roll = seededRandom(11);
      for (let i = 0; i < INSTANTS; i++) {
        const instant = Math.floor(roll() * span.end);
        const s = await store.get(instant);
        if (s === null) throw new Error(`no stretch at ${instant}`);
        if (state.stretch !== s) state.load(s);
        state.moveTo(s.start + roll() * (s.end - s.start));
        state.moveTo(instant);
        const sql = `SELECT utid, phase, cpu, start_ns FROM thread_state WHERE start_ns <= ${instant + t.start_ns} AND start_ns + dur_ns > ${instant + t.start_ns} ORDER BY utid`;
        const expected = await table(`${t.id}/sql`, {
          method: 'POST',
          headers: { 'Content-Type': 'application/json' },
          body: JSON.stringify({ sql, limit: 100_000 }),
        });
        const [utid, phase, cpu, start] = ['utid', 'phase', 'cpu', 'start_ns'].map((c) => numbers(expected, c));
        let runs = 0;
        for (let row = 0; row < expected.rows; row++) {
          const u = utid?.[row] as number;
          const shown = [state.phase[u], placed(state.phase[u] as number) ? state.cpu[u] : Number.NaN, state.since[u]];
          expect([u, ...shown], `${t.id} at ${instant}`).toEqual([
            u,
            phase?.[row],
            cpu?.[row],
            (start?.[row] as number) - t.start_ns,
          ]);
          if (phase?.[row] === 0) runs++;
        }
        expect(state.running.filter((u) => u >= 0).length).toBe(runs);
      }
    }
  },
);
