import { describe, expect, it } from 'vitest';
import type { Identity } from '../api/types';
import {
  endWords,
  evidenceGroups,
  identityLine,
  levelWords,
  shortTopology,
  wallClock,
  wallClockSpan,
} from './identity';

const RECORDED: Identity = {
  source: 'ebpf',
  live: true,
  recorder: 'wastenot 0.1.0',
  epoch_ns: 1_795_277_971_113_000_000,
  clock: 'monotonic',
  start_ns: 60_081_146_710,
  end_ns: 65_819_770_170,
  end_reason: 'command',
  complete: true,
  events: 3547,
  host: 'build-7',
  command: 'make -j8',
  kernel: '7.2.12',
  preemption: 'lazy',
  sched_ext: null,
  arch: 'x86_64',
  model: null,
  cpus: 8,
  cores: 8,
  caches: 2,
  nodes: 2,
  evidence_level: 'L2',
  evidence: [
    { kind: 'migrations', state: 'recorded', why: null },
    { kind: 'placements', state: 'absent', why: 'this kernel refuses fexit probes' },
    { kind: 'migration_stacks', state: 'recorded', why: null },
    { kind: 'cpuset', state: 'recorded', why: null },
  ],
  shows_wakeups: true,
  has_attempt_scans: false,
  deepest_idle_state: null,
  highest_khz: null,
  has_wakings: true,
  notes: [],
  unverified: [],
};

describe('wall-clock time', () => {
  it('is that of the instant, in UTC', () => {
    expect(wallClock(1_795_277_971_113_000_000, 60_081_146_710)).toBe('2026-11-21 16:20:31 UTC');
  });
  it('is null where the trace does not know it, or what it has is not a time', () => {
    expect(wallClock(null, 0)).toBeNull();
    expect(wallClock(1e40, 0)).toBeNull();
  });
  it('of a span has the date of the end only where it is another', () => {
    expect(wallClockSpan(RECORDED)).toBe('2026-11-21 16:20:31 UTC to 16:20:36 UTC');
    expect(wallClockSpan({ ...RECORDED, end_ns: RECORDED.start_ns + 86_400e9 })).toBe(
      '2026-11-21 16:20:31 UTC to 2026-11-22 16:20:31 UTC',
    );
    expect(wallClockSpan({ ...RECORDED, epoch_ns: null })).toBeNull();
  });
});

describe('the line', () => {
  it('has what the trace holds', () => {
    expect(identityLine(RECORDED)).toEqual({
      parts: [
        '2026-11-21 16:20:31 UTC',
        '5.74 s',
        'build-7',
        'make -j8',
        'Linux 7.2.12',
        'preemption lazy',
        '8 CPUs, 2 nodes, 2 LLCs',
        'evidence L2',
      ],
      missing: [],
    });
  });
  it('names what the trace does not hold', () => {
    const { parts, missing } = identityLine({
      ...RECORDED,
      epoch_ns: null,
      host: null,
      command: null,
      kernel: null,
      preemption: null,
      nodes: null,
      caches: null,
    });
    expect(parts).toEqual(['5.74 s', '8 CPUs', 'evidence L2']);
    expect(missing).toEqual(['time', 'host', 'command', 'kernel', 'preemption', 'last-level caches', 'NUMA nodes']);
  });
  it('leaves out the command line of an import, which is not what was recorded', () => {
    const { parts, missing } = identityLine({ ...RECORDED, live: false, source: 'ctf' });
    expect(parts).not.toContain('make -j8');
    expect(missing).toEqual([]);
  });
  it('of a simulation says so, and misses nothing that a simulation cannot have', () => {
    const { parts, missing } = identityLine({
      ...RECORDED,
      live: false,
      source: 'simulation',
      epoch_ns: null,
      host: null,
    });
    expect(parts[0]).toBe('simulated');
    expect(missing).toEqual([]);
  });
});

describe('topology and evidence', () => {
  it('counts what is known, one in the singular', () => {
    expect(shortTopology({ ...RECORDED, cpus: 1, nodes: 1, caches: null })).toBe('1 CPU, 1 node');
  });
  it('is grouped by state and reason; what excuses rest on is apart', () => {
    expect(evidenceGroups(RECORDED, false)).toEqual([
      { state: 'recorded', why: null, kinds: ['moves of threads', 'kernel stacks of moves'] },
      { state: 'absent', why: 'this kernel refuses fexit probes', kinds: ['placements of threads'] },
    ]);
    expect(evidenceGroups(RECORDED, true)).toEqual([{ state: 'recorded', why: null, kinds: ['outside its cpuset'] }]);
  });
  it('codes that this page does not know stay as they are', () => {
    expect(levelWords('L9')).toBe('L9');
    expect(endWords('lightning')).toBe('lightning');
  });
});
