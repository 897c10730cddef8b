// A page about the selected range: saved by the browser, or by a command to paste.

import { useState } from 'react';
import { file, ofTrace, query } from '../../api/client';
import type { TraceSummary } from '../../api/types';
import { copyText } from '../../clipboard';
import { Icon } from '../../components/Icon';
import { download } from '../../download';
import type { Selection } from '../../logic/place';
import styles from './RangeWaits.module.css';

const pageName = (trace: TraceSummary) => `${trace.name.replace(/\.duckdb$/, '')}-range.html`;

/** Of all CPUs and threads: a report has no other range. */
export function reportCommand(trace: TraceSummary, { start, end }: Selection): string {
  const page = quoted(pageName(trace));
  return `wastenot report ${quoted(trace.name)} --window ${Math.round(start)}..${Math.round(end)} -o ${page}`;
}

/** As a shell takes it for one word, and never for an option. */
const quoted = (word: string) => {
  const safe = word.startsWith('-') ? `./${word}` : word;
  return /^[\w.,:/+-]+$/.test(safe) ? safe : `'${safe.replaceAll("'", `'\\''`)}'`;
};

/** Has the server make the page and hands it to the user; returns what is said of it. */
async function savePage(trace: TraceSummary, { start, end }: Selection): Promise<string> {
  const range = query({ start: Math.round(start), end: Math.round(end) });
  try {
    download(pageName(trace), await file(ofTrace(trace.id, `report${range}`)));
    return 'Saved';
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

export function ReportCommand({ trace, selection }: { trace: TraceSummary; selection: Selection }) {
  const [copied, setCopied] = useState('');
  const [notice, setNotice] = useState('');
  const [making, setMaking] = useState(false);
  const command = reportCommand(trace, selection);
  const part = selection.cpus !== null || selection.lanes !== undefined;
  const copy = async () => setCopied((await copyText(command)) ? 'Copied' : 'The browser does not permit copying');
  const save = async () => {
    if (making) return;
    setMaking(true);
    setNotice('Making the page …');
    setNotice(await savePage(trace, selection));
    setMaking(false);
  };
  return (
    <p className={styles.note}>
      <button type="button" className="button" aria-disabled={making} onClick={() => void save()}>
        <Icon name="download" /> Save a page of this time
      </button>{' '}
      to send: it opens without a server{part && ' and is of all CPUs'}. <output>{notice}</output> In a terminal:{' '}
      <code>{command}</code>{' '}
      <button type="button" className="quiet icon" aria-label="Copy the command" onClick={() => void copy()}>
        <Icon name="copy" />
      </button>{' '}
      <output>{copied}</output>
    </p>
  );
}
