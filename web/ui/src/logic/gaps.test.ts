import { describe, expect, it } from 'vitest';
import type { Identity } from '../api/types';
import { causeNeeds, excuseNeeds, gapWords } from './gaps';

const trace = (change: Partial<Identity>) =>
  ({
    evidence: [],
    shows_wakeups: true,
    has_wakings: true,
    has_attempt_scans: true,
    deepest_idle_state: 2,
    highest_khz: null,
    live: true,
    ...change,
  }) as unknown as Identity;
const balancer = { load_balance_attempts: 'none is drawn' };

describe('what a view lacks', () => {
  it('is nothing where all that it rests on was recorded', () => {
    const evidence: Identity['evidence'] = [
      { kind: 'load_balance_attempts', state: 'recorded', why: null },
      { kind: 'placements', state: 'absent', why: 'refused' },
    ];
    expect(gapWords(trace({ evidence }), { needs: balancer, wakeups: 'a', wakings: 'b' })).toEqual([]);
  });

  it('is said with the reason of the trace and what the view does not show', () => {
    const evidence: Identity['evidence'] = [
      { kind: 'load_balance_attempts', state: 'absent', why: 'this kernel refuses fexit probes' },
    ];
    expect(gapWords(trace({ evidence }), { needs: balancer })).toEqual([
      'Not recorded: load-balance attempts (this kernel refuses fexit probes): none is drawn',
    ]);
  });

  it('of what was recorded in part is that there may be more', () => {
    const evidence: Identity['evidence'] = [
      { kind: 'load_balance_attempts', state: 'partial', why: 'attempts of this CPU alone' },
    ];
    expect(gapWords(trace({ evidence }), { needs: balancer })).toEqual([
      'Recorded in part: load-balance attempts (attempts of this CPU alone)',
    ]);
  });

  it('puts kinds with one consequence on one line, those of one reason together', () => {
    const evidence: Identity['evidence'] = [
      { kind: 'migrations', state: 'absent', why: null },
      { kind: 'cpuset', state: 'absent', why: null },
      { kind: 'throttled', state: 'absent', why: 'no cgroups' },
      { kind: 'affinity', state: 'absent', why: null },
    ];
    expect(
      gapWords(trace({ evidence }), { needs: { ...causeNeeds('none'), ...excuseNeeds('as if it never applied') } }),
    ).toEqual([
      'Not recorded: moves of threads: none',
      'Not recorded: outside its cpuset, outside its affinity mask; no quota left (no cgroups): as if it never applied',
    ]);
  });

  it('says that idle states or frequencies of CPUs are not in the trace', () => {
    const needs = { needs: {}, idleStates: 'not drawn', frequencies: 'not drawn' };
    expect(gapWords(trace({}), needs)).toEqual(['Not recorded: frequencies of CPUs: not drawn']);
    expect(gapWords(trace({ deepest_idle_state: null }), needs)).toEqual([
      'Not recorded: idle states of CPUs, frequencies of CPUs: not drawn',
    ]);
  });

  it('says whether attempts have the CPUs that they scanned, beside those of placements', () => {
    const evidence: Identity['evidence'] = [
      { kind: 'placements', state: 'recorded', why: null },
      { kind: 'cpus_scanned', state: 'absent', why: 'not asked for' },
    ];
    const needs = { placements: 'not marked', cpus_scanned: 'not marked' };
    expect(gapWords(trace({ evidence, has_attempt_scans: false }), { needs, attemptScans: 'not marked' })).toEqual([
      'Not recorded: CPUs scanned at wakeup (not asked for); CPUs scanned by load-balance attempts: not marked',
    ]);
    expect(gapWords(trace({ evidence }), { needs, attemptScans: 'not marked' })).toEqual([
      'Not recorded: CPUs scanned at wakeup (not asked for): not marked',
    ]);
  });

  it('says of an import that it has the interrupt work of idle CPUs alone, where it has any', () => {
    const recorded: Identity['evidence'] = [{ kind: 'irq_busy', state: 'recorded', why: null }];
    const of = (change: Partial<Identity>) =>
      gapWords(trace({ evidence: recorded, ...change }), { needs: { irq_busy: 'not drawn' }, interrupts: 'not drawn' });
    expect(of({ live: false, source: 'perf.data' })).toEqual([
      'Not recorded: interrupt work of CPUs that run a thread (an import has that of idle CPUs alone): not drawn',
    ]);
    expect(of({ live: true, source: 'ebpf' })).toEqual([]);
    expect(of({ live: false, source: 'simulation' })).toEqual([]);
    const absent: Identity['evidence'] = [{ kind: 'irq_busy', state: 'absent', why: 'no irq events' }];
    expect(of({ live: false, source: 'perf.data', evidence: absent })).toEqual([
      'Not recorded: CPU in interrupt work (no irq events): not drawn',
    ]);
  });

  it('says of wakeups which of their events are missing', () => {
    const without = trace({ shows_wakeups: false, has_wakings: false });
    expect(gapWords(without, { needs: {}, wakeups: 'waits are missing', wakings: 'wakers are not known' })).toEqual([
      'Not recorded: sched_wakeup: waits are missing',
      'Not recorded: sched_waking: wakers are not known',
    ]);
    expect(gapWords(without, { needs: {} })).toEqual([]);
  });
});
