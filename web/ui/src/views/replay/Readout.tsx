// The figures of this instant.

import { EpisodeLink } from '../../components/Links';
import { Severity } from '../../components/Severity';
import { PartlyLoaded } from '../../components/States';
import { severityWords } from '../../logic/words';
import { type FigureFeed, useFigures } from './figureFeed';
import styles from './Replay.module.css';
import type { ReplayData } from './useReplayData';
import { worstOf } from './worst';

/** Nanoseconds in groups of three, so that every digit can be read: `0.564 123 456`. */
export function clockText(ns: number): string {
  const whole = Math.max(0, Math.round(ns));
  const s = Math.floor(whole / 1e9);
  const rest = String(whole % 1e9).padStart(9, '0');
  return `${s}.${rest.slice(0, 3)} ${rest.slice(3, 6)} ${rest.slice(6)}`;
}

export function Readout({ figureFeed }: { figureFeed: FigureFeed }) {
  const now = useFigures(figureFeed);
  const figure = (value: number) => (now.known ? value : '–');
  return (
    <div className={styles.readout}>
      <output className={styles.clock} aria-label="Time since the start of the trace, in seconds">
        {clockText(now.at)}
        <small> s</small>
      </output>
      <span className={now.known && now.wasted > 0 ? styles.wasted : styles.none}>
        <b>{figure(now.wasted)}</b> wasted
        {now.known && now.certain < now.wasted && <small> ({now.certain} certain)</small>}
      </span>
      <span className={styles.figure}>
        <b>{figure(now.busy)}</b> busy
      </span>
      <span className={styles.figure} title="Idle, and no thread waited that may run there">
        <b>{figure(now.idle)}</b> other idle
      </span>
      {now.known && now.unobserved > 0 && (
        <span className={styles.figure}>
          <b>{now.unobserved}</b> not observed
        </span>
      )}
      <span className={now.known && now.waiting > 0 ? styles.waits : styles.figure}>
        <b>{figure(now.waiting)}</b> waiting
      </span>
      <output className={styles.state}>{now.loading && now.error === null ? 'loading…' : ''}</output>
    </div>
  );
}

/** The gravest episode that holds this instant; its space is kept where none does, so that nothing moves while it plays. */
export function EpisodeNow({ figureFeed, data }: { figureFeed: FigureFeed; data: ReplayData }) {
  const now = useFigures(figureFeed);
  const here = data.episodes.filter((e) => now.episodes.includes(e.id));
  const episode = worstOf(here, data.trace.id);
  return (
    <span className={styles.episode}>
      {episode && (
        <>
          <EpisodeLink episode={episode.id} title={episode.sentence}>
            episode {episode.id}
          </EpisodeLink>{' '}
          <Severity level={episode.severity}>{severityWords(episode)}</Severity>
        </>
      )}
    </span>
  );
}

/** A notice that the data of this instant could not be loaded. */
export function MissingNotice({ figureFeed, retry }: { figureFeed: FigureFeed; retry: () => void }) {
  const { error } = useFigures(figureFeed);
  return error === null ? null : <PartlyLoaded error={error} retry={retry} />;
}
