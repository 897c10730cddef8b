// The kernel's priority numbers in words: include/linux/sched/prio.h.

/** `120 (nice 0)`, `49 (real-time 50)`; a number of no class as it is. */
export function priorityWords(prio: number): string {
  if (prio < 0) return `${prio} (deadline)`;
  if (prio < 100) return `${prio} (real-time ${99 - prio})`;
  return prio < 140 ? `${prio} (nice ${prio - 120})` : String(prio);
}
