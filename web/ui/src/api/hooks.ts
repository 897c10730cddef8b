// Server data for components: cached by address, cancelled when no component shows it any more.

import { keepPreviousData, QueryClient, useQueries, useQuery } from '@tanstack/react-query';
import { ApiError, json, ofTrace, query, table } from './client';
import type { Episode, Identity, Machine, TilesMeta, TraceRow, Verdict } from './types';

/** Traces do not change once they are whole, so nothing is fetched twice; refusals (4xx) are not retried. */
export const queries = new QueryClient({
  defaultOptions: {
    // The server may run on this machine, so requests are sent even when the browser is offline.
    mutations: { networkMode: 'always' },
    queries: {
      networkMode: 'always',
      staleTime: Number.POSITIVE_INFINITY,
      gcTime: 10 * 60_000,
      refetchOnWindowFocus: false,
      retry: (failures, error) =>
        failures < 2 && error instanceof ApiError && (error.status === 0 || error.status >= 500),
    },
  },
});

/** JSON at `path` (below `api/`); null asks for nothing. */
export const useJson = <T>(path: string | null) =>
  useQuery({
    queryKey: [path],
    queryFn: ({ signal }) => json<T>(path as string, { signal }),
    enabled: path !== null,
  });

/** The same; the former answer stays while the next is on its way, with what has the focus in it. */
export const useJsonKept = <T>(path: string | null) =>
  useQuery({
    queryKey: [path],
    queryFn: ({ signal }) => json<T>(path as string, { signal }),
    enabled: path !== null,
    placeholderData: keepPreviousData,
  });

/** An Arrow table at `path`; the former one stays while the next is on its way. */
export const useTable = (path: string | null) =>
  useQuery({
    queryKey: ['arrow', path],
    queryFn: ({ signal }) => table(path as string, signal),
    enabled: path !== null,
    placeholderData: keepPreviousData,
  });

export const useTraces = () =>
  useQuery({ queryKey: ['traces'], queryFn: ({ signal }) => json<TraceRow[]>('traces', { signal }), staleTime: 0 });
export const useVerdict = (id: string) => useJson<Verdict>(ofTrace(id, 'verdict'));
export const useVerdicts = (ids: readonly string[]) =>
  useQueries({
    queries: ids.map((id) => {
      const path = ofTrace(id, 'verdict');
      return { queryKey: [path], queryFn: ({ signal }: { signal: AbortSignal }) => json<Verdict>(path, { signal }) };
    }),
  });
export const useMachine = (id: string) => useJson<Machine>(ofTrace(id, 'machine'));
export const useIdentity = (id: string) => useJson<Identity>(ofTrace(id, 'identity'));
export const useTilesMeta = (id: string) => useJson<TilesMeta>(ofTrace(id, 'tiles/meta'));
/** All threads: the dictionary of every other view, by `utid`. */
export const useThreads = (id: string) => useTable(ofTrace(id, 'threads'));
/** Episodes that are listed at most. */
export const ALL_EPISODES = 2000;
/** Episodes of every grade, as the list of episodes shows them. */
export const useAllEpisodes = (id: string) =>
  useJson<Episode[]>(ofTrace(id, `episodes${query({ grade: 'all', limit: ALL_EPISODES })}`));
/** Episodes, the worst first. */
export const useEpisodes = (id: string, limit = 1000) => useJson<Episode[]>(ofTrace(id, `episodes${query({ limit })}`));
