// A server for tests of views: what the real one answered about small real traces.
//
// The answers are files that `web/server/tests/test_ui_answers.py` writes and holds to what the server answers today.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { vi } from 'vitest';
import type { TraceSummary } from '../api/types';

/** An answer as its file has it: JSON, an Arrow stream (gzip, base64), or a refusal with its status. */
type KeptAnswer = { json: unknown } | { arrow: string; rows: number } | { status: number; json: unknown };

const FOLDER = join(import.meta.dirname, 'answers');
const kept: Record<string, KeptAnswer> = Object.assign(
  {},
  ...readdirSync(FOLDER).map((name) => JSON.parse(readFileSync(join(FOLDER, name), 'utf8')) as object),
);

/** Of an address only what decides about the answer: its parameters in one order, without the version of the file. */
function keyOf(url: string, init?: RequestInit): string {
  const { pathname, searchParams } = new URL(url);
  searchParams.delete('v');
  searchParams.sort();
  const path = decodeURIComponent(pathname.replace(/^.*\/api\//, ''));
  const query = searchParams.size === 0 ? '' : `?${decodeURIComponent(searchParams.toString()).replaceAll('+', ' ')}`;
  return `${path}${query}${init?.body ? ` ${String(init.body)}` : ''}`;
}

function responseOf(answer: KeptAnswer): Response {
  if ('arrow' in answer) return new Response(new Uint8Array(gunzipSync(Buffer.from(answer.arrow, 'base64'))));
  return new Response(JSON.stringify(answer.json), { status: 'status' in answer ? answer.status : 200 });
}

/** Requested addresses without an answer: a view that requests a new one fails its test. */
export const unanswered = new Set<string>();

/** Answer from the files; `changed` says otherwise of some addresses. What no file has is refused, and remembered. */
export function serveKept(changed: Record<string, unknown> = {}): void {
  vi.stubGlobal('fetch', async (url: string | URL, init?: RequestInit) => {
    const key = keyOf(String(url), init);
    if (key in changed) return responseOf({ json: await changed[key] });
    const gone = /^traces\/gone\/|[?&][ab]=gone(&|$)/.test(key);
    const answer = kept[key] ?? (gone ? kept['traces/gone/verdict'] : undefined);
    if (answer) return responseOf(answer);
    unanswered.add(key);
    return responseOf({ status: 404, json: { error: `no kept answer for ${key}` } });
  });
}

/** Put off an address so often, as while tables are being made, and answer from the files. */
export function serveBeingMade(address: string, times: number): void {
  serveKept();
  const answer = globalThis.fetch;
  vi.stubGlobal('fetch', async (url: string | URL, init?: RequestInit) => {
    if (keyOf(String(url), init) !== address || times-- <= 0) return answer(url, init);
    const making = { events: 12_000_000, share: 0.12, left_s: 80 };
    return responseOf({ status: 202, json: { making } });
  });
}

/** A server that takes requests and never answers. */
export const serveNothing = (): void => void vi.stubGlobal('fetch', () => new Promise<never>(() => {}));

/** No server at the other end. */
export const serveNoServer = (): void =>
  void vi.stubGlobal('fetch', () => Promise.reject(new TypeError('fetch failed')));

/** The JSON that the server answered at an address. */
export function keptJson<T>(address: string): T {
  const answer = kept[address];
  if (!answer || !('json' in answer)) throw new Error(`no kept JSON for ${address}`);
  return answer.json as T;
}

const listed = (id: string): TraceSummary => {
  const found = keptJson<TraceSummary[]>('traces').find((trace) => trace.id === id);
  if (!found) throw new Error(`no kept trace ${id}`);
  return found;
};

/** Eight busy threads pinned to two of eight CPUs, then released: waste with causes, until the balancer moved them. */
export const RELEASED = listed('released');
/** Five CPUs for 4.6 ms by ftrace, with 113 µs of waste in flight: no episode, no cgroup, masks not known. */
export const ARM = listed('arm');
/** A drawn parallel program: four unequal ranks, one of which waits for a daemon in every other iteration. */
export const SOLVER = listed('solver');
/** A drawn SCHED_DEADLINE thread on two CPUs: two jobs, the second of which overruns and is 2 ms late. */
export const LATE = listed('late');
/** The same class, without recorded parameters. */
export const BARE = listed('bare');
/** A trace that the server does not have any more: all that is asked of it is refused. */
export const GONE_TRACE: TraceSummary = { ...RELEASED, id: 'gone', name: 'gone.duckdb' };

/** The line with which the server refused an address. */
export function keptRefusal(address: string): string {
  const answer = kept[address];
  if (!answer || !('status' in answer)) throw new Error(`no kept refusal for ${address}`);
  return (answer.json as { error: string }).error;
}
