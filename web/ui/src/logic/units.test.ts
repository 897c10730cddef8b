import { describe, expect, it } from 'vitest';
import { formatCpuList, parseCpuList } from './cpulist';
import { bytes, coreSeconds, duration, moment, percent, plural, significant } from './units';

describe('figures', () => {
  it('have three significant digits and a unit', () => {
    expect(duration(2_525_996_790)).toBe('2.53 s');
    expect(duration(999_999)).toBe('1 ms');
    expect(duration(20_820)).toBe('20.8 µs');
    expect(duration(7)).toBe('7 ns');
    expect(duration(0)).toBe('0');
    expect(significant(1234)).toBe('1,234');
    expect(significant(0.0123456)).toBe('0.0123');
    expect(coreSeconds(9.9182917)).toBe('9.92 core-s');
    expect(coreSeconds(0.0000208)).toBe('<0.001 core-s');
    expect(percent(0.36743)).toBe('36.7 %');
    expect(bytes(1_978_368)).toBe('1.98 MB');
    expect(bytes(0)).toBe('0 B');
    expect(plural(1, 'episode')).toBe('1 episode');
  });

  it('tell moments to the digits that the resolution can tell apart', () => {
    expect(moment(564_386_600)).toBe('+0.564 s');
    expect(moment(564_386_600, 1_000)).toBe('+0.564387 s');
    expect(moment(-1e9, 1e8)).toBe('−1.0 s');
  });
});

describe('lists of CPUs', () => {
  it('are read and written as the kernel does', () => {
    expect(parseCpuList('0-3,8,x,10-11')).toEqual([0, 1, 2, 3, 8, 10, 11]);
    expect(formatCpuList([11, 8, 0, 1, 2, 3, 10])).toBe('0-3,8,10-11');
    expect(parseCpuList('0-99999').length).toBe(65_536);
    expect(formatCpuList([])).toBe('');
  });
});
