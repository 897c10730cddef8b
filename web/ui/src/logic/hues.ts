// Which hue a thread has, in every view: threads that belong together share one, and those that ran longest get the hues.
//
// A hue goes by rank, not by a hash of the name: no two of the named groups share one, and a group that
// hardly ran does not use one up. The colours are the tokens `--kind-0` and on; orange and amber are kept for waste and waiting.

/** Groups that have a hue of their own: nine hues, then the same nine in a second shade. */
export const OWN_HUES = 18;
/** The hue of everything else. */
export const OTHERS = OWN_HUES;

/** A group with less of the run time has no hue of its own. */
const MIN_SHARE = 0.002;

/** What threads are grouped by. */
export const GROUPINGS = ['process', 'cgroup', 'thread'] as const;
export type Grouping = (typeof GROUPINGS)[number];

export interface ThreadGroups {
  name: string | null;
  tid: number | null;
  process: string | null;
  cgroup: string | null;
}

/** The group that a thread belongs to. */
export function groupOf(thread: ThreadGroups, by: Grouping): string {
  const name = thread.name ?? `tid ${thread.tid}`;
  if (by === 'process') return thread.process ?? name;
  if (by === 'cgroup') return thread.cgroup ?? 'no cgroup';
  return `${name} ${thread.tid ?? ''}`.trim();
}

/** Groups with hues of their own, by hue, from run times by group: the longest first, equal ones by name. */
export function rankedGroups(run: ReadonlyMap<string, number>): string[] {
  let all = 0;
  for (const ns of run.values()) all += ns;
  return [...run]
    .filter(([, ns]) => ns > all * MIN_SHARE)
    .sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1))
    .slice(0, OWN_HUES)
    .map(([group]) => group);
}
