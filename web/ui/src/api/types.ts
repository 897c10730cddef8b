// The server's JSON by short names; `schema.ts` is generated from its OpenAPI (`npm run api`). Times in ns on the trace's clock.

import type { components } from './schema';

type Schemas = components['schemas'];

/** A trace in the list; with `error` it cannot be read and most else is null. */
export type TraceRow = Schemas['TraceRow'];

type ReadableField =
  | 'size_bytes'
  | 'source'
  | 'cpus'
  | 'threads'
  | 'events'
  | 'start_ns'
  | 'end_ns'
  | 'wasted_core_s'
  | 'wasted_share';

/** A trace that can be read. */
export type TraceSummary = TraceRow & { [K in ReadableField]: NonNullable<TraceRow[K]> };

export const readable = (row: TraceRow): row is TraceSummary =>
  !row.error && row.start_ns !== null && row.end_ns !== null && row.wasted_core_s !== null;

export type Job = Schemas['Job'];
export type Verdict = Schemas['Verdict'];
export type WorstEpisode = Schemas['WorstEpisode'];
export type Cause = Schemas['Cause'];
export type Identity = Schemas['Identity'];
export type Machine = Schemas['Machine'];
export type MachineNode = Schemas['MachineNode'];
export type Cpu = Schemas['Cpu'];
export type Domain = Schemas['Domain'];
export type TilesMeta = Schemas['TilesMeta'];
export type Episode = Schemas['Episode'];
export type EpisodePage = Schemas['EpisodePage'];
export type ThreadInstant = Schemas['ThreadInstant'];
export type StackCounts = Schemas['StackCounts'];
export type SearchHit = Schemas['SearchHit'];
export type SelectionFigures = Schemas['Selection'];
export type SelectedReasons = Schemas['SelectedReasons'];
export type Rows = Schemas['Rows'];
export type Latency = Schemas['Latency'];
export type LatencyRow = Schemas['LatencyRow'];
export type LatencyBin = Schemas['LatencyBin'];
export type LongWait = Schemas['LongWait'];
export type WaitGroup = Schemas['WaitGroup'];
export type WaitingCurve = Schemas['WaitingCurve'];
export type Balance = Schemas['Balance'];
export type ParallelApplication = Schemas['ParallelApplication'];
export type BalanceCells = Schemas['BalanceCells'];
export type BalanceSegment = Schemas['BalanceSegment'];
export type BalanceAdvice = Schemas['BalanceAdvice'];
export type Deadlines = Schemas['Deadlines'];
export type DeadlineTask = Schemas['DeadlineTask'];
export type MissedDeadline = Schemas['MissedDeadline'];
export type DeadlineRootDomain = Schemas['DeadlineRootDomain'];
export type PassedOver = Schemas['PassedOver'];
export type LockWait = Schemas['LockWait'];
export type RankTimes = Schemas['RankTimes'];
export type Schema = Schemas['Schema'];
export type Bubbles = Schemas['Bubbles'];
export type Comparison = Schemas['Comparison'];
export type RunComparison = Schemas['RunComparison'];
export type BaselineFile = Schemas['BaselineFile'];
export type MetricDifference = Schemas['MetricDifference'];
