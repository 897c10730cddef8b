// The help overlay: the keyboard map and the words that the figures use.

import { useEffect, useRef } from 'react';
import { KEY_GROUPS } from '../logic/keys';
import { placeNow } from '../navigation';
import { startGuide } from './Guide';
import styles from './Help.module.css';
import { Icon } from './Icon';

const WORDS: readonly [string, string][] = [
  [
    'wasted',
    'An idle CPU beside a thread that waits on another CPU’s queue and may run on the idle one. A CPU counts once at each instant.',
  ],
  ['certain', 'The part of it that rests on no guess: masks known, both sides observed.'],
  ['excused', 'What would count as waste but for a stated reason: affinity, cpusets, quotas, isolated CPUs and so on.'],
  ['episode', 'A connected spell of waste between the same CPUs; graded by how long an edge lasted.'],
  ['core-s', 'Core-seconds: one core wasted for a second, or four for a quarter.'],
];

export function Help({ open, onClose }: { open: boolean; onClose: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    if (open) dialog.current?.showModal();
    else dialog.current?.close();
  }, [open]);
  return (
    <dialog ref={dialog} className={styles.help} onClose={onClose} aria-labelledby="help-title">
      <header className={styles.head}>
        <h2 id="help-title">Keyboard and words</h2>
        <button type="button" className="quiet icon" onClick={onClose} aria-label="Close help">
          <Icon name="close" />
        </button>
      </header>
      <div className={styles.body}>
        {placeNow().trace !== null && (
          <p className={styles.guide}>
            <button
              type="button"
              className="button"
              onClick={() => {
                onClose();
                startGuide();
              }}
            >
              Show the guide
            </button>
          </p>
        )}
        {KEY_GROUPS.map((group) => (
          <section key={group.title}>
            <h3>{group.title}</h3>
            <dl className={styles.keys}>
              {group.rows.map((row) => (
                <div key={row.does}>
                  <dt>
                    {row.keys.map((key) => (
                      <kbd key={key}>{key}</kbd>
                    ))}
                  </dt>
                  <dd>{row.does}</dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
        <section>
          <h3>Words</h3>
          <dl className={styles.words}>
            {WORDS.map(([word, meaning]) => (
              <div key={word}>
                <dt>{word}</dt>
                <dd>{meaning}</dd>
              </div>
            ))}
          </dl>
        </section>
      </div>
    </dialog>
  );
}
