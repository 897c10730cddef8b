// Kernel stacks of the moves, wakeups or switches of a range: a flame graph, and the functions in which most of it is.

import { useEffect, useMemo, useState } from 'react';
import { ofTrace, query } from '../api/client';
import { useJson } from '../api/hooks';
import type { StackCounts, TraceSummary } from '../api/types';
import { formatCpuList } from '../logic/cpulist';
import { type CountedStack, flameTree, heaviest } from '../logic/flame';
import type { Selection } from '../logic/place';
import { count, duration, percent, plural } from '../logic/units';
import { CommandText } from './CommandText';
import { FilterInput } from './FilterInput';
import { FlameGraph } from './FlameGraph';
import styles from './RangeStacks.module.css';
import { Empty, Ready } from './States';

export const STACKS_OF = ['switches', 'wakeups', 'moves'] as const;
export type StacksOf = (typeof STACKS_OF)[number];
/** The first of these that have some. */
export const ANY = 'any';

/** What the address says of stacks; undefined where it says nothing that is known. */
export const stacksOf = (text: string | undefined): StacksOf | typeof ANY | undefined =>
  text === ANY ? ANY : STACKS_OF.find((item) => item === text);
const TITLES: Readonly<Record<StacksOf, string>> = { switches: 'Switches', wakeups: 'Wakeups', moves: 'Moves' };
const ONE: Readonly<Record<StacksOf, string>> = { switches: 'switch', wakeups: 'wakeup', moves: 'move' };
const MEANINGS: Readonly<Record<StacksOf, string>> = {
  switches: 'Where threads left the CPU: asleep, blocked or preempted, and for how long',
  wakeups: 'Which code woke threads',
  moves: 'Which code moved threads to another CPU',
};

/** Functions that are listed beside the graph. */
const MOST_LISTED = 12;

interface RangeStacksProps {
  trace: TraceSummary;
  range: Selection;
  of: StacksOf | typeof ANY;
  onOf: (of: StacksOf) => void;
}

export function RangeStacks({ trace, range, of: wanted, onOf }: RangeStacksProps) {
  const [tried, setTried] = useState(0);
  const of = wanted === ANY ? (STACKS_OF[tried] as StacksOf) : wanted;
  const { start, end, cpus, lanes } = range;
  const place = { start, end, cpus: cpus ? formatCpuList(cpus) : null, lanes: lanes?.join(',') };
  const answer = useJson<StackCounts>(ofTrace(trace.id, `stacks${query({ of, ...place })}`));
  const isEmpty = answer.data?.of === of && answer.data.with_stack === 0;
  useEffect(() => {
    if (wanted === ANY && isEmpty) setTried((last) => Math.min(last + 1, STACKS_OF.length - 1));
  }, [wanted, isEmpty]);
  const [byTime, setByTime] = useState(true);
  const [search, setSearch] = useState('');
  return (
    <div className={styles.stacks}>
      <div className={styles.bar}>
        <div role="tablist" aria-label="Stacks of" className={styles.tabs}>
          {STACKS_OF.map((item) => (
            <button
              key={item}
              type="button"
              role="tab"
              aria-selected={item === of}
              className="quiet"
              title={MEANINGS[item]}
              onClick={() => onOf(item)}
            >
              {TITLES[item]}
            </button>
          ))}
        </div>
        {of === 'switches' && (
          <label title="By the time until the threads ran again, else by the number of switches">
            <input type="checkbox" checked={byTime} onChange={() => setByTime(!byTime)} /> by time off the CPU
          </label>
        )}
        <FilterInput value={search} change={setSearch} label="Find a function" />
      </div>
      <Ready of={answer} what="Counting stacks" height={200}>
        {(found) => <Counted found={found} byTime={byTime && of === 'switches'} search={search} of={of} />}
      </Ready>
    </div>
  );
}

interface CountedProps {
  found: StackCounts;
  of: StacksOf;
  byTime: boolean;
  search: string;
}

function Counted({ found, of, byTime, search }: CountedProps) {
  const stacks: CountedStack[] = useMemo(
    () =>
      found.stacks.map(({ symbols, state, events, ns }) => ({
        symbols,
        state,
        value: byTime ? ns : events,
      })),
    [found, byTime],
  );
  const root = useMemo(() => flameTree(stacks), [stacks]);
  const words = (value: number) => (byTime ? duration(value) : plural(value, ONE[of], of));
  if (found.events === 0) return <Empty title={`No ${of} here`}>Another range may have some.</Empty>;
  if (found.with_stack === 0)
    return (
      <Empty title={`No kernel stacks of the ${plural(found.events, ONE[of], of)} here`}>
        <CommandText text={found.why_absent ?? ''} />
      </Empty>
    );
  return (
    <>
      <p className="muted">
        {plural(found.events, ONE[of], of)}
        {found.with_stack < found.events && `, ${count(found.with_stack)} of them with a kernel stack`}
        {of === 'switches' && `; together ${duration(found.ns)} off the CPU`}
        {found.truncated && `; the ${count(found.stacks.length)} stacks with most`}
      </p>
      <div className={styles.content}>
        <FlameGraph root={root} search={search} words={words} label={`Flame graph of ${of}`} />
        <table aria-label="Functions with most of it">
          <thead>
            <tr>
              <th>in or below</th>
              <th>share</th>
            </tr>
          </thead>
          <tbody>
            {heaviest(stacks, MOST_LISTED).map(({ name, value }) => (
              <tr key={name}>
                <td>
                  <code>{name}</code>
                </td>
                <td title={words(value)}>{percent(value / Math.max(root.value, 1))}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </>
  );
}
