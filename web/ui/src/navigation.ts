// The one place where the page's URL is read and written.

import { useSyncExternalStore } from 'react';
import { formatPlace, move, type Place, parsePlace } from './logic/place';

let current = parsePlace(location.hash);
const listeners = new Set<() => void>();

function refresh() {
  current = parsePlace(location.hash);
  for (const listener of listeners) listener();
}
window.addEventListener('hashchange', refresh);
window.addEventListener('popstate', refresh);

function subscribe(listener: () => void) {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

/** Where the user is; the component is drawn again when that changes. */
export const usePlace = (): Place => useSyncExternalStore(subscribe, () => current);

export const placeNow = (): Place => current;

/** Go elsewhere: a new entry in the browser's history. */
export function go(change: Partial<Place>): void {
  const hash = formatPlace(move(current, change));
  if (hash === location.hash) return;
  history.pushState(null, '', hash);
  refresh();
}

/** Adjust where the user is, as while panning: the history's last entry is rewritten. */
export function adjust(change: Partial<Place>): void {
  const hash = formatPlace(move(current, change));
  if (hash === location.hash) return;
  history.replaceState(null, '', hash);
  refresh();
}

/** The link to a place relative to the present one, for `href`. */
export const hrefTo = (change: Partial<Place>): string => formatPlace(move(current, change));

/** The link to the SQL view with a query: what proves a figure. */
export const sqlLink = (sql: string): string => hrefTo({ view: 'sql', params: { sql } });
