// What every view shows while it waits, and when it is refused: checks that the tests of all views share.

import { screen } from '@testing-library/react';
import { expect } from 'vitest';
import { keptRefusal } from './answers';

/** A place holder at once, and what is awaited in words after half a second. */
export async function expectLoading(what: string): Promise<void> {
  expect(document.querySelector('[aria-busy="true"]')).not.toBeNull();
  expect(screen.queryByText(what)).toBeNull();
  expect(await screen.findByText(what, undefined, { timeout: 3000 })).toBeTruthy();
  expect(screen.queryByRole('alert')).toBeNull();
}

/** The server's own line, in an alert, with a way to try again. */
export async function expectRefused(title = 'This could not be read'): Promise<void> {
  const alert = await screen.findByRole('alert');
  expect(alert.textContent).toContain(title);
  expect(alert.textContent).toContain(keptRefusal('traces/gone/verdict'));
  expect(screen.getAllByRole('button', { name: 'Try again' }).length).toBeGreaterThan(0);
  expect(document.querySelector('[aria-busy="true"]')).toBeNull();
}
