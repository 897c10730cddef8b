// Tables and columns with their meanings; a click writes the name into the query.

import { useState } from 'react';
import type { Schema } from '../../api/types';
import { FilterInput } from '../../components/FilterInput';
import { count } from '../../logic/units';
import styles from './Sql.module.css';

export function SchemaList({ schema, onInsert }: { schema: Schema; onInsert: (word: string) => void }) {
  const [filter, setFilter] = useState('');
  const text = filter.toLowerCase();
  const tables = schema.tables.filter(
    (table) =>
      !text || table.name.includes(text) || table.columns.some((column) => column.name.toLowerCase().includes(text)),
  );
  return (
    <>
      <FilterInput value={filter} change={setFilter} label="Find a table or column" />
      <ul className={styles.tables}>
        {tables.map((table) => (
          <li key={table.name}>
            <details open={text !== '' || undefined}>
              <summary title={table.meaning}>
                <b>{table.name}</b>{' '}
                <span className="muted">{table.rows === null ? 'made when asked for' : count(table.rows)}</span>
              </summary>
              <p className={styles.meaning}>{table.meaning}</p>
              <dl>
                {table.columns.map((column) => (
                  <div key={column.name}>
                    <dt>
                      <button type="button" onClick={() => onInsert(column.name)} title="Write it into the query">
                        {column.name}
                      </button>{' '}
                      <span className="muted">{column.type}</span>
                    </dt>
                    <dd>{column.meaning}</dd>
                  </div>
                ))}
              </dl>
            </details>
          </li>
        ))}
      </ul>
      <details className={styles.macros}>
        <summary>Macros</summary>
        <p>{schema.macros.join(', ')}</p>
      </details>
    </>
  );
}
