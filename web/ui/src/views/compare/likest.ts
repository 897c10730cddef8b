// Which trace one is compared with before one was chosen.

import type { TraceSummary } from '../../api/types';

/** The one that is most like it, in this order: as many CPUs, from the same tool, of the same kernel; of these the nearest in time, before it if there is one. */
export function likest(trace: TraceSummary, others: readonly TraceSummary[]): TraceSummary | undefined {
  const differences = (other: TraceSummary) => [
    other.cpus !== trace.cpus,
    other.source !== trace.source,
    other.kernel !== trace.kernel,
  ];
  const order = (other: TraceSummary) => {
    const before = trace.epoch_ns === null || other.epoch_ns === null ? null : trace.epoch_ns - other.epoch_ns;
    return [...differences(other), before === null, before !== null && before < 0, Math.abs(before ?? 0)].map(Number);
  };
  return [...others].sort((a, b) => {
    const [left, right] = [order(a), order(b)];
    const at = left.findIndex((value, index) => value !== right[index]);
    return at < 0 ? 0 : (left[at] as number) - (right[at] as number);
  })[0];
}
