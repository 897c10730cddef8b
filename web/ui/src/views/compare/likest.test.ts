import { describe, expect, it } from 'vitest';
import type { TraceSummary } from '../../api/types';
import { likest } from './likest';

const trace = (id: string, cpus: number, kernel: string | null, epoch_ns: number | null, source = 'ebpf') =>
  ({ id, cpus, kernel, epoch_ns, source }) as TraceSummary;

describe('the trace that one is compared with before one was chosen', () => {
  const mine = trace('mine', 8, '6.12', 1000);

  it('is of a machine of its size, from the same tool, of its kernel', () => {
    const others = [trace('a', 64, '6.12', 999), trace('b', 8, '6.12', 999, 'simulation'), trace('c', 8, '6.1', 10)];
    expect(likest(mine, others)?.id).toBe('c');
    expect(likest(mine, [...others, trace('d', 8, '6.12', 1)])?.id).toBe('d');
  });

  it('is the last one before it, else the first one after it', () => {
    const [early, late, later] = [
      trace('early', 8, '6.12', 100),
      trace('late', 8, '6.12', 1001),
      trace('later', 8, '6.12', 5000),
    ];
    expect(likest(mine, [later, early, late])?.id).toBe('early');
    expect(likest(mine, [later, late])?.id).toBe('late');
    expect(likest(mine, [trace('undated', 8, '6.12', null), later])?.id).toBe('later');
    expect(likest(mine, [])).toBeUndefined();
  });
});
