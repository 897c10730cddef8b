// Where a trace's stretches come from: the server, or the page itself where it carries some, as a report does.

import { ofTrace, query, table } from '../../api/client';
import type { TraceSummary } from '../../api/types';
import { type ArchiveSource, ServerSource } from '../../replay/source';
import { gridLength, type StretchSource } from '../../replay/store';

const carried = new Map<string, ArchiveSource>();
const carriedEpisodes = new Map<string, ReadonlySet<number>>();

/** The page is a report on this trace: it has these views and no others. */
export const isReport = (trace: string): boolean => carried.has(trace);

/** Whether an episode has a page: every one, but in a report only those that it carries. */
export const hasEpisode = (trace: string, episode: number): boolean => carriedEpisodes.get(trace)?.has(episode) ?? true;

/** Makes `source` the one that a trace is played from, and `episodes` those that have a page. */
export function carry(trace: string, source: ArchiveSource, episodes: readonly number[]): void {
  carried.set(trace, source);
  carriedEpisodes.set(trace, new Set(episodes));
}

/** `declared`: with the holders of declared bubbles. */
export function sourceFor(trace: TraceSummary, declared: boolean): StretchSource {
  const kept = carried.get(trace.id);
  if (kept) return declared ? kept : kept.plain();
  return ofServer(trace, declared);
}

function ofServer(trace: TraceSummary, declared: boolean): StretchSource {
  const span = { start: 0, end: trace.end_ns - trace.start_ns };
  const at = (path: string, values: Record<string, number>, signal: AbortSignal) =>
    table(ofTrace(trace.id, `replay/${path}${query(values)}`), signal);
  return new ServerSource(
    {
      state: (at_ns, signal) => at('state', { at: at_ns }, signal),
      moves: (start, end, limit, signal) => at('moves', { start, end, limit }, signal),
      waste: (start, end, signal) => at('waste', { start, end, limit: 200_000 }, signal),
      unobserved: (start, end, signal) => at('unobserved', { start, end, limit: 200_000 }, signal),
      wastedCpus: (start, end, signal) => at('wasted_cpus', { start, end, limit: 200_000 }, signal),
      ...(declared && {
        holders: {
          state: (at_ns: number, signal: AbortSignal) => at('bubbles/state', { at: at_ns }, signal),
          moves: (start: number, end: number, signal: AbortSignal) =>
            at('bubbles/moves', { start, end, limit: 200_000 }, signal),
        },
      }),
    },
    trace.start_ns,
    span,
    gridLength(trace.events, span.end - span.start),
  );
}
