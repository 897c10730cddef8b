// Under the lanes: what the colours of the scheme and of the arcs mean, and what cannot be shown at this zoom.

import { PATH_COLOURS, pathsOfColour } from '../../logic/paths';
import type { Overlay, Scheme } from '../../logic/place';
import type { ArrowKind } from './source';
import styles from './Timeline.module.css';

type Entry = readonly [token: string, text: string];

const STATE: readonly Entry[] = [
  ['--idle-fill', 'idle'],
  ['--busy-fill', 'running'],
  ['--overload-fill', 'running, others wait'],
  ['--wasted-fill', 'idle, wasted'],
  ['--unobserved', 'not observed'],
];

const HEAT: readonly Entry[] = ['0', '1', '2', '4', '8', '16 threads'].map((n, i) => [`--heat-${i}`, n]);

const PATHS = Object.entries(PATH_COLOURS);

const CROWDED: Record<ArrowKind, string> = {
  migrations: 'migrations',
  wakeups: 'wakeups',
  attempts: 'balance passes',
};

interface LegendProps {
  scheme: Scheme;
  overlays: readonly Overlay[];
  crowded: readonly ArrowKind[];
}

export function Legend({ scheme, overlays, crowded }: LegendProps) {
  const heat = scheme === 'queue' || scheme === 'wait';
  const entries = scheme === 'state' ? STATE : heat ? HEAT : [];
  const arcs = overlays.includes('migrations') && !crowded.includes('migrations') ? PATHS : [];
  return (
    <div className={styles.legend}>
      <ul aria-label="Colours of the lanes">
        {entries.map(([token, text]) => (
          <li key={token}>
            <i style={{ background: `var(${token})` }} />
            {text}
          </li>
        ))}
        {entries.length === 0 && <li>a colour for each {scheme}, by its name</li>}
      </ul>
      <ul aria-label="Colours of migrations">
        {arcs.map(([colour, text]) => (
          <li key={colour} title={pathsOfColour(colour)}>
            <i className={styles.arc} style={{ background: `var(--path-${colour})` }} />
            {text}
          </li>
        ))}
        {crowded.length > 0 && (
          <li className={styles.much}>
            too many {crowded.map((kind) => CROWDED[kind]).join(' and ')} to draw: zoom in
          </li>
        )}
      </ul>
    </div>
  );
}
