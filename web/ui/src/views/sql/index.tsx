// SQL over the trace: an editor that knows the schema, the schema with its meanings beside it, saved queries and examples,
// the result as table or chart.

import { useMutation } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { ofTrace, table } from '../../api/client';
import { useJson } from '../../api/hooks';
import type { Schema } from '../../api/types';
import { EvidenceGaps } from '../../components/EvidenceGaps';
import { Empty, Failed, Loading, Ready } from '../../components/States';
import { causeNeeds } from '../../logic/gaps';
import { adjust, usePlace } from '../../navigation';
import type { ViewProps } from '../registry';
import { Editor, type EditorHandle } from './Editor';
import { EXAMPLES } from './examples';
import { Queries } from './Queries';
import { Result } from './Result';
import { SchemaList } from './SchemaList';
import styles from './Sql.module.css';

const MAX_ROWS = 10_000;
/** Tables of events: no row does not mean that there was none. */
const NEEDS = causeNeeds('its rows and columns are missing');

export default function SqlView({ trace }: ViewProps) {
  const { params } = usePlace();
  const [text, setText] = useState(params.sql ?? (EXAMPLES[0]?.sql as string));
  const [queries, setQueries] = useState(false);
  const editor = useRef<EditorHandle>(null);
  const schema = useJson<Schema>(ofTrace(trace.id, 'schema'));
  const abort = useRef<AbortController | null>(null);
  const run = useMutation({
    mutationFn: (sql: string) => {
      abort.current?.abort();
      abort.current = new AbortController();
      return table(ofTrace(trace.id, 'sql'), abort.current.signal, { sql, limit: MAX_ROWS });
    },
  });
  const cancelled = run.error?.name === 'AbortError' && !run.isPending;
  const start = (sql: string) => {
    if (!sql.trim()) return;
    adjust({ params: { ...params, sql } });
    run.mutate(sql);
  };
  // A link to a query is a link to its result.
  const linked = useRef<string | null>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs when another query is linked to, not when the user types
  useEffect(() => {
    if (!params.sql || params.sql === linked.current || params.sql === run.variables) return;
    linked.current = params.sql;
    setText(params.sql);
    run.mutate(params.sql);
  }, [params.sql]);
  useEffect(() => () => abort.current?.abort(), []);

  return (
    <div className={styles.page}>
      <div className={styles.work}>
        <div className={styles.editor}>
          <Editor handle={editor} text={text} schema={schema.data} onChange={setText} onRun={start} />
          <div className={styles.actions}>
            <button type="button" className="button primary" onClick={() => start(text)} disabled={run.isPending}>
              Run
            </button>
            {run.isPending && (
              <button type="button" className="button" onClick={() => abort.current?.abort()}>
                Cancel
              </button>
            )}
            <span className="muted">
              <kbd>Ctrl</kbd> <kbd>Enter</kbd>
            </span>
            <button
              type="button"
              className={`button ${styles.open}`}
              onClick={() => setQueries(true)}
              aria-haspopup="dialog"
              title="Saved queries and examples"
            >
              Queries …
            </button>
          </div>
        </div>
        <div className={styles.result}>
          {run.isPending && <Loading what="Running the query" height={200} />}
          {run.error && !run.isPending && !cancelled && <Failed error={run.error} title="The query was refused" />}
          {cancelled && <Empty title="Cancelled">The query was ended; it read only, so nothing is left of it.</Empty>}
          {run.data && !run.isPending && <Result trace={trace} table={run.data} />}
          {run.isIdle && (
            <Empty title="Results appear here">Queries only read; the link in the address bar keeps them.</Empty>
          )}
        </div>
      </div>
      <aside className={styles.schema} aria-label="Tables and columns">
        <EvidenceGaps trace={trace} needs={NEEDS} />
        <Ready of={schema} what="Reading the schema" height={300}>
          {(data) => <SchemaList schema={data} onInsert={(word) => editor.current?.insert(word)} />}
        </Ready>
      </aside>
      {queries && (
        <Queries
          sql={text}
          run={(sql) => {
            setText(sql);
            start(sql);
          }}
          onClose={() => setQueries(false)}
        />
      )}
    </div>
  );
}
