// A cause with the proof of each of its parts beside that part.

import { meaningOf } from '../logic/glossary';
import { type CauseFacts, causeParts } from '../logic/words';
import styles from './CauseText.module.css';

/** The frame around the word is read out as brackets: `affinity change (proved)`. */
export const Proof = ({ level }: { level: string }) => (
  <span className={styles.proof} data-proof={level} title={meaningOf(level)}>
    <span className="unseen">(</span>
    {level}
    <span className="unseen">)</span>
  </span>
);

export function CauseText({ cause }: { cause: CauseFacts }) {
  return causeParts(cause).map(({ text, proof }, index) => (
    <span key={text} className={styles.part}>
      {index > 0 && '; '}
      {text}
      {proof && (
        <>
          {' '}
          <Proof level={proof} />
        </>
      )}
    </span>
  ));
}
