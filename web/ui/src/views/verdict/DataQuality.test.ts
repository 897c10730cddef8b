import { describe, expect, it } from 'vitest';
import type { Verdict } from '../../api/types';
import { checksOf } from './DataQuality';

const data_quality = {
  lost_events: 0,
  unobserved_share: 0,
  unknown_mask_threads: 0,
  rejected: {},
  contradictions: {},
  repaired: {},
  suspect: [],
};
const failing = (change: object) =>
  checksOf({ data_quality: { ...data_quality, ...change } } as unknown as Verdict)
    .filter(([good]) => !good)
    .map(([, text]) => text);

describe('the checks of the panel “Data quality”', () => {
  it('have no failure where the data has no fault', () => expect(failing({})).toEqual([]));

  it('count contradictions as the remarks below them do, which have the reasons', () => {
    expect(failing({ contradictions: { on_two_cpus: 7 } })).toEqual(['7 events contradicting what was known']);
    expect(failing({ rejected: { unknown_cpu: 2 }, contradictions: { on_two_cpus: 1, migrate_mismatch: 47 } })).toEqual(
      ['2 events rejected', '48 events contradicting what was known'],
    );
  });

  it('call threads whose mask is not known what the remarks call them', () =>
    expect(failing({ unknown_mask_threads: 3 })).toEqual(['3 threads with unknown affinity']));
});
