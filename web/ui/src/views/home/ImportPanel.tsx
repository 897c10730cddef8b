// Drop a trace on the page, or choose one: it is sent to the server, which imports it; progress all the way.

import { useEffect, useRef, useState } from 'react';
import { ApiError, address, json, query } from '../../api/client';
import type { Job } from '../../api/types';
import { Icon } from '../../components/Icon';
import { useFileDrop } from '../../components/useFileDrop';
import { bytes, plural } from '../../logic/units';
import { go } from '../../navigation';
import { takeDropped } from './droppedFile';
import styles from './Home.module.css';

type ImportStep =
  | { kind: 'idle' }
  | { kind: 'sending'; name: string; sent: number; total: number; cancel: () => void }
  | { kind: 'importing'; name: string; job: Job | null; cancel: () => void }
  | { kind: 'failed'; name: string; error: string };

/** `onDone` is waited for before the new trace is shown. */
export function ImportPanel({ onDone }: { onDone: () => Promise<unknown> }) {
  const [step, setStep] = useState<ImportStep>({ kind: 'idle' });
  const [affinity, setAffinity] = useState('');
  const input = useRef<HTMLInputElement>(null);
  const start = (file: File | undefined) => {
    if (!file || step.kind === 'sending' || step.kind === 'importing') return; // one at a time
    importFile(file, affinity.trim(), setStep).then(
      async (trace) => {
        await onDone();
        setStep({ kind: 'idle' });
        if (trace) go({ trace });
      },
      (error: unknown) => {
        setStep({ kind: 'failed', name: file.name, error: error instanceof Error ? error.message : String(error) });
      },
    );
  };
  const over = useFileDrop(start);
  // A file that was dropped on a view led here.
  useEffect(() => start(takeDropped()));
  const place = useRef<HTMLElement>(null);
  // Below a long list of traces progress and refusals would not be seen.
  useEffect(() => {
    if (step.kind !== 'idle') place.current?.scrollIntoView({ block: 'nearest' });
  }, [step.kind]);

  return (
    <section ref={place} className={`${styles.drop} ${over ? styles.over : ''}`} aria-label="Import a trace">
      {(step.kind === 'idle' || step.kind === 'failed') && (
        <>
          {step.kind === 'failed' && (
            <p className={styles.error} role="alert">
              {step.error.startsWith(`${step.name}: `) ? step.error : `${step.name}: ${step.error}`}
            </p>
          )}
          <p>Drop a trace anywhere on this page: trace.dat, perf.data, CTF archive, ftrace text, Perfetto, DuckDB</p>
          <div style={{ display: 'flex', gap: 8, flexWrap: 'wrap', justifyContent: 'center' }}>
            <button type="button" className="button" onClick={() => input.current?.click()}>
              <Icon name="upload" /> Choose a file
            </button>
            <input
              className="input"
              value={affinity}
              onChange={(event) => setAffinity(event.target.value)}
              placeholder="affinity, as hog*=0-3"
              aria-label="Declared affinity: NAME=CPUS, where the trace does not say"
            />
          </div>
          <input ref={input} type="file" hidden onChange={(event) => start(event.target.files?.[0])} />
        </>
      )}
      {step.kind === 'sending' && (
        <div className={styles.progress}>
          <p>
            Sending {step.name}: {bytes(step.sent)} of {bytes(step.total)}
          </p>
          <progress value={step.sent} max={step.total} aria-label="Sent" />
          <button type="button" className="quiet" onClick={step.cancel}>
            Cancel
          </button>
        </div>
      )}
      {step.kind === 'importing' && (
        <div className={styles.progress}>
          <p>
            Importing {step.name}
            {step.job?.phase && `: ${step.job.phase}`}
            {step.job?.events ? `, ${plural(step.job.events, 'event')}` : ''}
            {step.job?.left_s != null && `, ${Math.ceil(step.job.left_s)} s left`}
          </p>
          <progress aria-label="Importing" />
          <button type="button" className="quiet" onClick={step.cancel}>
            Cancel
          </button>
        </div>
      )}
    </section>
  );
}

/** Id of the imported trace; null when it was cancelled. Throws ApiError with the server's one line. */
async function importFile(file: File, affinity: string, show: (step: ImportStep) => void): Promise<string | null> {
  const name = file.name;
  const taken = await send(file, affinity, (sent, cancel) =>
    show({ kind: 'sending', name, sent, total: file.size, cancel }),
  );
  if (taken === null) return null;
  const { job } = taken;
  let cancelled = false;
  const cancel = () => {
    cancelled = true;
    void json(`jobs/${job}`, { method: 'DELETE' }).catch(() => {});
  };
  show({ kind: 'importing', name, job: null, cancel });
  for (;;) {
    await new Promise((resolve) => setTimeout(resolve, 300));
    if (cancelled) return null;
    const state = await json<Job>(`jobs/${job}`);
    if (state.state === 'done') return state.trace;
    if (state.state === 'failed') throw new ApiError(state.error ?? 'the import failed', 0);
    show({ kind: 'importing', name, job: state, cancel });
  }
}

/** XMLHttpRequest, since fetch does not report how much of a body was sent. null when it was cancelled. */
function send(
  file: File,
  affinity: string,
  sent: (bytes: number, cancel: () => void) => void,
): Promise<{ job: string } | null> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open('POST', address(`traces${query({ name: file.name, affinity: affinity || null })}`));
    request.responseType = 'json';
    const cancel = () => request.abort();
    request.upload.onprogress = (event) => sent(event.loaded, cancel);
    request.onabort = () => resolve(null);
    request.onerror = () => reject(new ApiError('the connection broke while sending', 0));
    request.onload = () => {
      if (request.status === 202) resolve(request.response);
      else reject(new ApiError(request.response?.error ?? `${request.status} ${request.statusText}`, request.status));
    };
    sent(0, cancel);
    request.send(file);
  });
}
