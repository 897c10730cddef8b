// The search box over the page: threads, processes, cgroups, events, episodes and instants of the trace.

import { useEffect, useRef, useState } from 'react';
import { ofTrace, query } from '../api/client';
import { useJson } from '../api/hooks';
import type { SearchHit, TraceSummary } from '../api/types';
import { typedInstant } from '../logic/instant';
import type { Place } from '../logic/place';
import { moment } from '../logic/units';
import { go, placeNow } from '../navigation';
import { Icon } from './Icon';
import styles from './Search.module.css';

export function Search({ trace, onClose }: { trace: TraceSummary; onClose: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  const [text, setText] = useState('');
  const [at, setAt] = useState(0);
  const wanted = useSettled(text.trim(), 120);
  const since = typedInstant(text);
  const answer = useJson<SearchHit[]>(
    wanted && typedInstant(wanted) === null ? ofTrace(trace.id, `search${query({ q: wanted })}`) : null,
  );
  const found: Item[] = since === null ? (answer.data ?? []) : instantsOf(trace, since);
  const named = found.some((item) => item.kind === 'thread' || item.kind === 'process' || item.kind === 'cgroup');
  const last = found.length - 1 + Number(named);
  useEffect(() => dialog.current?.showModal(), []);

  const leave = (place: Partial<Place>) => {
    go(place);
    onClose();
  };
  const chooseAll = () => leave({ view: 'timeline', filter: wanted });
  const choose = (index: number, pin: boolean) => {
    const item = found[index];
    const key = item && pin ? laneKeyOf(item) : null;
    if (key !== null) leave({ view: 'timeline', pins: [...placeNow().pins.filter((other) => other !== key), key] });
    else if (item) leave(placeOf(item, trace));
    else if (named) chooseAll();
  };
  const onKey = (event: React.KeyboardEvent) => {
    if (event.key === 'ArrowDown') setAt(Math.min(at + 1, last));
    else if (event.key === 'ArrowUp') setAt(Math.max(at - 1, 0));
    else if (event.key === 'Enter') choose(at, event.shiftKey);
    else return;
    event.preventDefault();
  };

  return (
    <dialog ref={dialog} className={styles.search} onClose={onClose} aria-label="Search">
      <div className={styles.field}>
        <Icon name="search" />
        <input
          value={text}
          onChange={(event) => {
            setText(event.target.value);
            setAt(0);
          }}
          onKeyDown={onKey}
          placeholder="Thread, process, cgroup, episode …"
          role="combobox"
          aria-expanded={found.length > 0}
          aria-controls="search-found"
          aria-activedescendant={found.length > 0 ? `found-${at}` : undefined}
          aria-label="Search for"
        />
      </div>
      <div id="search-found" role="listbox" aria-label="Found" className={styles.list}>
        {found.map((item, index) => (
          <div
            key={`${item.kind}-${item.id}`}
            id={`found-${index}`}
            role="option"
            tabIndex={-1}
            aria-selected={index === at}
            onPointerMove={() => setAt(index)}
            onClick={(event) => choose(index, event.shiftKey)}
            onKeyDown={onKey}
          >
            <span className={styles.kind}>{item.kind}</span>
            <span>{item.label}</span>
          </div>
        ))}
        {named && (
          <div
            id={`found-${found.length}`}
            role="option"
            tabIndex={-1}
            aria-selected={at === found.length}
            onPointerMove={() => setAt(found.length)}
            onClick={chooseAll}
            onKeyDown={onKey}
          >
            <span className={styles.kind}>all</span>
            <span>Highlight “{wanted}” on the timeline</span>
          </div>
        )}
      </div>
      <p className={styles.foot} role="status">
        {!wanted && since === null && 'Names, thread ids, “episode 3”, or a time since the start: “+1.79 s”'}
        {since !== null && found.length === 0 && `The trace ends at ${moment(trace.end_ns - trace.start_ns)}`}
        {wanted && since === null && answer.isPending && 'Searching …'}
        {wanted && since === null && answer.data && found.length === 0 && `Nothing is called “${wanted}”`}
        {wanted && answer.error?.message}
        {found.length > 0 &&
          (since === null
            ? '↑ ↓ to choose, Enter to go there, Shift Enter to pin its lane on the timeline'
            : 'Enter to go there')}
      </p>
    </dialog>
  );
}

interface InstantItem {
  kind: 'instant';
  id: string;
  label: string;
  ts_ns: number;
}

type Item = SearchHit | InstantItem;

/** The instant so long after the trace's start, as what was found; nothing where the trace has ended by then. */
function instantsOf({ start_ns, end_ns }: TraceSummary, since: number): InstantItem[] {
  const ts_ns = start_ns + since;
  if (ts_ns > end_ns) return [];
  const what =
    placeNow().utid === null ? 'on the timeline' : 'what the followed thread did then, and behind which threads';
  return [{ kind: 'instant', id: String(ts_ns), label: `${moment(since, 1)}: ${what}`, ts_ns }];
}

/** What is in sight of the timeline about an instant, where it showed the whole trace before. */
const ABOUT_NS = 20_000_000;

/** The timeline at an instant, as close as it was; the followed thread has a lane, and what it did then is picked. */
function placeOfInstant(ts_ns: number, trace: TraceSummary): Partial<Place> {
  const { window, utid, pins } = placeNow();
  const half = (window ? window.end - window.start : ABOUT_NS) / 2;
  const start = Math.round(Math.max(ts_ns - half, trace.start_ns));
  const place = { view: 'timeline', window: { start, end: start + 2 * Math.round(half) }, selection: null } as const;
  if (utid === null) return { ...place, episode: null, params: {} };
  const key = `t${utid}`;
  const lanes = pins.includes(key) ? pins : [...pins, key];
  return { ...place, episode: null, pins: lanes, params: { slice: `${key}@${ts_ns}` } };
}

/** Where a search hit is shown: a process or cgroup on the timeline when the timeline is open, else in the table of threads. */
function placeOf(item: Item, trace: TraceSummary): Partial<Place> {
  if (item.kind === 'instant') return placeOfInstant(item.ts_ns, trace);
  const id = Number(item.id);
  const view = placeNow().view === 'timeline' ? 'timeline' : 'threads';
  switch (item.kind) {
    case 'episode':
      return { view: 'episodes', episode: id };
    case 'thread':
      return { view: 'timeline', utid: id };
    case 'process':
      return { view, filter: item.label.replace(/ \(pid \d+\)$/, '') };
    case 'cgroup':
      return { view, filter: item.label };
    case 'event': {
      const ts = item.ts_ns ?? 0;
      const window = { start: Math.max(ts - 500_000, 0), end: ts + 500_000 };
      // The former selection and cursor belong to another place.
      return { view: 'timeline', window, episode: null, selection: null, params: { event: `${id}@${ts}` } };
    }
  }
}

/** The timeline's lane of a search hit; null of one that has none. */
function laneKeyOf({ kind, id }: Item): string | null {
  return kind === 'thread' || kind === 'process' || kind === 'cgroup' ? `${kind.charAt(0)}${id}` : null;
}

/** `value` once it has not changed for `ms`. */
function useSettled<T>(value: T, ms: number): T {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), ms);
    return () => clearTimeout(timer);
  }, [value, ms]);
  return settled;
}
