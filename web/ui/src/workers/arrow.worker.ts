// Fetches, decodes and shapes Arrow off the main thread. Requests come together, answers go one by one; `cancel` aborts the fetch.

import { shaped } from '../logic/timeline/chunks';
import { buffers, decode } from './decode';
import type { WorkerAnswer, WorkerRequest } from './protocol';
import { refusal } from './refusal';

const running = new Map<number, AbortController>();

self.onmessage = ({ data }: MessageEvent<WorkerRequest[]>) => {
  for (const request of data) {
    if ('cancel' in request) running.get(request.cancel)?.abort();
    else void answer(request);
  }
};

async function answer(request: Exclude<WorkerRequest, { cancel: number }>): Promise<void> {
  const abort = new AbortController();
  running.set(request.id, abort);
  const answered = await fetchTable(request, abort.signal);
  running.delete(request.id);
  // The page has forgotten what it cancelled.
  if (!abort.signal.aborted)
    self.postMessage(answered, { transfer: 'value' in answered ? buffers(answered.value) : [] });
}

async function fetchTable(
  { id, url, init, shape, exact }: Exclude<WorkerRequest, { cancel: number }>,
  signal: AbortSignal,
): Promise<WorkerAnswer> {
  let response: Response;
  try {
    response = await fetch(url, { ...init, signal });
  } catch (error) {
    return { id, failed: said(error), status: 0 };
  }
  if (response.status !== 200) return { id, ...(await refusal(response)), status: response.status };
  try {
    const table = decode(await response.arrayBuffer(), exact);
    return { id, value: shape ? shaped(table, shape) : table };
  } catch (error) {
    return { id, failed: `the answer broke off or is damaged: ${said(error)}`, status: 500 };
  }
}

const said = (error: unknown) => (error instanceof Error ? error.message : String(error));
