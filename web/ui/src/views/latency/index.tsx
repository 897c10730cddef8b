// How long threads waited for a CPU after a wakeup and after a preemption: percentiles, a histogram, the longest waits.

import { useRef } from 'react';
import { ofTrace, query } from '../../api/client';
import { useJson, useJsonKept } from '../../api/hooks';
import type { Latency, LatencyRow, TraceSummary, WaitingCurve } from '../../api/types';
import { DataTable } from '../../components/DataTable';
import { EvidenceGaps } from '../../components/EvidenceGaps';
import { Empty, Ready } from '../../components/States';
import { moment } from '../../logic/units';
import { adjust, go, hrefTo, usePlace } from '../../navigation';
import type { ViewProps } from '../registry';
import { columnsOf, labelOf, nameOf } from './columns';
import { chosenKey, keyText, withoutKey } from './groupKey';
import { Histogram } from './Histogram';
import styles from './Latency.module.css';
import { LongestWaits } from './LongestWaits';
import { WindowStrip } from './WindowStrip';

const BY = ['thread', 'process', 'cgroup'] as const;
const BY_TITLES = { thread: 'Threads', process: 'Processes', cgroup: 'Cgroups' };
const AFTER = ['any', 'wakeup', 'preemption'] as const;
const AFTER_TITLES = { any: 'All waits', wakeup: 'After a wakeup', preemption: 'After a preemption' };
const MAX_GROUPS = 500;

export default function LatencyView({ trace }: ViewProps) {
  const { params, window } = usePlace();
  const by = BY.find((item) => item === params.by) ?? 'thread';
  const after = AFTER.find((item) => item === params.after) ?? 'any';
  const span = window ? { start: window.start, end: window.end } : {};
  const answer = useJsonKept<Latency>(ofTrace(trace.id, `latency${query({ by, after, limit: MAX_GROUPS, ...span })}`));
  return (
    <div className={styles.page}>
      <header className={styles.bar}>
        <Tabs
          label="By"
          all={BY}
          titles={BY_TITLES}
          chosen={by}
          choose={(item) => go({ params: { ...withoutKey(params), by: item } })}
        />
        <Tabs
          label="Which waits"
          all={AFTER}
          titles={AFTER_TITLES}
          chosen={after}
          choose={(item) => go({ params: { ...params, after: item } })}
        />
        <WindowChoice trace={trace} />
      </header>
      <EvidenceGaps
        trace={trace}
        needs={{ throttled: 'which part of a wait was time without quota is not known' }}
        wakeups="waits after a wakeup are missing"
        wakings="how long it took from a waker’s decision until the thread was queued, where a wait begins, is not visible"
      />
      <div className={styles.scroll} aria-busy={answer.isPlaceholderData}>
        <Ready of={answer} what="Adding up the waits" height="50vh">
          {(data) => <LatencyBody trace={trace} data={data} />}
        </Ready>
      </div>
    </div>
  );
}

interface TabsProps<T extends string> {
  label: string;
  all: readonly T[];
  titles: Readonly<Record<T, string>>;
  chosen: T;
  choose: (item: T) => void;
}

function Tabs<T extends string>({ label, all, titles, chosen, choose }: TabsProps<T>) {
  return (
    <div role="tablist" aria-label={label} className={styles.tabs}>
      {all.map((item) => (
        <button
          key={item}
          type="button"
          role="tab"
          aria-selected={item === chosen}
          className="quiet"
          onClick={() => choose(item)}
        >
          {titles[item]}
        </button>
      ))}
    </div>
  );
}

/** The window, which is the timeline's, and the way back to the whole trace. */
function WindowChoice({ trace }: { trace: TraceSummary }) {
  const { window } = usePlace();
  if (!window) return <span className="muted">Whole trace; drag over the curve for a part of it</span>;
  const at = (t: number) => moment(t - trace.start_ns, (window.end - window.start) / 100);
  return (
    <span className={styles.window}>
      {at(window.start)} to {at(window.end)}
      <a href={hrefTo({ view: 'timeline' })}>Timeline</a>
      <button type="button" className="quiet" onClick={() => go({ window: null })}>
        Whole trace
      </button>
    </span>
  );
}

