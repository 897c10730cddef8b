// Stretches that the page carries itself, as a report does; there are none on a server's page.

import type { StretchSource } from '../../replay/store';

const sources = new Map<string, StretchSource>();

export const sourceOf = (trace: string): StretchSource | null => sources.get(trace) ?? null;
export const carry = (trace: string, source: StretchSource): void => void sources.set(trace, source);
