// The verdict in one sentence, its figures set off, and a line about trust that cannot be missed.

import type { Verdict } from '../../api/types';
import { Icon } from '../../components/Icon';
import { EpisodeLink } from '../../components/Links';
import { headline } from '../../logic/words';
import { checksOf } from './DataQuality';
import { alarmOfVerdict } from './Figures';
import styles from './Verdict.module.css';

export function Sentence({ verdict }: { verdict: Verdict }) {
  const [head, rest] = headline(verdict.sentence);
  const worst = verdict.worst[0];
  const none = verdict.wasted.core_s === 0 && verdict.data_quality.suspect.length === 0;
  const sound = verdict.degraded.length === 0 && checksOf(verdict).every(([good]) => good);
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
      {verdict.notes.length > 0 && (
        <p className={styles.banner} data-sound={sound}>
          <Icon name={sound ? 'check' : 'warn'} />
          <span>
            {verdict.notes[0]}
            {verdict.notes.length > 1 && (
              <>
                {' · '}
                <button type="button" className={styles.more} onClick={toTrust}>
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
  const room = (span.end_ns - span.start_ns) / 8 || 1000;
  return { start: Math.max(Math.round(span.start_ns - room), 0), end: Math.round(span.end_ns + room) };
}

/** The text with its numbers set off. */
function figures(text: string) {
  return text.split(/(\d[\d.,]*(?: (?:s|ms|µs|ns|%))?)/).map((part, index) =>
    // biome-ignore lint/suspicious/noArrayIndexKey: parts of one fixed text
    index % 2 === 1 ? <em key={index}>{part}</em> : part,
  );
}

function toTrust() {
  document.getElementById('data-quality')?.scrollIntoView({ behavior: 'smooth', block: 'center' });
}
