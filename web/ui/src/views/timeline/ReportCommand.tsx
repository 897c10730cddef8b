// The command that makes a page about the selected range, to paste.

import { useState } from 'react';
import type { TraceSummary } from '../../api/types';
import { copyText } from '../../clipboard';
import { Icon } from '../../components/Icon';
import type { Selection } from '../../logic/place';
import styles from './RangeWaits.module.css';

/** Of all CPUs and threads: a report has no other range. */
export function reportCommand(trace: TraceSummary, { start, end }: Selection): string {
  const page = `${trace.name.replace(/\.duckdb$/, '')}-range.html`;
  return `wastenot report ${quoted(trace.name)} --window ${Math.round(start)}..${Math.round(end)} -o ${quoted(page)}`;
}

/** As a shell takes it for one word, and never for an option. */
const quoted = (word: string) => {
  const safe = word.startsWith('-') ? `./${word}` : word;
  return /^[\w.,:/+-]+$/.test(safe) ? safe : `'${safe.replaceAll("'", `'\\''`)}'`;
};

export function ReportCommand({ trace, selection }: { trace: TraceSummary; selection: Selection }) {
  const [notice, setNotice] = useState('');
  const command = reportCommand(trace, selection);
  const part = selection.cpus !== null || selection.lanes !== undefined;
  const copy = async () => setNotice((await copyText(command)) ? 'Copied' : 'The browser does not permit copying');
  return (
    <p className={styles.note}>
      A page of this time{part && ', on all CPUs'}: <code>{command}</code>{' '}
      <button type="button" className="quiet icon" aria-label="Copy the command" onClick={() => void copy()}>
        <Icon name="copy" />
      </button>{' '}
      <output>{notice}</output>
    </p>
  );
}