function LatencyBody({ trace, data }: { trace: TraceSummary; data: Latency }) {
  const { params, window, filter } = usePlace();
  const key = chosenKey(params);
  const span = window ? { start: window.start, end: window.end } : {};
  const { by, after } = data;
  const own = useJsonKept<Latency>(
    key === null ? null : ofTrace(trace.id, `latency${query({ by, key, after, limit: 1, ...span })}`),
  );
  const curve = useJson<WaitingCurve>(
    key === null ? null : ofTrace(trace.id, `latency/curve${query({ by, key, after })}`),
  );
  const body = useRef<HTMLDivElement>(null);
  if (!data.total)
    return (
      <>
        <WindowStrip trace={trace} longest={[]} />
        <Empty title={data.sentence}>Another window, or all waits, may have some.</Empty>
      </>
    );
  const text = filter.toLowerCase();
  const shown = text ? data.groups.filter((row) => labelOf(row).toLowerCase().includes(text)) : data.groups;
  const bins = [...data.groups, data.total].concat(own.data?.total ?? []).flatMap((row) => row.histogram);
  const range: [number, number] = [Math.min(...bins.map((b) => b.low_ns)), Math.max(...bins.map((b) => b.high_ns))];
  const titles = BY_TITLES[by as keyof typeof BY_TITLES];
  const choose = (row: LatencyRow) => {
    const text = keyText(row.key);
    go({ params: text === key ? withoutKey(params) : { ...params, key: text } });
    if (text !== key) body.current?.parentElement?.scrollTo?.({ top: 0 }); // what was chosen is above a long table
  };
  return (
    <div ref={body} className={styles.body}>
      {key === null ? (
        <Waits trace={trace} data={data} range={range} />
      ) : (
        <Ready of={own} what="Adding up its waits" height={220}>
          {(found) => <Waits trace={trace} data={found} range={range} {...(curve.data ? { curve: curve.data } : {})} />}
        </Ready>
      )}
      <section className={`card ${styles.panel} ${styles.groups}`}>
        <header className={styles.title}>
          <h2>{titles}</h2>
          <input
            className="input"
            value={filter}
            onChange={(event) => adjust({ filter: event.target.value })}
            placeholder="Filter by name"
            aria-label="Filter by name"
          />
        </header>
        {shown.length === 0 ? (
          <Empty title={`Nothing is called “${filter}”`} />
        ) : (
          <div className={styles.wide}>
            <DataTable
              label={titles}
              columns={columnsOf(data, trace, range, key, choose)}
              rows={shown}
              keyOf={(row) => keyText(row.key)}
              sort="-longest_ns"
              chosen={key}
              onChoose={choose}
            />
          </div>
        )}
        {data.groups.length === MAX_GROUPS && (
          <p className="muted">The {MAX_GROUPS} with the longest waits; `waits()` in the SQL view has all.</p>
        )}
      </section>
    </div>
  );
}

interface WaitsProps {
  trace: TraceSummary;
  /** Of all waits, or of the chosen group. */
  data: Latency;
  range: readonly [number, number];
  /** Threads of the chosen group that waited, over the whole trace. */
  curve?: WaitingCurve;
}

/** The curve, the histogram and the longest waits, of all or of the chosen group, whose name is in the headings. */
function Waits({ trace, data, range, curve }: WaitsProps) {
  const { params } = usePlace();
  const group = data.of?.[0];
  const name = group && nameOf(group, data.by);
  return (
    <>
      <section className={`card ${styles.panel}`}>
        <header className={styles.title}>
          <p className={styles.sentence}>{data.sentence}</p>
          {name && (
            <button type="button" className="quiet" onClick={() => go({ params: withoutKey(params) })}>
              All waits again
            </button>
          )}
        </header>
        <WindowStrip trace={trace} longest={data.longest} {...(name && curve ? { of: { name, curve } } : {})} />
      </section>
      <section className={`card ${styles.panel} ${styles.lengths}`}>
        <h2>{name ? `Waits of ${name} by length` : 'Waits by length'}</h2>
        {data.total ? (
          <Histogram bins={data.total.histogram} range={range} />
        ) : (
          <Empty title="No waits of it are recorded" />
        )}
      </section>
      <section className={`card ${styles.panel} ${styles.longest}`}>
        <h2>{name ? `Longest waits of ${name}` : 'Longest waits'}</h2>
        <div className={styles.wide}>
          <LongestWaits trace={trace} waits={data.longest} {...(name ? { of: name } : {})} />
        </div>
      </section>
    </>
  );
}
