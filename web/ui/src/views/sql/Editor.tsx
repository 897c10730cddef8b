// CodeMirror with SQL, completing the trace's tables and columns.

import { PostgreSQL, sql } from '@codemirror/lang-sql';
import { HighlightStyle, syntaxHighlighting } from '@codemirror/language';
import { Compartment, EditorState } from '@codemirror/state';
import { EditorView, keymap } from '@codemirror/view';
import { tags } from '@lezer/highlight';
import { basicSetup } from 'codemirror';
import { type RefObject, useEffect, useImperativeHandle, useRef } from 'react';
import type { Schema } from '../../api/types';
import styles from './Sql.module.css';

export interface EditorHandle {
  /** Puts a word where the cursor is. */
  insert(word: string): void;
}

interface EditorProps {
  handle: RefObject<EditorHandle | null>;
  text: string;
  schema: Schema | undefined;
  onChange: (text: string) => void;
  onRun: (text: string) => void;
}

const editorTheme = EditorView.theme({
  '&': { height: '100%', fontSize: '13px', backgroundColor: 'var(--surface)', color: 'var(--text)' },
  '&.cm-focused': { outline: 'none' },
  // Of text and numbers alike: the numbers drift from their lines otherwise.
  '.cm-scroller': { fontFamily: 'var(--mono)', lineHeight: '19px' },
  '.cm-content': { caretColor: 'var(--text)' },
  '.cm-cursor': { borderLeftColor: 'var(--text)' },
  '.cm-gutters': { backgroundColor: 'var(--surface)', color: 'var(--text-3)', border: 'none' },
  '.cm-activeLine, .cm-activeLineGutter': { backgroundColor: 'var(--hover)' },
  '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground': {
    backgroundColor: 'var(--accent-soft)',
  },
  '.cm-tooltip': { backgroundColor: 'var(--raised)', border: '1px solid var(--line)', color: 'var(--text)' },
  '.cm-matchingBracket': { backgroundColor: 'var(--accent-soft) !important' },
});

const colours = HighlightStyle.define([
  { tag: tags.keyword, color: 'var(--accent)', fontWeight: '600' },
  { tag: [tags.string, tags.special(tags.string)], color: 'var(--good)' },
  { tag: [tags.number, tags.bool, tags.null], color: 'var(--wasted)' },
  { tag: tags.comment, color: 'var(--text-3)' },
  { tag: [tags.typeName, tags.standard(tags.name)], color: 'var(--waiting)' },
]);

export function Editor({ handle, text, schema, onChange, onRun }: EditorProps) {
  const host = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView | null>(null);
  const language = useRef(new Compartment());
  const calls = useRef({ onChange, onRun });
  useEffect(() => {
    calls.current = { onChange, onRun };
  });

  // biome-ignore lint/correctness/useExhaustiveDependencies: made once; text and schema are handed on below
  useEffect(() => {
    const run = (editor: EditorView) => {
      calls.current.onRun(editor.state.doc.toString());
      return true;
    };
    const state = EditorState.create({
      doc: text,
      extensions: [
        keymap.of([{ key: 'Mod-Enter', run }]),
        basicSetup,
        language.current.of(sql({ dialect: PostgreSQL })),
        EditorView.lineWrapping,
        // What scrolls has the focus; that of an editable element is not seen by all tools.
        EditorView.contentAttributes.of({ 'aria-label': 'SQL query', tabindex: '0' }),
        EditorView.updateListener.of((update) => {
          if (update.docChanged) calls.current.onChange(update.state.doc.toString());
        }),
        editorTheme,
        syntaxHighlighting(colours),
      ],
    });
    const editor = new EditorView({ state, parent: host.current as HTMLDivElement });
    view.current = editor;
    return () => editor.destroy();
  }, []);

  useEffect(() => {
    const editor = view.current;
    if (!editor || editor.state.doc.toString() === text) return;
    editor.dispatch({ changes: { from: 0, to: editor.state.doc.length, insert: text } });
  }, [text]);

  useEffect(() => {
    if (!schema) return;
    const tables = Object.fromEntries(
      schema.tables.map((table) => [table.name, table.columns.map((column) => column.name)]),
    );
    view.current?.dispatch({ effects: language.current.reconfigure(sql({ dialect: PostgreSQL, schema: tables })) });
  }, [schema]);

  useImperativeHandle(handle, () => ({
    insert: (word) => {
      const editor = view.current;
      if (!editor) return;
      editor.dispatch(editor.state.replaceSelection(word));
      editor.focus();
    },
  }));
  return <div ref={host} className={styles.code} />;
}
