// Small replays for tests: drawn by hand, or random ones of a given seed.

import type { MachineTree } from './machine';
import { type Changes, type Keyframe, PATHS, type Path, PHASES, type Phase, type Stretch, stretch } from './moves';

export type DrawnRow = [ts: number, utid: number, phase: Phase, cpu: number, path?: Path];

export function changes(rows: readonly DrawnRow[]): Changes {
  return {
    ts: Float64Array.from(rows, (r) => r[0]),
    utid: Int32Array.from(rows, (r) => r[1]),
    phase: Uint8Array.from(rows, (r) => PHASES.indexOf(r[2])),
    cpu: Int16Array.from(rows, (r) => r[3]),
    path: Uint8Array.from(rows, (r) => PATHS.indexOf(r[4] ?? 'none')),
  };
}

export function keyframe(rows: readonly DrawnRow[]): Keyframe {
  const c = changes(rows);
  return { utid: c.utid, phase: c.phase, cpu: c.cpu, since: c.ts };
}

export const drawnStretch = (start: number, end: number, at: readonly DrawnRow[], then: readonly DrawnRow[]): Stretch =>
  stretch(start, end, keyframe(at), changes(then));

/** The same numbers for the same seed, 0..1. */
export function seededRandom(seed: number): () => number {
  let s = seed >>> 0;
  return () => {
    s = (Math.imul(s, 1664525) + 1013904223) >>> 0;
    return s / 2 ** 32;
  };
}

/** Threads that run, wait and sleep at random on CPUs that have at most one of them each. */
export function randomReplay(
  seed: number,
  threads: number,
  cpus: number,
  count: number,
): { start: DrawnRow[]; rows: DrawnRow[] } {
  const roll = seededRandom(seed);
  const on = new Int32Array(cpus).fill(-1);
  const phase: Phase[] = new Array(threads).fill('sleeping');
  const cpu = new Array<number>(threads).fill(-1);
  const start: DrawnRow[] = phase.map((p, u) => [0, u + 1, p, -1]);
  const rows: DrawnRow[] = [];
  for (let i = 0, ts = 0; i < count; i++) {
    ts += Math.floor(roll() * 5);
    const u = Math.floor(roll() * threads);
    const c = Math.floor(roll() * cpus);
    if (phase[u] === 'running') on[cpu[u]!] = -1;
    const moved = cpu[u]! >= 0 && cpu[u] !== c;
    const what = roll();
    if (what < 0.35 && on[c] === -1) {
      phase[u] = 'running';
      on[c] = u;
    } else phase[u] = what < 0.6 ? 'runnable' : what < 0.75 ? 'preempted' : 'sleeping';
    const onCpu = phase[u] !== 'sleeping';
    if (onCpu) cpu[u] = c;
    rows.push([ts + 1, u + 1, phase[u]!, onCpu ? c : -1, onCpu && moved ? 'wakeup' : 'none']);
  }
  return { start, rows };
}

/** A machine of nodes with one LLC each, of cores with `smt` threads. */
export function machine(nodes: number, cores: number, smt: number): MachineTree {
  let next = 0;
  const tree = (kind: MachineTree['kind'], id: number, name: string, children: MachineTree[]): MachineTree => ({
    kind,
    id,
    name,
    cpus: children.flatMap((c) => c.cpus),
    children,
  });
  const all = Array.from({ length: nodes }, (_, n) => {
    const parts = Array.from({ length: cores }, (_, c) => {
      const threads = Array.from({ length: smt }, () => {
        const cpu = next++;
        return { kind: 'cpu' as const, id: cpu, name: `CPU ${cpu}`, cpus: [cpu], children: [] };
      });
      return tree('core', c, `Core ${c}`, threads);
    });
    return tree('node', n, `Node ${n}`, [tree('llc', n, `LLC ${n}`, parts)]);
  });
  return tree('machine', 0, 'Machine', all);
}
