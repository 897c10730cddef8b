// The help overlay: the documentation's address, the keyboard map and the glossary.

import { useEffect, useRef } from 'react';
import { KEY_GROUPS } from '../logic/keys';
import { placeNow } from '../navigation';
import dialogStyles from './Dialog.module.css';
import { Glossary } from './Glossary';
import { startGuide } from './Guide';
import styles from './Help.module.css';
import { Icon } from './Icon';

interface HelpProps {
  open: boolean;
  onClose: () => void;
  /** In a report: no guide, no documentation, and no keys of views that it lacks. */
  glossaryOnly?: boolean;
}

export function Help({ open, onClose, glossaryOnly = false }: HelpProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    if (open) dialog.current?.showModal();
    else dialog.current?.close();
  }, [open]);
  return (
    <dialog ref={dialog} className={styles.help} onClose={onClose} aria-labelledby="help-title">
      <div className={dialogStyles.head}>
        <h2 id="help-title">{glossaryOnly ? 'Help' : 'Keyboard and glossary'}</h2>
        <button type="button" className="quiet icon" onClick={onClose} aria-label="Close help">
          <Icon name="close" />
        </button>
      </div>
      <div className={styles.body}>
        {!glossaryOnly && (
          <p className={styles.guide}>
            {placeNow().trace !== null && (
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
            )}
            <a href="docs/" target="_blank" rel="noreferrer">
              Documentation
            </a>
          </p>
        )}
        {(glossaryOnly ? [] : KEY_GROUPS).map((group) => (
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
        <Glossary />
      </div>
    </dialog>
  );
}
