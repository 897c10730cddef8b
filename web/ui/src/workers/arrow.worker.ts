// Fetches, decodes and shapes Arrow off the main thread. Requests come together, answers go one by one; `cancel` aborts the fetch.

import { answerOf, buffers } from './decode';
import type { Painting, TableRequest, WorkerAnswer, WorkerRequest } from './protocol';
import { refusal } from './refusal';

const running = new Map<number, AbortController>();
let painting: Painting | null = null;

self.onmessage = ({ data }: MessageEvent<WorkerRequest[]>) => {
  for (const request of data) {
    if ('cancel' in request) running.get(request.cancel)?.abort();
    else if ('paint' in request) painting = request;
    else void answer(request);
  }
};

async function answer(request: TableRequest): Promise<void> {
  const abort = new AbortController();
  running.set(request.id, abort);
  const answered = await fetchTable(request, abort.signal);
  running.delete(request.id);
  // The page has forgotten what it cancelled.
  if (!abort.signal.aborted)
    self.postMessage(answered, { transfer: 'value' in answered ? buffers(answered.value) : [] });
}

async function fetchTable(request: TableRequest, signal: AbortSignal): Promise<WorkerAnswer> {
  const { id, url, init } = request;
  let response: Response;
  try {
    response = await fetch(url, { ...init, signal });
  } catch (error) {
    return { id, failed: said(error), status: 0 };
  }
  if (response.status !== 200) return { id, ...(await refusal(response)), status: response.status };
  try {
    return { id, value: answerOf(await response.arrayBuffer(), request, painting) };
  } catch (error) {
    return { id, failed: `the answer broke off or is damaged: ${said(error)}`, status: 500 };
  }
}

const said = (error: unknown) => (error instanceof Error ? error.message : String(error));
