// Pinned lanes and folded groups: what a click or a key does to the place.

import type { Threads } from '../../logic/timeline/names';
import { parentKeyOf, toggled } from '../../logic/timeline/threadRows';
import { go, placeNow } from '../../navigation';

/** Pins a lane above the CPUs, or takes it away from there. */
export const togglePin = (key: string): void => go({ pins: toggled(placeNow().pins, key) });

/** Gives the threads of a group lanes of their own, or takes them away. */
export const toggleOpen = (key: string): void => go({ open: toggled(placeNow().open, key) });

/** Pins all threads of a thread's process, or takes them away; nothing where its process is not known. */
export function toggleProcess(threads: Threads, utid: number): void {
  const key = parentKeyOf(threads, utid, 'process');
  if (key !== null) togglePin(key);
}

/** Leaves lanes to these CPUs alone; null: all have theirs. */
export const chooseCpus = (cpus: readonly number[] | null): void => go({ cpus });

/** Puts the lanes of CPUs above those of the others, after such ones as stand there; where all of them do, back to their places. */
export function togglePinnedCpus(cpus: readonly number[]): void {
  const { first } = placeNow();
  const rest = first.filter((cpu) => !cpus.includes(cpu));
  const arePinned = first.length - rest.length === cpus.length;
  go({ first: arePinned ? rest : [...rest, ...cpus] });
}
