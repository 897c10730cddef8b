// The row whose histogram is shown large: `key` of the place's parameters.

import type { Place } from '../../logic/place';

/** The parameters without the chosen row. */
export function withoutKey(params: Place['params']): Record<string, string> {
  return Object.fromEntries(Object.entries(params).filter(([name]) => name !== 'key'));
}
