// The server, from the page's side: JSON for small things, Arrow (fetched and decoded in a worker) for bulk.
//
// Addresses are relative to the page, so that the server may live behind any path prefix.

import type { WorkerAnswer, WorkerRequest } from '../workers/protocol';
import type { Table } from './table';

/** What the server refused, or that it was not reached (`status` 0). The message is one line for the user. */
export class ApiError extends Error {
  readonly status: number;
  /** Of a refused query: its line, and a caret below the place. */
  readonly drawing: string | undefined;
  constructor(message: string, status: number, drawing?: string) {
    super(message);
    this.name = 'ApiError';
    this.status = status;
    this.drawing = drawing;
  }
}

export const GONE = 'the server does not answer; is `wastenot serve` still running?';

/** Absolute address of `api/…` beside the page. */
export const address = (path: string): string => new URL(`api/${path}`, document.baseURI).href;

/** `traces/ID/…`, the id escaped. */
export const ofTrace = (id: string, rest: string): string => `traces/${encodeURIComponent(id)}/${rest}`;

/** `?a=1&b=2` of what is neither null nor undefined. */
export function query(values: Record<string, string | number | null | undefined>): string {
  const text = new URLSearchParams();
  for (const [key, value] of Object.entries(values))
    if (value !== null && value !== undefined) text.set(key, String(value));
  return text.size === 0 ? '' : `?${text}`;
}

/** JSON of `path`. Throws ApiError, or AbortError when `signal` says so. */
export async function json<T>(path: string, init?: RequestInit): Promise<T> {
  let response: Response;
  try {
    response = await fetch(address(path), init);
  } catch (error) {
    if (init?.signal?.aborted) throw error;
    throw new ApiError(GONE, 0);
  }
  if (response.ok) return (await response.json()) as T;
  let message = `${response.status} ${response.statusText}`;
  try {
    const body: unknown = await response.json();
    if (body && typeof body === 'object' && 'error' in body) message = String(body.error);
  } catch {
    // Not JSON: a proxy's page, say. Only the status is known.
  }
  throw new ApiError(message, response.status);
}

let worker: Worker | null = null;
let next = 0;
const waiting = new Map<number, { resolve: (table: Table) => void; reject: (error: Error) => void }>();

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
  worker.onmessage = ({ data }: MessageEvent<WorkerAnswer>) => {
    const asked = waiting.get(data.id);
    waiting.delete(data.id);
    if ('table' in data) asked?.resolve(data.table);
    else asked?.reject(new ApiError(data.status === 0 ? GONE : data.failed, data.status, data.drawing));
  };
  return worker;
}

/** The Arrow table at `path`; `post` sends a JSON body. Throws ApiError, or AbortError when `signal` says so. */
export function table(path: string, signal?: AbortSignal, post?: unknown): Promise<Table> {
  const id = next++;
  const request: WorkerRequest = { id, url: address(path) };
  if (post !== undefined) {
    request.init = { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(post) };
  }
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    waiting.set(id, { resolve, reject });
    signal?.addEventListener('abort', () => {
      if (!waiting.delete(id)) return;
      arrowWorker().postMessage({ cancel: id } satisfies WorkerRequest);
      reject(signal.reason);
    });
    arrowWorker().postMessage(request);
  });
}
