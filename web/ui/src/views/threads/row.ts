// A row of the tables, as the server sends it. Times in ns.

import type { Excuse } from '../../../../../schemas/ts/schema';

/** A row of `top/{kind}`; what a kind has not is missing. */
export interface TopRow {
  utid?: number;
  tid?: number | null;
  upid?: number;
  tgid?: number | null;
  cgroup_id?: number | null;
  bubble_id?: number;
  name?: string | null;
  cgroup?: string | null;
  /** What runs in a cgroup: a pod, a container, a unit. */
  label?: string | null;
  threads?: number;
  cpus?: number;
  llcs?: number;
  nodes?: number;
  run_ns: number;
  wait_ns: number;
  avoidable_wait_ns: number;
  unavoidable_wait_ns?: number;
  throttled_ns?: number;
  confined_ns?: number;
  wakeup_latency_ns?: number;
  interrupts_ns?: number;
  rt_dl_ns?: number;
  kernel_threads_ns?: number;
  own_threads_ns?: number;
  neighbour_ns?: number;
  unknown_cgroup_ns?: number;
  unknown_ns?: number;
  confined_by?: { excuse: Excuse; wait_ns: number }[];
  neighbours?: { cgroup_id: number | null; cgroup: string | null; wait_ns: number }[];
  switches?: number;
  wakeups?: number;
  migrations?: number;
  needless_migrations?: number;
  antagonists?: string[] | null;
  /** A thread or the process of the recorder itself. */
  of_recorder?: boolean;
}
