// Where the rows of a query are on the timeline: known by the names that the trace's own tables give such columns.

import type { Place, Span } from '../../logic/place';
import { windowAround } from '../../logic/windowAround';

/** Columns with an instant, and those that say when what starts there ends. */
const INSTANTS = ['ts_ns', 'start_ns', 'since_ns', 'end_ns'] as const;
const ENDS = ['end_ns', 'until_ns'] as const;
const CPUS = ['cpu', 'dest_cpu', 'waited_on', 'idle_cpu'] as const;

/** Shown on each side of an instant, as for an event that was searched for. */
const AROUND_INSTANT_NS = 500_000;
/** The idle threads have this number together: there is no thread to follow. */
const IDLE_UTID = 0;

interface TraceSpan {
  start_ns: number;
  end_ns: number;
}

/** A number in the row that `at` reads; null where the column is absent, NULL or not a whole number. */
export type ReadRow = (column: string) => number | null;

/** The cells of a row that lead somewhere, by column. */
export function rowLinks(columns: readonly string[], at: ReadRow, trace: TraceSpan): Record<string, RowLink> {
  const links: Record<string, RowLink> = {};
  const read = (name: string) => (columns.includes(name) ? at(name) : null);
  const first = (names: readonly string[]) => names.find((name) => read(name) !== null);
  const cpuColumn = first(CPUS);
  const cpu = cpuColumn === undefined ? null : read(cpuColumn);
  const utid = read('utid') === IDLE_UTID ? null : read('utid');
  const episode = read('episode_id');
  if (episode !== null)
    links.episode_id = { place: { view: 'episodes', episode }, title: `Episode ${episode}: what was idle, and why` };
  const instant = first(INSTANTS);
  const start = instant === undefined ? null : read(instant);
  const thread = utid === null ? {} : ({ utid, scheme: 'thread' } as const);
  if (instant !== undefined && start !== null && start >= trace.start_ns && start <= trace.end_ns) {
    const place: Partial<Place> = {
      view: 'timeline',
      window: windowOf(start, endOf(read, start), trace),
      selection: null,
      episode,
      params: cpu === null ? {} : { slice: `${cpu}@${start}` },
      ...thread,
    };
    links[instant] = { place, title: 'Show it on the timeline' };
    return links;
  }
  if (utid !== null)
    links.utid = { place: { view: 'timeline', ...thread }, title: 'Follow the thread on the timeline' };
  if (cpuColumn !== undefined && cpu !== null && utid === null && episode === null)
    links[cpuColumn] = {
      place: {
        view: 'timeline',
        window: null,
        selection: { start: trace.start_ns, end: trace.end_ns, cpus: [cpu] },
        params: {},
      },
      title: `Select CPU ${cpu} on the timeline`,
    };
  return links;
}

export interface RowLink {
  place: Partial<Place>;
  title: string;
}

/** The end of what starts at `start`; null where the row has only the instant. */
function endOf(read: ReadRow, start: number): number | null {
  for (const name of ENDS) {
    const end = read(name);
    if (end !== null && end > start) return end;
  }
  const length = read('dur_ns');
  return length !== null && length > 0 ? start + length : null;
}

function windowOf(start: number, end: number | null, trace: TraceSpan): Span {
  if (end !== null) return windowAround(start, end - start, trace);
  return {
    start: Math.max(start - AROUND_INSTANT_NS, trace.start_ns),
    end: Math.min(start + AROUND_INSTANT_NS, trace.end_ns),
  };
}
