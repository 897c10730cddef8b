// Words for distances, and names with spaces instead of underscores.

import type { Distance } from '../../../../schemas/ts/schema';

export const DISTANCE_WORDS: Readonly<Record<Distance, string>> = {
  same_cpu: 'the same CPU',
  smt: 'hardware threads of one core',
  llc: 'one last-level cache',
  node: 'one NUMA node',
  one_hop: 'neighbouring NUMA nodes',
  far: 'NUMA nodes further apart',
  unknown: 'an unknown distance',
};

/** `idle_sibling_scan` as words. */
export const words = (term: string): string => term.replaceAll('_', ' ');
