// The server, from the page's side: JSON for small things, Arrow (fetched and decoded in a worker) for bulk.
//
// Addresses are relative to the page, so that the server may live behind any path prefix.

import type { Shape, Shaped } from '../logic/timeline/chunks';
import type { Paint } from '../logic/timeline/raster';
import { numberOf } from '../logic/timeline/tileColours';
import type { Painting, TableRequest, WorkerAnswer, WorkerRequest } from '../workers/protocol';
import { type Refusal, refusal } from '../workers/refusal';
import { reportMaking, type TableMaking } from './making';
import type { Table } from './table';

/** What the server refused, or that it was not reached (`status` 0). The message is one line for the user. */
export class ApiError extends Error {
  readonly status: number;
  /** Of a refused query: its line, and a caret below the place. */
  readonly drawing: string | undefined;
  /** The answer needs tables that are being made. */
  readonly making: TableMaking | undefined;
  constructor(message: string, status: number, { drawing, making }: Partial<Refusal> = {}) {
    super(message);
    this.name = 'ApiError';
    this.status = status;
    this.drawing = drawing;
    this.making = making;
  }
}

export const GONE = 'the server does not answer; is `wastenot serve` still running?';

/** Absolute address of `api/…` beside the page. */
export const address = (path: string): string => new URL(`api/${path}`, document.baseURI).href;

/** `traces/ID/…`, the id escaped. */
export const ofTrace = (id: string, rest: string): string => `traces/${encodeURIComponent(id)}/${rest}`;

/** `?a=1&b=2` of what is neither null nor undefined; a list is one parameter for each. */
export function query(values: Record<string, string | number | readonly string[] | null | undefined>): string {
  const text = new URLSearchParams();
  for (const [key, value] of Object.entries(values)) {
    if (value === null || value === undefined) continue;
    for (const each of Array.isArray(value) ? value : [value]) text.append(key, String(each));
  }
  return text.size === 0 ? '' : `?${text}`;
}

/** JSON of `path`. Throws ApiError, or AbortError when `signal` says so. */
export const json = <T>(path: string, init?: RequestInit): Promise<T> =>
  untilMade(() => askJson<T>(path, init), init?.signal);

/** ms between two requests for what is being made; the server holds each for a while. */
const ASK_AGAIN = 300;

/** Asks again as long as the server makes what was asked for. */
async function untilMade<T>(attempt: () => Promise<T>, signal: AbortSignal | null | undefined): Promise<T> {
  let waited = false;
  for (;;) {
    try {
      const answer = await attempt();
      if (waited) reportMaking(null);
      return answer;
    } catch (error) {
      if (!(error instanceof ApiError && error.making)) throw error;
      reportMaking(error.making);
      waited = true;
      await new Promise((resolve) => setTimeout(resolve, ASK_AGAIN));
      signal?.throwIfAborted();
    }
  }
}

const askJson = async <T>(path: string, init?: RequestInit): Promise<T> => (await answered(path, init)).json();

/** What `path` holds, as a file. Throws ApiError. */
export const file = (path: string): Promise<Blob> => untilMade(async () => (await answered(path)).blob(), undefined);

async function answered(path: string, init?: RequestInit): Promise<Response> {
  let response: Response;
  try {
    response = await fetch(address(path), init);
  } catch (error) {
    if (init?.signal?.aborted) throw error;
    throw new ApiError(GONE, 0);
  }
  if (response.status === 200) return response;
  const { failed, ...more } = await refusal(response);
  throw new ApiError(failed, response.status, more);
}

let worker: Worker | null = null;
let next = 0;
let painting: Painting | null = null;
type Answered = Table | Shaped[Shape['kind']];
const waiting = new Map<number, { resolve: (value: Answered) => void; reject: (error: Error) => void }>();

function arrowWorker(): Worker {
  if (worker) return worker;
  worker = new Worker(new URL('../workers/arrow.worker.ts', import.meta.url), { type: 'module' });
  // A worker whose script cannot be fetched never answers.
  worker.onerror = () => {
    worker?.terminate();
    worker = null;
    for (const asked of waiting.values()) asked.reject(new ApiError(GONE, 0));
    waiting.clear();
  };
  if (painting) worker.postMessage([painting]);
  worker.onmessage = ({ data }: MessageEvent<WorkerAnswer>) => {
    const asked = waiting.get(data.id);
    waiting.delete(data.id);
    if ('value' in data) asked?.resolve(data.value);
    else asked?.reject(new ApiError(data.status === 0 ? GONE : data.failed, data.status, data));
  };
  return worker;
}

/**
 * The Arrow table at `path`; `post` sends a JSON body, and integers from 2^53 on come as bigints. Throws ApiError, or
 * AbortError when `signal` says so.
 */
export const table = (path: string, signal?: AbortSignal, post?: unknown): Promise<Table> =>
  askWorker(path, signal, post === undefined ? {} : { init: posting(post), exact: true }) as Promise<Table>;

/** The Arrow table at `path` in a shape that the worker gives it. Throws as `table`. */
export const tableAs = <K extends Shape['kind']>(path: string, shape: Shape & { kind: K }, signal?: AbortSignal) =>
  askWorker(path, signal, { shape }) as Promise<Shaped[K]>;

const posting = (body: unknown) => ({
  method: 'POST',
  headers: { 'Content-Type': 'application/json' },
  body: JSON.stringify(body),
});

type How = Omit<TableRequest, 'id' | 'url'>;

const askWorker = (path: string, signal: AbortSignal | undefined, how: How): Promise<Answered> =>
  untilMade(() => ask(path, signal, how), signal);

function ask(path: string, signal: AbortSignal | undefined, how: How): Promise<Answered> {
  const id = next++;
  const request: WorkerRequest = { id, url: address(path), ...how };
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    waiting.set(id, { resolve, reject });
    signal?.addEventListener('abort', () => {
      if (!waiting.delete(id)) return;
      post({ cancel: id });
      reject(signal.reason);
    });
    post(request);
  });
}

/** Tiles that come from now on have their colours in this paint. */
export function paintTiles(paint: Paint): void {
  const number = numberOf(paint);
  if (painting?.number === number) return;
  painting = { paint, number };
  if (worker) post(painting);
}

let outbox: WorkerRequest[] = [];

/** To the worker, together with what else is asked and cancelled at this moment: a frame may do so with twenty. */
function post(request: WorkerRequest): void {
  if (outbox.push(request) > 1) return;
  queueMicrotask(() => {
    const requests = outbox;
    outbox = [];
    arrowWorker().postMessage(requests);
  });
}
