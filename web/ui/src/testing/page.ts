// What happy-dom lacks of a browser: a layout, a 2D context, a worker. The rest of the code that runs in these tests is the page's own.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, vi } from 'vitest';
import { answerOf, buffers } from '../workers/decode';
import type { Painting, TableRequest, WorkerAnswer, WorkerRequest } from '../workers/protocol';
import { refusal } from '../workers/refusal';
import { unanswered } from './answers';

/** Every element has this size. */
export const PAGE_WIDTH = 1000;
export const PAGE_HEIGHT = 600;

for (const [name, value] of [
  ['clientWidth', PAGE_WIDTH],
  ['clientHeight', PAGE_HEIGHT],
] as const)
  Object.defineProperty(HTMLElement.prototype, name, { configurable: true, get: () => value });

/** Accepts every call of a 2D context and draws nothing; a measured text has a width. */
const context = new Proxy({} as Record<string | symbol, unknown>, {
  get: (set, name) => {
    if (name in set) return set[name];
    if (name === 'measureText') return (text: string) => ({ width: 6 * text.length });
    if (name === 'createPattern' || name.toString().includes('Gradient')) return () => ({ addColorStop() {} });
    return () => {};
  },
  set: (set, name, value) => {
    set[name] = value;
    return true;
  },
});
HTMLCanvasElement.prototype.getContext = (() => context) as never;

class NoPath {
  moveTo() {}
  lineTo() {}
  arc() {}
  rect() {}
  quadraticCurveTo() {}
  bezierCurveTo() {}
  closePath() {}
}
class Pixels {
  readonly data: Uint8ClampedArray;
  constructor(
    readonly width: number,
    readonly height: number,
  ) {
    this.data = new Uint8ClampedArray(4 * width * height);
  }
}

class SizeObserver {
  constructor(private readonly seen: () => void) {}
  observe() {
    queueMicrotask(this.seen);
  }
  unobserve() {}
  disconnect() {}
}

/** The Arrow worker's work, in the page: the same requests, decoded by the same code. */
class WorkerInPage {
  onmessage: ((message: { data: WorkerAnswer }) => void) | null = null;
  onerror: (() => void) | null = null;

  postMessage(requests: WorkerRequest[]): void {
    for (const request of requests) {
      if ('paint' in request) this.painting = request;
      else if (!('cancel' in request)) this.answer(request);
    }
  }

  private painting: Painting | null = null;

  private answer(request: TableRequest): void {
    const { id, url, init } = request;
    void fetch(url, init)
      .then(async (response): Promise<WorkerAnswer> => {
        if (response.status === 200) {
          return { id, value: answerOf(await response.arrayBuffer(), request, this.painting) };
        }
        return { id, status: response.status, ...(await refusal(response)) };
      })
      .catch((error: unknown): WorkerAnswer => ({ id, failed: String(error), status: 0 }))
      .then((answer) => {
        if ('value' in answer) buffers(answer.value);
        this.onmessage?.({ data: answer });
      });
  }
  terminate() {}
}

Object.assign(globalThis, { Path2D: NoPath, ImageData: Pixels, ResizeObserver: SizeObserver, Worker: WorkerInPage });
Element.prototype.scrollIntoView = () => {};
Element.prototype.setPointerCapture = () => {};

const tokens = document.createElement('style');
tokens.textContent = readFileSync(join(import.meta.dirname, '../styles/tokens.css'), 'utf8');

beforeEach(() => {
  document.head.append(tokens);
  localStorage.clear();
  localStorage.setItem('wastenot.guide', 'seen');
});
afterEach(async () => {
  const { cleanup } = await import('@testing-library/react');
  cleanup();
  vi.unstubAllGlobals();
  document.body.replaceChildren();
  const asked = [...unanswered];
  unanswered.clear();
  expect(asked.join('\n'), 'addresses without a kept answer; add them to addresses.json').toBe('');
});
