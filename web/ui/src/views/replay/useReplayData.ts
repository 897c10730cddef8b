// Everything the replay needs of a trace, from the server's answers.

import { useMemo } from 'react';
import { ofTrace, query } from '../../api/client';
import { useJson, useMachine, useTable, useThreads } from '../../api/hooks';
import { numbers, type Table } from '../../api/table';
import type { TraceSummary } from '../../api/types';
import type { BubbleRow, MemberRow } from '../../replay/bubbles';
import { Dictionary } from '../../replay/dictionary';
import type { MatchedPair } from '../../replay/frame';
import type { MachineTree } from '../../replay/machine';
import type { StretchSource } from '../../replay/store';
import type { EpisodeSpan, MatchedPairs } from '../../replay/wasteMatch';
import { sourceFor } from './stretches';

export interface EpisodeMark extends EpisodeSpan {
  severity: string;
  /** The same waste as another episode of the list. */
  isPart: boolean;
  sentence: string;
  core_ns: number;
}

export interface CurveData {
  /** Since the trace's start, ns. */
  start: Float64Array;
  wasted: Float64Array;
  most: Float64Array;
}

export interface ReplayData {
  trace: TraceSummary;
  origin_ns: number;
  span: { start: number; end: number };
  tree: MachineTree;
  threads: Dictionary;
  episodes: EpisodeMark[];
  pairs: MatchedPairs;
  curve: CurveData;
  /** What `bubbles` are. */
  kind: ReplayTree;
  bubbles: BubbleRow[];
  members: MemberRow[];
  source: StretchSource;
  /** Declared bubbles, held by runqueues: every level of the machine has space for them. */
  held: boolean;
}

interface ReplayEpisode {
  episode_id: number;
  grade: string;
  severity: string;
  part_of: number | null;
  start_ns: number;
  end_ns: number;
  total_core_ns: number;
  sentence: string;
}

interface BubbleAnswer {
  bubbles: { id: number; parent: number | null; name: string; kind: string }[];
  members: { utid: number; bubble: number; start_ns: number | null; end_ns: number | null }[];
}

export const REPLAY_TREES = ['natural', 'creation', 'declared', 'none'] as const;
export type ReplayTree = (typeof REPLAY_TREES)[number];

/** `chosen` null: declared bubbles where there are any, else the natural ones. */
export function useReplayData(trace: TraceSummary, chosen: ReplayTree | null) {
  const id = trace.id;
  const bubblesOf = (wanted: ReplayTree) => ofTrace(id, `bubbles${query({ kind: wanted })}`);
  const declared = useJson<BubbleAnswer>(chosen === null || chosen === 'declared' ? bubblesOf('declared') : null);
  const none = declared.data?.bubbles.length === 0;
  const kind = chosen ?? (none ? 'natural' : 'declared');
  const machine = useMachine(id);
  const threads = useThreads(id);
  const episodes = useJson<ReplayEpisode[]>(ofTrace(id, `episodes${query({ grade: 'all', limit: 2000 })}`));
  const pairs = useTable(ofTrace(id, 'replay/pairs'));
  const curve = useTable(ofTrace(id, `curve${query({ bins: 1200 })}`));
  // Asked for beside the declared ones, which are few or none, so that nothing waits for the choice.
  const other = useJson<BubbleAnswer>(
    chosen === 'declared' ? null : bubblesOf(chosen === 'creation' ? chosen : 'natural'),
  );
  const bubbles = kind === 'declared' ? declared : other;
  const parts = [machine, threads, episodes, pairs, curve, ...(chosen === null ? [declared] : []), bubbles];
  const error = parts.find((p) => p.error)?.error;
  const data = useMemo((): ReplayData | undefined => {
    if (!machine.data || !threads.data || !episodes.data || !pairs.data || !curve.data || !bubbles.data)
      return undefined;
    if (chosen === null && none === undefined) return undefined;
    const origin_ns = trace.start_ns;
    const span = { start: 0, end: trace.end_ns - origin_ns };
    const dictionary = new Dictionary(threads.data);
    return {
      trace,
      origin_ns,
      span,
      tree: machine.data.tree as MachineTree,
      threads: dictionary,
      episodes: episodes.data.map((e) => ({
        id: e.episode_id,
        grade: e.grade,
        severity: e.severity,
        isPart: e.part_of !== null,
        start: e.start_ns - origin_ns,
        end: e.end_ns - origin_ns,
        sentence: e.sentence,
        core_ns: e.total_core_ns,
      })),
      pairs: pairsOf(pairs.data),
      curve: curveOf(curve.data, origin_ns),
      kind,
      bubbles: kind === 'none' ? [] : bubbles.data.bubbles,
      members: kind === 'none' ? [] : membersOf(bubbles.data, dictionary, origin_ns, span.end),
      source: sourceFor(trace, kind === 'declared'),
      held: kind === 'declared' && bubbles.data.bubbles.length > 0,
    };
  }, [trace, chosen, none, kind, machine.data, threads.data, episodes.data, pairs.data, curve.data, bubbles.data]);
  return {
    data,
    error,
    refetch: () => {
      for (const p of parts) if (p.error) void p.refetch();
    },
  };
}

function pairsOf(t: Table): MatchedPairs {
  const column = (name: string): ArrayLike<number> => numbers(t, name);
  const [episode, utid, waited, idle] = [column('episode_id'), column('utid'), column('waited_on'), column('idle_cpu')];
  const found = new Map<number, MatchedPair[]>();
  for (let i = 0; i < t.rows; i++) {
    const list = found.get(episode[i] as number) ?? [];
    if (list.length === 0) found.set(episode[i] as number, list);
    list.push({ utid: utid[i] as number, waited_on: waited[i] as number, idle_cpu: idle[i] as number });
  }
  return found;
}

const curveOf = (t: Table, origin_ns: number): CurveData => ({
  start: Float64Array.from(numbers(t, 'start_ns'), (ns) => ns - origin_ns),
  wasted: Float64Array.from(numbers(t, 'wasted')),
  most: Float64Array.from(numbers(t, 'wasted_max')),
});

const membersOf = (b: BubbleAnswer, threads: Dictionary, origin_ns: number, end: number): MemberRow[] =>
  b.members
    .filter((m) => threads.active(m.utid))
    .map((m) => ({
      utid: m.utid,
      bubble: m.bubble,
      start: m.start_ns === null ? 0 : m.start_ns - origin_ns,
      end: m.end_ns === null ? end : m.end_ns - origin_ns,
    }));
