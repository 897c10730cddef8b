import { describe, expect, it } from 'vitest';
import { causeWords, headline } from './words';

describe('words', () => {
  it('cut the verdict into its headline and the rest', () => {
    expect(
      headline('13.7 of 64 cores wasted for 1.31 s (17.9 core-s, 14.0 % of the machine in 2.00 s), certain.'),
    ).toEqual(['13.7 of 64 cores wasted for 1.31 s', '17.9 core-s, 14.0 % of the machine in 2.00 s; certain.']);
    expect(headline('No core was wasted.')).toEqual(['No core was wasted', '']);
  });

  it('name a cause by what is known of it', () => {
    expect(causeWords({ placement: 'unknown', correction: 'unknown' })).toBe('Cause not known');
    expect(causeWords({ placement: 'fork/exec', correction: 'domains missing (no common domain)' })).toBe(
      'Domains missing (no common domain); came by fork/exec',
    );
  });
});
