// The row whose waits are shown alone: `key` of the place's parameters.

import type { Place } from '../../logic/place';

/** A row's key as the place and the server have it; `none`: the waits of which the group is not recorded. */
export const keyText = (key: number | null): string => (key === null ? 'none' : String(key));

/** The key of the place, if it can be one. */
export const chosenKey = (params: Place['params']): string | null =>
  params.key !== undefined && /^(\d{1,18}|none)$/.test(params.key) ? params.key : null;

/** The parameters without the chosen row. */
export function withoutKey(params: Place['params']): Record<string, string> {
  return Object.fromEntries(Object.entries(params).filter(([name]) => name !== 'key'));
}
