// The search box over the page: threads, processes, cgroups, events and episodes of the trace.

import { useEffect, useRef, useState } from 'react';
import { ofTrace, query } from '../api/client';
import { useJson } from '../api/hooks';
import type { SearchHit, TraceSummary } from '../api/types';
import type { Place } from '../logic/place';
import { go, placeNow } from '../navigation';
import { Icon } from './Icon';
import styles from './Search.module.css';

export function Search({ trace, onClose }: { trace: TraceSummary; onClose: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  const [text, setText] = useState('');
  const [at, setAt] = useState(0);
  const wanted = useSettled(text.trim(), 120);
  const answer = useJson<SearchHit[]>(wanted ? ofTrace(trace.id, `search${query({ q: wanted })}`) : null);
  const found = answer.data ?? [];
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
    else if (item) leave(placeOf(item));
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
        {!wanted && 'Names, thread ids, or “episode 3”'}
        {wanted && answer.isPending && 'Searching …'}
        {wanted && answer.data && found.length === 0 && `Nothing is called “${wanted}”`}
        {wanted && answer.error?.message}
        {found.length > 0 && '↑ ↓ to choose, Enter to go there, Shift Enter to pin its lane on the timeline'}
      </p>
    </dialog>
  );
}

/** Where a search hit is shown: a process or cgroup on the timeline when the timeline is open, else in the table of threads. */
function placeOf(item: SearchHit): Partial<Place> {
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
function laneKeyOf({ kind, id }: SearchHit): string | null {
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
