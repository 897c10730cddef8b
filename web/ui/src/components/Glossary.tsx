// The glossary, with a field to find a term: in the help of the page and of a report.

import { useState } from 'react';
import { GLOSSARY } from '../logic/glossary';
import { FilterInput } from './FilterInput';
import styles from './Help.module.css';

export function Glossary() {
  const [filter, setFilter] = useState('');
  const text = filter.trim().toLowerCase();
  const groups = GLOSSARY.map(({ title, terms }) => ({
    title,
    terms: terms.filter(({ name, meaning }) => `${name} ${meaning}`.toLowerCase().includes(text)),
  })).filter(({ terms }) => terms.length > 0);
  return (
    <section className={styles.glossary}>
      <h3>Terms</h3>
      <FilterInput value={filter} change={setFilter} label="Find a term" />
      {groups.length === 0 && <p role="status">No term contains “{filter.trim()}”.</p>}
      {groups.map(({ title, terms }) => (
        <details key={title} open={text !== '' || undefined}>
          <summary>{title}</summary>
          <dl className={styles.words}>
            {terms.map(({ name, meaning }) => (
              <div key={name}>
                <dt>{name}</dt>
                <dd>{meaning}</dd>
              </div>
            ))}
          </dl>
        </details>
      ))}
    </section>
  );
}
