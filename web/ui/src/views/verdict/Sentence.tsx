// How much was wasted, how sure and how bad; why; what was excused and not recorded; and whether anything casts doubt on it.
// The order and the sentences are those of `wastenot check`; the kernel's release is in the line about the recording.

import type { Verdict } from '../../api/types';
import { Proof } from '../../components/CauseText';
import { CommandText } from '../../components/CommandText';
import { VerdictGaps } from '../../components/EvidenceGaps';
import { Icon } from '../../components/Icon';
import { EpisodeLink } from '../../components/Links';
import { Severity } from '../../components/Severity';
import { Unbroken } from '../../components/Unbroken';
import { coreSeconds, percent } from '../../logic/units';
import { gradeWords, headline } from '../../logic/words';
import { checksOf } from './DataQuality';
import { alarmOfVerdict } from './Figures';
import styles from './Verdict.module.css';

export function Sentence({ verdict }: { verdict: Verdict }) {
  const { text } = verdict;
  const [head, rest] = headline(text);
  const worst = verdict.worst[0];
  const none = verdict.wasted.core_s === 0 && verdict.data_quality.suspect.length === 0;
  const sound = verdict.data_quality.notes.length === 0 && checksOf(verdict).every(([good]) => good);
  return (
    <header className={styles.hero} data-guide="sentence">
      <h1 className={none ? styles.good : undefined} data-alarm={alarmOfVerdict(verdict)}>
        {worst ? (
          <EpisodeLink episode={worst.id} window={around(worst)} title="Show the worst episode">
            {figures(head)}
          </EpisodeLink>
        ) : (
          figures(head)
        )}
      </h1>
      {rest && (
        <p className={styles.rest}>
          <Unbroken text={rest} />
        </p>
      )}
      <HowBad verdict={verdict} />
      {verdict.main_reason && <MainReason reason={verdict.main_reason} prevented={text.prevented} />}
      {text.needed && (
        <p className={styles.line}>
          <CommandText text={text.needed} />
        </p>
      )}
      {text.excused && (
        <p className={styles.line}>
          <Unbroken text={text.excused} />
        </p>
      )}
      <div className={styles.gaps}>
        <VerdictGaps verdict={verdict} />
      </div>
      {verdict.notes.length > 0 && (
        <p className={styles.banner} data-sound={sound}>
          <Icon name={sound ? 'check' : 'warn'} />
          <span>
            {verdict.notes[0]}
            {verdict.notes.length > 1 && (
              <>
                {' · '}
                <button type="button" className={styles.more} onClick={toDataQuality}>
                  {verdict.notes.length - 1} more
                </button>
              </>
            )}
          </span>
        </p>
      )}
    </header>
  );
}

/** The worst severity and what it means; nothing where only short intervals were wasted, or the verdict is in doubt. */
function HowBad({ verdict: { severity, text, wasted } }: { verdict: Verdict }) {
  if (severity === null || text.severity === '') return null;
  return (
    <p className={styles.severity}>
      Severity:{' '}
      <Severity level={severity}>
        {gradeWords(severity)}
        {wasted.certain_core_s === 0 && ', if so'}
      </Severity>
      <span className="unseen">:</span> {text.grade_bounds[severity]}
    </p>
  );
}

/** Why most of it was wasted: each answer with its proof and share, and the way to what proves it and what to do. */
function MainReason({ reason, prevented }: { reason: NonNullable<Verdict['main_reason']>; prevented: string }) {
  return (
    <section className={styles.reason} aria-labelledby="main-reason">
      <h2 id="main-reason">
        Main reason: {percent(reason.share)} of the waste, {coreSeconds(reason.core_s)}
      </h2>
      <ul>
        {reason.answers.map(({ question, clause, proof, share, proved, others }) => (
          <li key={question}>
            {clause.charAt(0).toUpperCase()}
            {clause.slice(1)} <Proof level={proof} />
            {share !== null && ` for ${percent(share)} of it`}
            {proved !== null && `, ${percent(proved)} ${share === null ? 'of it' : 'of that'} proved`}
            {others.map((other) => (
              <span key={other.clause}>
                , {other.clause} ({percent(other.share)})
              </span>
            ))}
          </li>
        ))}
        {reason.answers.length === 0 && <li>Not known</li>}
      </ul>
      {prevented && <p>{prevented}</p>}
      {reason.episode !== null && (
        <p>
          <EpisodeLink episode={reason.episode}>What proves it, what else fits, and what to do</EpisodeLink>: episode{' '}
          {reason.episode}
        </p>
      )}
    </section>
  );
}

/** An episode's window with an eighth of its length on either side. */
export function around(span: { start_ns: number; end_ns: number }): { start: number; end: number } {
  const margin = (span.end_ns - span.start_ns) / 8 || 1000;
  return { start: Math.max(Math.round(span.start_ns - margin), 0), end: Math.round(span.end_ns + margin) };
}

/** The text with its numbers set off. */
function figures(text: string) {
  return text.split(/(\d[\d.,]*(?: (?:s|ms|µs|ns|%))?)/).map((part, index) =>
    // biome-ignore lint/suspicious/noArrayIndexKey: parts of one fixed text
    index % 2 === 1 ? <em key={index}>{part}</em> : part,
  );
}

function toDataQuality() {
  document.getElementById('data-quality')?.scrollIntoView({ behavior: 'smooth', block: 'center' });
}
