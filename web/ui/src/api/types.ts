// What the server's JSON means, by the names of the reference (docs/reference). Times in ns on the trace's clock.

export interface TraceSummary {
  id: string;
  name: string;
  size_bytes: number;
  source: string;
  kernel: string | null;
  cpus: number;
  threads: number;
  events: number;
  start_ns: number;
  end_ns: number;
  evidence: string | null;
  wasted_core_s: number;
  wasted_share: number;
  complete: boolean;
}

export interface Job {
  state: 'running' | 'done' | 'failed';
  phase: string | null;
  events: number | null;
  rate: number | null;
  left_s: number | null;
  error: string | null;
  /** Id of the new trace once it is done. */
  trace: string | null;
}

export interface WorstEpisode {
  id: number;
  start_ns: number;
  end_ns: number;
  core_s: number;
  idle_cpus: number[];
  overloaded_cpus: number[];
  threads: { utid: number; tid: number; name: string; core_s: number }[];
}

export interface Cause {
  placement: string;
  correction: string;
  resolution: string;
  proof: string;
  core_s: number;
  episodes: number;
}

export interface Verdict {
  trace: {
    source: string;
    kernel: string | null;
    cpus: number;
    start_ns: number;
    end_ns: number;
    events: number;
    evidence: string | null;
  };
  wasted: {
    core_s: number;
    certain_core_s: number;
    upper_core_s: number;
    share: number;
    excused_core_s: Record<string, number>;
  };
  episodes: Record<string, { count: number; core_s: number }>;
  causes: Cause[];
  worst: WorstEpisode[];
  trust: {
    lost_events: number;
    unobserved_share: number;
    unknown_mask_threads: number;
    rejected: Record<string, number>;
    repaired: Record<string, number>;
    placements_inferred: number;
    unrecorded_excuses: string[];
    looks_pinned: unknown[];
  };
  sentence: string;
  degraded: unknown[];
  notes: unknown[];
}

export interface CpuPlace {
  cpu: number;
  node: number | null;
  llc: number | null;
  core: number | null;
  package: number | null;
  smt: number | null;
  online: boolean;
  isolated: boolean;
}

export interface TreeNode {
  kind: 'machine' | 'package' | 'node' | 'llc' | 'core' | 'cpu';
  id: number;
  name: string;
  cpus: number[];
  children: TreeNode[];
}

export interface Domain {
  since_ns: number;
  cpu: number;
  level: number;
  name: string | null;
  span: number[];
  flags: string[];
}

export interface Machine {
  cpus: CpuPlace[];
  levels: string[];
  tree: TreeNode;
  domains: Domain[];
  distances: number[][] | null;
}

export interface TilesMeta {
  base_ns: number;
  levels: number;
  start_ns: number;
  columns: number;
  lanes: number;
  top: number;
  cpus: number;
}

export interface Found {
  kind: 'thread' | 'process' | 'cgroup' | 'event' | 'episode';
  id: number | string;
  label: string;
  ts_ns?: number | null;
}
