// The search box over the page: threads, processes, cgroups, events and episodes of the trace.

import { useEffect, useRef, useState } from 'react';
import { ofTrace, query } from '../api/client';
import { useJson } from '../api/hooks';
import type { Found, TraceSummary } from '../api/types';
import type { Place } from '../logic/place';
import { go } from '../navigation';
import { Icon } from './Icon';
import styles from './Search.module.css';

export function Search({ trace, onClose }: { trace: TraceSummary; onClose: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  const [text, setText] = useState('');
  const [at, setAt] = useState(0);
  const wanted = useSettled(text.trim(), 120);
  const answer = useJson<Found[]>(wanted ? ofTrace(trace.id, `search${query({ q: wanted })}`) : null);
  const found = answer.data ?? [];
  useEffect(() => dialog.current?.showModal(), []);

  const choose = (item: Found | undefined) => {
    if (!item) return;
    go(placeOf(item));
    onClose();
  };
  const onKey = (event: React.KeyboardEvent) => {
    if (event.key === 'ArrowDown') setAt(Math.min(at + 1, found.length - 1));
    else if (event.key === 'ArrowUp') setAt(Math.max(at - 1, 0));
    else if (event.key === 'Enter') choose(found[at]);
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
            onClick={() => choose(item)}
            onKeyDown={onKey}
          >
            <span className={styles.kind}>{item.kind}</span>
            <span>{item.label}</span>
          </div>
        ))}
      </div>
      <p className={styles.foot} role="status">
        {!wanted && 'Names, thread ids, or “episode 3”'}
        {wanted && answer.isPending && 'Searching …'}
        {wanted && answer.data && found.length === 0 && `Nothing is called “${wanted}”`}
        {wanted && answer.error?.message}
        {found.length > 0 && '↑ ↓ to choose, Enter to go there'}
      </p>
    </dialog>
  );
}

/** Where a find is shown. */
function placeOf(item: Found): Partial<Place> {
  const id = Number(item.id);
  switch (item.kind) {
    case 'episode':
      return { view: 'episodes', episode: id };
    case 'thread':
      return { view: 'timeline', utid: id };
    case 'process':
    case 'cgroup':
      return { view: 'threads', filter: item.label };
    case 'event': {
      const ts = item.ts_ns ?? 0;
      return { view: 'timeline', window: { start: Math.max(ts - 500_000, 0), end: ts + 500_000 } };
    }
  }
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
