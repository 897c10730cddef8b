import { describe, expect, it } from 'vitest';
import { formatCpuList, parseCpuList } from './cpulist';
import { bytes, coreSeconds, duration, moment, percent, plural, roundDuration, significant } from './units';

describe('figures', () => {
  it('have three significant digits and a unit', () => {
    expect(duration(2_525_996_790)).toBe('2.53 s');
    expect(duration(999_999)).toBe('1.00 ms');
    expect(duration(1_300_000_000)).toBe('1.30 s');
    expect(roundDuration(1_200_000_000)).toBe('1.2 s');
    expect(roundDuration(1e9)).toBe('1 s');
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

  it('are written as the command line writes the same figure', () => {
    expect([9.9032, 0.0715, 0.16, 5.91, 17.9, 1234, 0].map(coreSeconds)).toEqual([
      '9.90 core-s',
      '0.0715 core-s',
      '0.160 core-s',
      '5.91 core-s',
      '17.9 core-s',
      '1,234 core-s',
      '0 core-s',
    ]);
    expect([0.14, 0.00543, 0.0803, 1, 0.00002, 0].map(percent)).toEqual([
      '14.0 %',
      '0.54 %',
      '8.03 %',
      '100.0 %',
      '<0.01 %',
      '0 %',
    ]);
  });

  it('give moments to the digits of the resolution', () => {
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
