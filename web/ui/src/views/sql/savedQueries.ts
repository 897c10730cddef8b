// Queries that the user named, in the browser's local storage: a list for all traces.

import { useSyncExternalStore } from 'react';

export interface SavedQuery {
  name: string;
  sql: string;
}

type Saved = readonly SavedQuery[];

const STORAGE_KEY = 'wastenot.queries';
const byName = (a: SavedQuery, b: SavedQuery) => a.name.localeCompare(b.name);

/** The list as it is stored; what is not a saved query is left out. */
export function parseSaved(text: string | null): SavedQuery[] {
  let stored: unknown;
  try {
    stored = JSON.parse(text ?? '[]');
  } catch {
    return [];
  }
  if (!Array.isArray(stored)) return [];
  const found = new Map<string, SavedQuery>();
  for (const item of stored) {
    const { name, sql } = (item ?? {}) as Partial<SavedQuery>;
    if (typeof name === 'string' && name !== '' && typeof sql === 'string') found.set(name, { name, sql });
  }
  return [...found.values()].sort(byName);
}

/** With one more; one of the same name is replaced. */
export const withQuery = (list: Saved, query: SavedQuery): SavedQuery[] =>
  [...withoutQuery(list, query.name), query].sort(byName);

export const withoutQuery = (list: Saved, name: string): SavedQuery[] => list.filter((item) => item.name !== name);

/** With another name; null where another query has it. */
export function withNewName(list: Saved, from: string, to: string): SavedQuery[] | null {
  if (to !== from && list.some((item) => item.name === to)) return null;
  return list.map((item) => (item.name === from ? { ...item, name: to } : item)).sort(byName);
}

/** What the storage had when it was last read. */
let read: { text: string | null; list: Saved } = { text: null, list: [] };
/** Where the storage refuses: kept until the page is left. */
let unstored: Saved | null = null;
const listeners = new Set<() => void>();

function current(): Saved {
  if (unstored) return unstored;
  let text: string | null = null;
  try {
    text = localStorage.getItem(STORAGE_KEY);
  } catch {
    // Storage may be forbidden.
  }
  if (text !== read.text) read = { text, list: parseSaved(text) };
  return read.list;
}

/** Keeps the list. False where the browser does not store it: then it ends with the page. */
export function keepQueries(list: Saved): boolean {
  try {
    localStorage.setItem(STORAGE_KEY, JSON.stringify(list));
    unstored = null;
  } catch {
    unstored = list;
  }
  for (const listener of listeners) listener();
  return unstored === null;
}

function subscribe(listener: () => void) {
  listeners.add(listener);
  window.addEventListener('storage', listener); // another tab has saved one
  return () => {
    listeners.delete(listener);
    window.removeEventListener('storage', listener);
  };
}

export const useSavedQueries = (): Saved => useSyncExternalStore(subscribe, current);
