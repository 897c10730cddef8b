import { describe, expect, it } from 'vitest';
import { alarmOf, causeParts, causesByWords, causeWords, headline } from './words';

describe('words', () => {
  it('make a heading and the line below it of the parts of a headline', () => {
    const parts = {
      doubt: '',
      head: '13.7 of 64 cores wasted for 1.31 s',
      amount: '17.9 core-s, 14.0 %',
      rest: 'certain.',
      limits: '',
    };
    expect(headline(parts)).toEqual(['13.7 of 64 cores wasted for 1.31 s', '17.9 core-s, 14.0 %; certain.']);
    expect(headline({ ...parts, limits: 'Seen in part.' })[1]).toBe('17.9 core-s, 14.0 %; certain. Seen in part.');
    expect(headline({ ...parts, head: 'No core wasted', amount: '', rest: 'in 2.00 s (all of it).' })).toEqual([
      'No core wasted',
      'in 2.00 s (all of it).',
    ]);
    const doubt = 'suspect: CPUs idled (12.0 %); 8 threads never ran';
    expect(
      headline({ ...parts, doubt, head: 'As reconstructed, no core wasted', amount: '', rest: 'not certain.' }),
    ).toEqual([doubt, 'As reconstructed, no core wasted; not certain.']);
    expect(headline({ ...parts, doubt })).toEqual([
      doubt,
      '13.7 of 64 cores wasted for 1.31 s (17.9 core-s, 14.0 %); certain.',
    ]);
  });

  it('name a cause by what is known of it', () => {
    expect(causeWords({ placed_by: 'unknown', not_moved_because: 'unknown' })).toBe('Cause not known');
    expect(causeWords({ placed_by: 'fork_exec', not_moved_because: 'no_common_domain' })).toBe(
      'Placed by: fork/exec; not moved because: domains missing (no common domain)',
    );
  });

  it('put a proof beside what it proves, and beside nothing else', () => {
    const cause = {
      placed_by: 'wakeup',
      placed_by_proof: 'proved',
      not_moved_because: 'periodic_did_not_run',
      not_moved_because_proof: 'consistent',
    };
    expect(causeWords(cause)).toBe('Placed by: wakeup (proved); not moved because: periodic did not run (consistent)');
    expect(causeParts({ ...cause, not_moved_because_proof: 'unknown' })).toEqual([
      { text: 'Placed by: wakeup', proof: 'proved' },
      { text: 'not moved because: periodic did not run', proof: null },
    ]);
  });

  it('alarm by the share of the machine, and less where it is not certain', () => {
    expect(alarmOf(0.26, 0.26)).toBe('much');
    expect(alarmOf(0.367, 0)).toBe('some');
    expect(alarmOf(0.022, 0.022)).toBe('some');
    expect(alarmOf(0.006, 0.006)).toBe('none');
  });

  it('add up causes that read alike, short intervals last', () => {
    const cause = { placed_by: 'fork_exec', not_moved_because: 'unknown', recurrent: false, a_core_s: 1, b_core_s: 0 };
    expect(
      causesByWords([
        { ...cause, recurrent: true, a_core_s: 9 },
        cause,
        { ...cause, b_core_s: 2 },
        { ...cause, placed_by: 'unknown', a_core_s: 0, b_core_s: 5 },
      ]),
    ).toEqual([
      { name: 'Cause not known', recurrent: false, a: 0, b: 5 },
      { name: 'Placed by: fork/exec', recurrent: false, a: 2, b: 2 },
      { name: 'Placed by: fork/exec, in short intervals', recurrent: true, a: 9, b: 0 },
    ]);
  });
});
