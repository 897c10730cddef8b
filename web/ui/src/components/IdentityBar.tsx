// Which recording the page is about: a line below the header, and all of it in a dialog.

import { useEffect, useRef } from 'react';
import { EVIDENCE_STATE_SENTENCES, EVIDENCE_STATE_WORDS } from '../../../../schemas/ts/schema';
import { useIdentity } from '../api/hooks';
import type { Identity, TraceSummary } from '../api/types';
import {
  endWords,
  evidenceGroups,
  identityLine,
  levelWords,
  shortTopology,
  unknownTopology,
  wallClockSpan,
} from '../logic/identity';
import { bytes, duration, plural } from '../logic/units';
import dialogStyles from './Dialog.module.css';
import { Icon } from './Icon';
import styles from './IdentityBar.module.css';
import { Ready } from './States';

interface IdentityBarProps {
  trace: TraceSummary;
  open: boolean;
  onOpen: () => void;
  onClose: () => void;
}

export function IdentityBar({ trace, open, onOpen, onClose }: IdentityBarProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const identity = useIdentity(trace.id);
  useEffect(() => {
    if (open) dialog.current?.showModal();
    else dialog.current?.close();
  }, [open]);
  return (
    <>
      <button
        type="button"
        className={styles.strip}
        onClick={onOpen}
        aria-haspopup="dialog"
        title="About this recording (i)"
      >
        <span className="unseen">About this recording: </span>
        {identity.data ? <Line identity={identity.data} /> : identity.error ? 'could not be read' : ''}
      </button>
      <dialog ref={dialog} className={styles.panel} onClose={onClose} aria-labelledby="identity-title">
        <div className={dialogStyles.head}>
          <h2 id="identity-title">About this recording</h2>
          <button type="button" className="quiet icon" onClick={onClose} aria-label="Close">
            <Icon name="close" />
          </button>
        </div>
        {open && (
          <div className={styles.body}>
            <Ready of={identity} what="Reading what the trace says about itself" height={240}>
              {(data) => <IdentityFacts trace={trace} identity={data} />}
            </Ready>
          </div>
        )}
      </dialog>
    </>
  );
}

function Line({ identity }: { identity: Identity }) {
  const { parts, missing } = identityLine(identity);
  return (
    <>
      {parts.join(' · ')}
      {missing.length > 0 && <span className={styles.missing}> · not recorded: {missing.join(', ')}</span>}
    </>
  );
}

export function IdentityFacts({ trace, identity }: { trace: TraceSummary; identity: Identity }) {
  const { start_ns, end_ns, notes, unverified } = identity;
  const unknown = unknownTopology(identity);
  return (
    <>
      <dl className={styles.facts}>
        <Fact name="Trace">
          {trace.name}, {bytes(trace.size_bytes)}, {plural(identity.events, 'event')}
        </Fact>
        <Fact name="Recorded">{wallClockSpan(identity)}</Fact>
        <Fact name="Length">
          {duration(end_ns - start_ns)}, ended {endWords(identity.end_reason)}
          {!identity.complete && '; cut short: the recorder did not stop by itself'}
        </Fact>
        <Fact name="Host">{identity.host}</Fact>
        <Fact name={identity.live ? 'Command' : 'Command line'}>
          {identity.command && (
            <>
              <code>{identity.command}</code>
              {!identity.live && <small> of the recording, or of the import or simulation that made the trace</small>}
            </>
          )}
        </Fact>
        <Fact name="Kernel">{identity.kernel && `Linux ${identity.kernel}`}</Fact>
        <Fact name="Preemption">{identity.preemption}</Fact>
        {identity.sched_ext && <Fact name="sched_ext">{identity.sched_ext}</Fact>}
        <Fact name="Processor">{identity.model}</Fact>
        <Fact name="Architecture">{identity.arch}</Fact>
        <Fact name="Topology">
          {shortTopology(identity)}
          {unknown.length > 0 && <span className="muted">; not recorded: {unknown.join(', ')}</span>}
        </Fact>
        <Fact name="Recorder">
          {identity.recorder}, source {identity.source}, clock {identity.clock}
        </Fact>
        <Fact name="Evidence level">
          {identity.evidence_level}: {levelWords(identity.evidence_level)}
        </Fact>
        <Fact name="Evidence of causes">
          <EvidenceList identity={identity} excuses={false} />
        </Fact>
        <Fact name="Evidence of excuses">
          <EvidenceList identity={identity} excuses />
        </Fact>
      </dl>
      <Remarks title="What else limits the trace" of={notes} />
      <Remarks title="What wastenot was not verified on" of={unverified} />
    </>
  );
}

/** A fact with its name; without a value it is said to be not recorded. */
function Fact({ name, children }: { name: string; children: React.ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children || <span className="muted">not recorded</span>}</dd>
    </div>
  );
}

function EvidenceList({ identity, excuses }: { identity: Identity; excuses: boolean }) {
  return (
    <ul className={styles.evidence}>
      {evidenceGroups(identity, excuses).map(({ state, why, kinds }) => (
        <li key={`${state}/${why}`} data-state={state}>
          <b title={EVIDENCE_STATE_SENTENCES[state]}>{EVIDENCE_STATE_WORDS[state]}</b>
          {why && ` (${why})`}: {kinds.join(', ')}
        </li>
      ))}
    </ul>
  );
}

function Remarks({ title, of }: { title: string; of: readonly string[] }) {
  if (of.length === 0) return null;
  return (
    <section className={styles.limits}>
      <h3>{title}</h3>
      <ul className={styles.remarks}>
        {of.map((text) => (
          <li key={text}>{text}</li>
        ))}
      </ul>
    </section>
  );
}
