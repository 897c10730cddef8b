// What the trace's terms mean, in a sentence each.

export const GRADE_MEANS: Record<string, string> = {
  persistent: 'Longer than 100 ms or three balance intervals: the load balancer failed to move them or never tried.',
  lasting: 'Longer than the balance interval of the domain that joins the CPUs: it should have been fixed.',
  recurrent: 'Short spells between the same caches that come again and again.',
  expected: 'Longer than a tick: the periodic balancer may still have been on its way.',
  in_flight: 'Under a tick: a wakeup or an idle CPU’s search at work.',
  noise: 'Under 50 µs: the price of waking a CPU.',
};

export const SEVERITY_MEANS =
  'Severity: what an episode wasted, as the grade of one gap in which one idle core wastes as much.';

/** In the words of the command line (the analyzer's `diagnosis.SURE`). */
export const PROOF_MEANS: Record<string, string> = {
  proved: 'the decision itself was observed',
  consistent: 'the events agree with it, and no decision was observed',
  unknown: 'the trace does not show enough to tell',
};

export const DISTANCE_SAYS: Record<string, string> = {
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
