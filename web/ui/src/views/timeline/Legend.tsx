// What the colours of a scheme mean; as wide for each of them, so that nothing moves when it changes.

import type { Scheme } from '../../logic/place';
import styles from './Timeline.module.css';

const STATE: readonly [string, string][] = [
  ['--idle-fill', 'idle'],
  ['--busy-fill', 'running'],
  ['--overload-fill', 'and others wait'],
  ['--wasted-fill', 'idle, wasted'],
];

const HEAT: readonly [string, string][] = ['0', '1', '2', '4', '8', '16+'].map((n, i) => [`--heat-${i}`, n]);

export function Legend({ scheme }: { scheme: Scheme }) {
  const heat = scheme === 'queue' || scheme === 'wait';
  const entries = scheme === 'state' ? STATE : heat ? HEAT : [];
  return (
    <ul className={styles.legend} aria-label="Colours">
      {entries.map(([token, text]) => (
        <li key={token}>
          <i style={{ background: `var(${token})` }} />
          {text}
        </li>
      ))}
      {entries.length === 0 && <li>a colour for each {scheme}, by its name</li>}
    </ul>
  );
}
