// How much was wasted and how sure; why; what was excused and not recorded; and whether anything casts doubt on it. The order and
// the sentences are those of `wastenot check`.

import type { Verdict } from '../../api/types';
import { Icon } from '../../components/Icon';
import { EpisodeLink } from '../../components/Links';
import { headline } from '../../logic/words';
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
      {rest && <p className={styles.rest}>{rest}</p>}
      {text.main_reason && <p className={styles.reason}>{text.main_reason}</p>}
      {text.needed && <p className={styles.line}>{withCommands(text.needed)}</p>}
      {text.excused && <p className={styles.line}>{text.excused}</p>}
      {text.not_recorded && <p className={styles.line}>{text.not_recorded}</p>}
      {text.kernel && <p className={styles.line}>Linux {text.kernel}.</p>}
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

/** The text with what stands in backticks, as commands do, set as code. */
function withCommands(text: string) {
  return text.split('`').map((part, index) =>
    // biome-ignore lint/suspicious/noArrayIndexKey: parts of one fixed text
    index % 2 === 1 ? <code key={index}>{part}</code> : part,
  );
}

function toDataQuality() {
  document.getElementById('data-quality')?.scrollIntoView({ behavior: 'smooth', block: 'center' });
}
