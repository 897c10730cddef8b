// Fetches and decodes Arrow off the main thread. One message in per request, one out; `cancel` aborts the fetch.

import { buffers, decode } from './decode';
import type { WorkerAnswer, WorkerRequest } from './protocol';

const running = new Map<number, AbortController>();

self.onmessage = async ({ data }: MessageEvent<WorkerRequest>) => {
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
  { id, url, init }: Exclude<WorkerRequest, { cancel: number }>,
  signal: AbortSignal,
): Promise<WorkerAnswer> {
  let response: Response;
  try {
    response = await fetch(url, { ...init, signal });
  } catch (error) {
    return { id, failed: said(error), status: 0 };
  }
  if (!response.ok) return { id, ...(await refusal(response)), status: response.status };
  try {
    return { id, table: decode(await response.arrayBuffer()) };
  } catch (error) {
    return { id, failed: `the answer broke off or is damaged: ${said(error)}`, status: 500 };
  }
}

const said = (error: unknown) => (error instanceof Error ? error.message : String(error));

async function refusal(response: Response): Promise<{ failed: string; drawing?: string }> {
  try {
    const body = await response.json();
    if (body && typeof body === 'object' && 'error' in body)
      return { failed: String(body.error), ...(typeof body.drawing === 'string' ? { drawing: body.drawing } : {}) };
  } catch {
    // Not JSON: a proxy's page, say. Only the status is known.
  }
  return { failed: `${response.status} ${response.statusText}` };
}
