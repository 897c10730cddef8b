// What the states of threads are called, on lanes and in words.

/** A phase and a CPU in one number, as `Runs` distinguishes threads; 0 for a state without a name on the lane, as sleep. */
export function labelCode(phase: number, cpu: number): number {
  if (phase === 3 || phase === 6 || phase === 8) return 0;
  return (phase + 1) * 65_536 + cpu + 1;
}

/** The name of such a code: where it is wide enough, what the thread did and on which CPU. */
export function laneLabel(code: number): string {
  const phase = Math.floor(code / 65_536) - 1;
  const cpu = (code % 65_536) - 1;
  if (phase === 0) return `CPU ${cpu}`;
  if (phase === 1 || phase === 2) return `waits on CPU ${cpu}`;
  return SHORT[phase] ?? '';
}

const SHORT: Record<number, string> = { 4: 'blocked (D)', 5: 'stopped', 7: 'no quota' };

/** What a thread did, by the codes of `thread_phase`. */
export const PHASE_WORDS: readonly string[] = [
  'running',
  'waiting after a wakeup',
  'waiting, preempted',
  'asleep (S)',
  'blocked (D)',
  'stopped',
  'ended',
  'without quota (throttled)',
  'not known',
];
