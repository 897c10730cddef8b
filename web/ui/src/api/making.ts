// How far the tables are that the server makes when a view needs them first. Requests for them wait; what waits says so.

import { useSyncExternalStore } from 'react';

export interface TableMaking {
  /** Events walked so far, and their share of all. */
  events: number;
  share: number;
  left_s: number | null;
}

/** Without news for so long they are taken for made, ms. */
const SILENT = 4000;

let now: TableMaking | null = null;
let timer: ReturnType<typeof setTimeout>;
const listeners = new Set<() => void>();

/** What the server answered last; null: what was waited for has come. */
export function reportMaking(making: TableMaking | null): void {
  clearTimeout(timer);
  if (making) timer = setTimeout(() => reportMaking(null), SILENT);
  if (making === now) return;
  now = making;
  for (const listener of listeners) listener();
}

const subscribe = (listener: () => void) => {
  listeners.add(listener);
  return () => void listeners.delete(listener);
};

/** The progress of the tables that requests wait for; null while none does. */
export const useMaking = (): TableMaking | null => useSyncExternalStore(subscribe, () => now);
