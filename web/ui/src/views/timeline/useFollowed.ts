// The whole way of one thread, from the table of states: exact at every zoom, while tiles leave out short runs.

import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { ofTrace, table } from '../../api/client';
import { numbers } from '../../api/table';
import type { FollowedThread } from './scene';

const MAX_ROWS = 200_000;

export function useFollowed(trace: string, utid: number | null): FollowedThread | null {
  const sql = `SELECT start_ns, dur_ns, cpu, phase FROM thread_state
    WHERE utid = ${utid} AND phase IN (0, 1, 2, 7) AND cpu IS NOT NULL ORDER BY start_ns`;
  const { data } = useQuery({
    queryKey: ['followed', trace, utid],
    queryFn: ({ signal }) => table(ofTrace(trace, 'sql'), signal, { sql, limit: MAX_ROWS }),
    enabled: utid !== null,
  });
  return useMemo(() => {
    if (utid === null || !data) return null;
    const start = Float64Array.from(numbers(data, 'start_ns'));
    return {
      utid,
      start,
      end: Float64Array.from(numbers(data, 'dur_ns'), (length, row) => (start[row] as number) + length),
      cpu: Int32Array.from(numbers(data, 'cpu')),
      phase: Int32Array.from(numbers(data, 'phase')),
    };
  }, [utid, data]);
}
