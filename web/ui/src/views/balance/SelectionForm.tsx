// Which threads are the ranks: found by themselves, or named as `wastenot balance` takes it.

import { type FormEvent, useState } from 'react';
import { go } from '../../navigation';
import styles from './Balance.module.css';

const FIELDS = ['app', 'cgroup', 'bubble'] as const;
type Field = (typeof FIELDS)[number];
export type BalanceSelection = Partial<Record<Field, string>>;

/** Titles, and what each field may hold. */
const WORDS: Readonly<Record<Field, readonly [title: string, example: string]>> = {
  app: ['Name of thread or process', 'bt-mz*'],
  cgroup: ['Cgroup', '/path'],
  bubble: ['Bubble', 'number'],
};

/** What of the address selects threads. */
export function selectionOf(params: Readonly<Record<string, string>>): BalanceSelection {
  return Object.fromEntries(FIELDS.filter((field) => params[field]).map((field) => [field, params[field]]));
}

/** It starts from what the address has; another address makes it anew. */
export function SelectionForm({ selection }: { selection: BalanceSelection }) {
  const [texts, setTexts] = useState<BalanceSelection>(selection);
  const measure = (event: FormEvent) => {
    event.preventDefault();
    const given = FIELDS.map((field) => [field, texts[field]?.trim()] as const).filter(([, text]) => text);
    go({ params: Object.fromEntries(given) as Record<string, string> });
  };
  return (
    <form className={`${styles.bar} no-print`} onSubmit={measure} aria-label="Which threads are the ranks">
      {FIELDS.map((field) => (
        <label key={field} className={styles.field}>
          <span>{WORDS[field][0]}</span>
          <input
            className="input"
            value={texts[field] ?? ''}
            placeholder={WORDS[field][1]}
            spellCheck={false}
            autoCapitalize="off"
            onChange={(event) => setTexts({ ...texts, [field]: event.target.value })}
          />
        </label>
      ))}
      <button type="submit" className="button">
        Measure
      </button>
      {Object.keys(selection).length > 0 && (
        <button type="button" className="quiet" onClick={() => go({ params: {} })}>
          Find applications
        </button>
      )}
    </form>
  );
}
