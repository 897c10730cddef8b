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

describe('the checks of the data_quality panel', () => {
  it('pass where nothing speaks against the verdict', () => expect(failing({})).toEqual([]));

  it('say of contradictions what the remarks below them say, whether the events were set aside or kept', () => {
    expect(failing({ contradictions: { on_two_cpus: 7 } })).toEqual(['7 contradicting events: on two cpus']);
    expect(failing({ rejected: { unknown_cpu: 2 }, contradictions: { migrate_mismatch: 47 } })).toEqual([
      '49 contradicting events: migrate mismatch, unknown cpu',
    ]);
  });
});
