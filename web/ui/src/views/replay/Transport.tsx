// Play, pause, reverse, step, jump, speed.

import type { ReactNode } from 'react';
import { speedName, speedPerSecond } from '../../replay/clock';
import { type FigureFeed, useFigures } from './figureFeed';
import styles from './Replay.module.css';

const PATHS = {
  play: 'M4 2.5v11l9.5-5.5z',
  pause: 'M4 2.5h3v11H4zM9 2.5h3v11H9z',
  back: 'M12 2.5v11L2.5 8z',
  stepOn: 'M3 3v10l6.5-5zM11 3h2v10h-2z',
  stepBack: 'M13 3v10L6.5 8zM3 3h2v10H3z',
  nextOn: 'M2 3v10l5-5zM7 3v10l5-5zM12.5 3H14v10h-1.5z',
  nextBack: 'M14 3v10L9 8zM9 3v10L4 8zM2 3h1.5v10H2z',
} as const;

export function TransportIcon({ name }: { name: keyof typeof PATHS }) {
  return (
    <svg width="16" height="16" viewBox="0 0 16 16" fill="currentColor" aria-hidden="true">
      <path d={PATHS[name]} />
    </svg>
  );
}

export interface Commands {
  toggle: () => void;
  reverse: () => void;
  step: (direction: 1 | -1) => void;
  episode: (direction: 1 | -1) => void;
  migration: (direction: 1 | -1) => void;
  burst: (direction: 1 | -1) => void;
  speed: (by: 1 | -1) => void;
}

function TransportButton(p: {
  label: string;
  keys: string;
  onClick: () => void;
  pressed?: boolean;
  big?: boolean;
  children: ReactNode;
}) {
  return (
    <button
      type="button"
      className={`quiet icon ${p.big ? styles.big : ''}`}
      title={`${p.label} (${p.keys})`}
      aria-label={p.label}
      {...(p.pressed === undefined ? {} : { 'aria-pressed': p.pressed })}
      onClick={p.onClick}
    >
      {p.children}
    </button>
  );
}

export function Transport({
  figureFeed,
  commands: c,
  children,
}: {
  figureFeed: FigureFeed;
  commands: Commands;
  children?: ReactNode;
}) {
  const now = useFigures(figureFeed);
  const on = now.playing && now.direction > 0;
  const back = now.playing && now.direction < 0;
  return (
    <div className={styles.transport} role="toolbar" aria-label="Player">
      <div className={styles.group}>
        <TransportButton label="Previous episode" keys="Shift ←" onClick={() => c.episode(-1)}>
          <TransportIcon name="nextBack" />
        </TransportButton>
        <TransportButton label="One event back" keys="," onClick={() => c.step(-1)}>
          <TransportIcon name="stepBack" />
        </TransportButton>
        <TransportButton label={back ? 'Pause' : 'Play backwards'} keys="r" pressed={back} onClick={c.reverse}>
          <TransportIcon name={back ? 'pause' : 'back'} />
        </TransportButton>
        <TransportButton label={on ? 'Pause' : 'Play'} keys="Space" big onClick={c.toggle}>
          <TransportIcon name={on ? 'pause' : 'play'} />
        </TransportButton>
        <TransportButton label="One event on" keys="." onClick={() => c.step(1)}>
          <TransportIcon name="stepOn" />
        </TransportButton>
        <TransportButton label="Next episode" keys="Shift →" onClick={() => c.episode(1)}>
          <TransportIcon name="nextOn" />
        </TransportButton>
      </div>
      <div className={styles.group}>
        <TransportButton label="Slower" keys="[" onClick={() => c.speed(-1)}>
          −
        </TransportButton>
        <output
          className={styles.speed}
          aria-label="Speed"
          title={`${speedName(now.speed)}: ${speedPerSecond(now.speed)}`}
        >
          {speedName(now.speed)}
          <small>{speedPerSecond(now.speed)}</small>
        </output>
        <TransportButton label="Faster" keys="]" onClick={() => c.speed(1)}>
          +
        </TransportButton>
      </div>
      <div className={styles.group}>
        <JumpButtons what="Migration" keys="m" jump={c.migration} />
        <JumpButtons what="Burst" keys="b" jump={c.burst} />
      </div>
      {children}
    </div>
  );
}

function JumpButtons({ what, keys, jump }: { what: string; keys: string; jump: (direction: 1 | -1) => void }) {
  return (
    <span className={styles.jump}>
      <button
        type="button"
        className="quiet"
        aria-label={`Previous ${what.toLowerCase()}`}
        title={`Previous (Shift ${keys})`}
        onClick={() => jump(-1)}
      >
        ‹
      </button>
      <button type="button" className="quiet" title={`Next (${keys})`} onClick={() => jump(1)}>
        {what} ›
      </button>
    </span>
  );
}
