// The thread of the picked slice or state, at its instant: its wait, its waker, and what the trace says of it then.

import { ofTrace, query } from '../../api/client';
import { useJson } from '../../api/hooks';
import type { ThreadInstant } from '../../api/types';
import type { Flow } from '../../logic/timeline/flows';
import type { TimelineHit } from './timelineHit';

/** Of a hit on a single slice or state of a thread; of anything else nothing is asked. */
export function useInstant(trace: string, hit: TimelineHit | null) {
  const known = hit?.exact && hit.utid !== null ? hit : null;
  // Any instant of the slice has the same answer: its start, so that clicks within it ask once.
  const at = known ? Math.floor(known.start) : 0;
  return useJson<ThreadInstant>(known ? ofTrace(trace, `threads/${known.utid}/instant${query({ at })}`) : null);
}

/** The wakeup of an instant as it is drawn. */
export function flowOf(instant: ThreadInstant | undefined): Flow | null {
  const wakeup = instant?.wakeup;
  if (!wakeup) return null;
  return {
    id: wakeup.wakeup_id,
    utid: wakeup.utid,
    waking: wakeup.waking_ns,
    wakerCpu: wakeup.waker_cpu,
    waker: wakeup.waker_utid,
    wakeup: wakeup.wakeup_ns,
    target: wakeup.target_cpu,
    run: wakeup.run_ns,
    runCpu: wakeup.run_cpu,
  };
}
