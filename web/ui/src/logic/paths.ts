// The colours of migration paths: one list for the timeline's arcs and the replay's arrows. The paths themselves are the
// enumeration `migration_path` of the schema; one that is added there does not compile until it has a colour here.

import { MIGRATION_PATH, MIGRATION_PATH_WORDS, type MigrationPath } from '../../../../schemas/ts/schema';

/** The colours, and what a legend calls them. */
export const PATH_COLOURS = {
  wakeup: 'wakeup',
  fork: 'fork',
  exec: 'exec',
  balance: 'balance',
  newidle: 'newidle',
  nohz: 'nohz',
  affinity: 'affinity',
  other: 'other',
} as const;
export type PathColour = keyof typeof PATH_COLOURS;

const COLOUR_OF: Record<MigrationPath, PathColour> = {
  wakeup: 'wakeup',
  fork: 'fork',
  exec: 'exec',
  newidle: 'newidle',
  periodic: 'balance',
  nohz: 'nohz',
  active: 'balance',
  numa: 'balance',
  rt_push: 'other',
  rt_pull: 'other',
  dl_push: 'other',
  dl_pull: 'other',
  affinity: 'affinity',
  cgroup: 'affinity',
  hotplug: 'affinity',
  core_sched: 'other',
  sched_ext: 'other',
  unknown: 'other',
};

/** The paths of a colour: what a legend says of it in full. */
export const pathsOfColour = (colour: string): string =>
  MIGRATION_PATH.filter((path) => COLOUR_OF[path] === colour)
    .map((path) => `${path}: ${MIGRATION_PATH_WORDS[path]}`)
    .join('\n');

/** A text of the server as a path; `unknown` where it is none of the schema. */
export const pathOf = (text: string | null): MigrationPath => MIGRATION_PATH.find((path) => path === text) ?? 'unknown';

/** The custom property that holds the colour of a path. */
export const pathToken = (path: string | null): string => `--path-${COLOUR_OF[pathOf(path)]}`;
