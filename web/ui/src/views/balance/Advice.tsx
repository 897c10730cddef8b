// What `wastenot advise` says: what would make the program end sooner, as commands to copy. Nothing is changed here.

import { useState } from 'react';
import type { BalanceAdvice } from '../../api/types';
import { copyText } from '../../clipboard';
import { CommandText } from '../../components/CommandText';
import { Icon } from '../../components/Icon';
import styles from './Balance.module.css';

export function Advice({ advice }: { advice: BalanceAdvice }) {
  const [notice, setNotice] = useState('');
  const copy = async (text: string) => {
    setNotice((await copyText(text)) ? `Copied: ${text}` : 'The browser does not permit copying');
    setTimeout(() => setNotice(''), 3000);
  };
  return (
    <section className={`card ${styles.panel}`}>
      <h2>What to do</h2>
      <p>
        {advice.name}: {advice.sentence}.
      </p>
      {advice.remarks.map((remark) => (
        <p key={remark}>
          <CommandText text={remark} />
        </p>
      ))}
      <ol className={styles.advice}>
        {advice.recommendations.map((recommendation) => (
          <li key={recommendation.what}>
            <p>
              <b>{recommendation.what}</b>: {recommendation.saves_words}.
            </p>
            {recommendation.commands.map((command) => (
              <div key={command} className={styles.command}>
                <code>{command}</code>
                <button
                  type="button"
                  className="quiet icon"
                  onClick={() => void copy(command)}
                  aria-label={`Copy ${command}`}
                  title="Copy"
                >
                  <Icon name={notice === `Copied: ${command}` ? 'check' : 'copy'} />
                </button>
              </div>
            ))}
            {recommendation.remarks.map((remark) => (
              <p key={remark}>
                <CommandText text={remark} />
              </p>
            ))}
            <p className="muted">
              Assumes: <CommandText text={recommendation.assumes} />.
            </p>
          </li>
        ))}
      </ol>
      <output className={notice.startsWith('Copied') ? 'unseen' : 'muted'}>{notice}</output>
      <p className="muted">
        Nothing is changed: these are the commands of <code>wastenot advise</code>, with what each may save.
      </p>
    </section>
  );
}
