// Fetches and decodes Arrow off the main thread. One message in per request, one out; `cancel` aborts the fetch.

import { buffers, decode } from './decode';
import type { Answer, Request } from './protocol';

const running = new Map<number, AbortController>();

self.onmessage = async ({ data }: MessageEvent<Request>) => {
  if ('cancel' in data) {
    running.get(data.cancel)?.abort();
    return;
  }
  const abort = new AbortController();
  running.set(data.id, abort);
  const answer = await fetchTable(data, abort.signal);
  running.delete(data.id);
  self.postMessage(answer, { transfer: 'table' in answer ? buffers(answer.table) : [] });
};

async function fetchTable(
  { id, url, init }: Exclude<Request, { cancel: number }>,
  signal: AbortSignal,
): Promise<Answer> {
  try {
    const response = await fetch(url, { ...init, signal });
    if (!response.ok) return { id, failed: await errorText(response), status: response.status };
    return { id, table: decode(await response.arrayBuffer()) };
  } catch (error) {
    return { id, failed: error instanceof Error ? error.message : String(error), status: 0 };
  }
}

async function errorText(response: Response): Promise<string> {
  try {
    const body: unknown = await response.json();
    if (body && typeof body === 'object' && 'error' in body) return String(body.error);
  } catch {
    // Not JSON: a proxy's page, say. The status is what there is to tell.
  }
  return `${response.status} ${response.statusText}`;
}
