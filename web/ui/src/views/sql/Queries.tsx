// The queries that can be run by name: the user's own, which the browser keeps, and examples.

import { type FormEvent, useEffect, useRef, useState } from 'react';
import dialogStyles from '../../components/Dialog.module.css';
import { Icon } from '../../components/Icon';
import { EXAMPLES } from './examples';
import styles from './Sql.module.css';
import { keepQueries, type SavedQuery, useSavedQueries, withNewName, withoutQuery, withQuery } from './savedQueries';

interface QueriesProps {
  /** What is in the editor. */
  sql: string;
  run: (sql: string) => void;
  onClose: () => void;
}

/** Why a query is not stored. */
const NOT_STORED = 'This browser stores nothing for this page: the list ends when the page is left.';

export function Queries({ sql, run, onClose }: QueriesProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const undo = useRef<HTMLButtonElement>(null);
  const saved = useSavedQueries();
  const [message, setMessage] = useState('');
  const [deleted, setDeleted] = useState<SavedQuery | null>(null);
  const [renamed, setRenamed] = useState<string | null>(null);
  useEffect(() => dialog.current?.showModal(), []);
  useEffect(() => {
    if (deleted) undo.current?.focus();
  }, [deleted]);

  const keep = (list: SavedQuery[], done: string) => {
    setDeleted(null);
    setMessage(keepQueries(list) ? done : `${done} ${NOT_STORED}`);
  };
  // The browser gives the focus back when the dialog closes; its event leads to onClose.
  const close = () => dialog.current?.close();
  const leave = (query: string) => {
    run(query);
    close();
  };
  const rename = (from: string, to: string): boolean => {
    const list = withNewName(saved, from, to);
    if (list === null) {
      setMessage(`Another query is called “${to}”.`);
      return false;
    }
    keep(list, to === from ? '' : `“${from}” is now called “${to}”.`);
    setRenamed(to);
    return true;
  };
  return (
    <dialog ref={dialog} className={styles.queries} onClose={onClose} aria-labelledby="queries-title">
      <div className={dialogStyles.head}>
        <h2 id="queries-title">Queries</h2>
        <button type="button" className="quiet icon" onClick={close} aria-label="Close">
          <Icon name="close" />
        </button>
      </div>
      <div className={styles.queriesBody}>
        <SaveForm
          saved={saved}
          possible={sql.trim() !== ''}
          save={(name) => keep(withQuery(saved, { name, sql }), `“${name}” is saved.`)}
        />
        <p className={styles.message}>
          <span role="status">{message}</span>
          {deleted && (
            <button
              ref={undo}
              type="button"
              className="button"
              onClick={() => keep(withQuery(saved, deleted), `“${deleted.name}” is back.`)}
            >
              Undo
            </button>
          )}
        </p>
        <section aria-labelledby="queries-saved">
          <h3 id="queries-saved">Saved in this browser</h3>
          {saved.length === 0 && <p className="muted">None yet: name the query in the editor, and save it.</p>}
          <ul className={styles.list}>
            {saved.map((query) => (
              <SavedRow
                key={query.name}
                query={query}
                focused={query.name === renamed}
                run={() => leave(query.sql)}
                rename={(to) => rename(query.name, to)}
                remove={() => {
                  keep(withoutQuery(saved, query.name), `“${query.name}” is deleted.`);
                  setDeleted(query);
                }}
              />
            ))}
          </ul>
        </section>
        <section aria-labelledby="queries-examples">
          <h3 id="queries-examples">Examples</h3>
          <ul className={styles.list}>
            {EXAMPLES.map((example) => (
              <li key={example.title}>
                <button type="button" className={styles.run} onClick={() => leave(example.sql)} title={example.sql}>
                  {example.title}
                </button>
                <p>{example.answers}</p>
              </li>
            ))}
          </ul>
        </section>
      </div>
    </dialog>
  );
}

interface SaveFormProps {
  saved: readonly SavedQuery[];
  possible: boolean;
  save: (name: string) => void;
}

function SaveForm({ saved, possible, save }: SaveFormProps) {
  const [name, setName] = useState('');
  const wanted = name.trim();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!wanted || !possible) return;
    save(wanted);
    setName('');
  };
  return (
    <form className={styles.save} onSubmit={submit}>
      <label>
        <span>Name of the query in the editor</span>
        <input className="input" value={name} onChange={(event) => setName(event.target.value)} />
      </label>
      <button type="submit" className="button primary" disabled={!wanted || !possible}>
        {saved.some((query) => query.name === wanted) ? 'Replace' : 'Save'}
      </button>
    </form>
  );
}

interface SavedRowProps {
  query: SavedQuery;
  /** Just renamed: the focus returns to the row. */
  focused: boolean;
  run: () => void;
  /** False where the name is taken. */
  rename: (to: string) => boolean;
  remove: () => void;
}

function SavedRow({ query, focused, run, rename, remove }: SavedRowProps) {
  const [renaming, setRenaming] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    if (focused) button.current?.focus();
  }, [focused]);
  if (renaming)
    return (
      <li>
        <RenameForm
          name={query.name}
          done={(to) => {
            if (to === null || rename(to)) setRenaming(false);
          }}
        />
      </li>
    );
  return (
    <li>
      <button type="button" className={styles.run} onClick={run} title={query.sql}>
        {query.name}
      </button>
      <span className={styles.rowTools}>
        <button
          ref={button}
          type="button"
          className="quiet"
          onClick={() => setRenaming(true)}
          aria-label={`Rename ${query.name}`}
        >
          Rename
        </button>
        <button type="button" className="quiet" onClick={remove} aria-label={`Delete ${query.name}`}>
          Delete
        </button>
      </span>
      <p className={styles.preview}>{query.sql.replaceAll(/\s+/g, ' ')}</p>
    </li>
  );
}

/** `done(null)`: the name stays as it was. */
function RenameForm({ name, done }: { name: string; done: (to: string | null) => void }) {
  const [to, setTo] = useState(name);
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => field.current?.select(), []);
  return (
    <form
      className={styles.save}
      onSubmit={(event) => {
        event.preventDefault();
        if (to.trim()) done(to.trim());
      }}
    >
      <label>
        <span>New name of “{name}”</span>
        <input
          ref={field}
          className="input"
          value={to}
          onChange={(event) => setTo(event.target.value)}
          onKeyDown={(event) => {
            if (event.key !== 'Escape') return;
            event.preventDefault(); // else the dialog closes
            event.stopPropagation();
            done(null);
          }}
        />
      </label>
      <button type="submit" className="button" disabled={!to.trim()}>
        Rename
      </button>
      <button type="button" className="quiet" onClick={() => done(null)}>
        Keep the name
      </button>
    </form>
  );
}
