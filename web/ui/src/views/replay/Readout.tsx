// The figures of this instant.

import { type Pulse, usePulse } from './pulse';
import styles from './Replay.module.css';

/** Nanoseconds in groups of three, so that every digit can be read: `0.564 123 456`. */
export function clockText(ns: number): string {
  const whole = Math.max(0, Math.round(ns));
  const s = Math.floor(whole / 1e9);
  const rest = String(whole % 1e9).padStart(9, '0');
  return `${s}.${rest.slice(0, 3)} ${rest.slice(3, 6)} ${rest.slice(6)}`;
}

export function Readout({ pulse }: { pulse: Pulse }) {
  const now = usePulse(pulse);
  return (
    <div className={styles.readout}>
      <output className={styles.clock} aria-label="Time since the trace's begin, in seconds">
        {clockText(now.at)}
        <small> s</small>
      </output>
      <span className={now.wasted > 0 ? styles.wasted : styles.none}>
        <b>{now.wasted}</b> wasted
        {now.certain < now.wasted && <small> ({now.certain} certain)</small>}
      </span>
      <span className={styles.figure}>
        <b>{now.busy}</b> busy
      </span>
      <span className={styles.figure} title="Idle, and no thread waited that may run there">
        <b>{now.idle}</b> other idle
      </span>
      {now.unobserved > 0 && (
        <span className={styles.figure}>
          <b>{now.unobserved}</b> not observed
        </span>
      )}
      <span className={now.waiting > 0 ? styles.waits : styles.figure}>
        <b>{now.waiting}</b> waiting
      </span>
      <output className={styles.state}>{now.error ?? (now.loading ? 'loading…' : '')}</output>
    </div>
  );
}
