// Parts of the page that are fetched when they are first shown, and what happens when a fetch fails.

import { ApiError, address, GONE } from './client';

/** A part of the page could not be fetched. A second import() fails as well; loading the page again helps. */
export class PartError extends ApiError {}

/** Whether the server answers. */
async function answers(): Promise<boolean> {
  try {
    return (await fetch(address('traces'), { cache: 'no-store' })).ok;
  } catch {
    return false;
  }
}

/** Loads the page anew if the server answers; the place is in its address. False when it does not. */
export async function reload(): Promise<boolean> {
  if (!(await answers())) return false;
  location.reload();
  return true;
}

/**
 * What `fetched` imports. After an update of the server the parts have other names: the page is loaded anew, once in ten
 * seconds at most. Loading the page while the server does not answer would leave an empty page, so the server is asked first.
 */
export async function part<T>(fetched: () => Promise<T>): Promise<T> {
  try {
    return await fetched();
  } catch (error) {
    if (!(await answers())) throw new PartError(GONE, 0);
    const last = Number(sessionStorage.getItem('wastenot.reload'));
    if (Date.now() - last < 10_000) throw new PartError(error instanceof Error ? error.message : String(error), 500);
    sessionStorage.setItem('wastenot.reload', String(Date.now()));
    location.reload();
    return new Promise(() => {}); // the page is being loaded again
  }
}
