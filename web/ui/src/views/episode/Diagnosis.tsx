// Why an episode wasted cores: its answers with their proof, what else fits, which evidence would tell, and what to do.

import { Fragment } from 'react';
import type { EpisodePage } from '../../api/types';
import { Proof } from '../../components/CauseText';
import { CommandText } from '../../components/CommandText';
import { RuleLink } from '../../components/RuleLink';
import { meaningOf } from '../../logic/glossary';
import { percent } from '../../logic/units';
import { answerWords, questionWords, repairKindWords } from '../../logic/words';
import styles from './Episode.module.css';

type Diagnosis = EpisodePage['diagnosis'];
type Answer = Diagnosis['answers'][number];

const QUESTIONS = [
  ['placed_by', 'How they came to wait there'],
  ['not_moved_because', 'Why nothing moved them earlier'],
  ['ended_by', 'What ended it'],
] as const;

/** From this share on an answer is that of all the waste. */
const WHOLE = 0.995;

/** The answer of the episode itself: the first of its question. */
const mainAnswer = (d: Diagnosis, question: string): Answer | undefined =>
  d.answers.find((answer) => answer.question === question && answer.answer !== 'unknown');

/** How much of the waste has the episode's own answer, whatever its proof there. */
const shareOf = (d: Diagnosis, question: string, answer: string): number =>
  d.answers
    .filter((one) => one.chosen && one.question === question && one.answer === answer)
    .reduce((sum, { share }) => sum + share, 0);

/** A part of an answer with another proof is shown from this share of it on, as in the terminal. */
const SMALL = 0.05;

/** How the episode's own answer is proved: each proof with its share of that answer's waste, the greatest first. */
const proofsOf = (d: Diagnosis, question: string, answer: string): [string, number][] => {
  const whole = shareOf(d, question, answer);
  return d.answers
    .filter((one) => one.chosen && one.question === question && one.answer === answer && whole > 0)
    .map(({ proof, share }): [string, number] => [proof, share / whole])
    .filter(([, part]) => part >= SMALL)
    .sort(([, a], [, b]) => b - a);
};

/** The three questions, each with its answer, the proof, the share, and the page of its rule. */
export function Answers({ diagnosis: d }: { diagnosis: Diagnosis }) {
  const known = QUESTIONS.filter(([key]) => d[key] !== 'unknown');
  const levels = ['proved', 'consistent'].filter((level) => known.some(([key]) => d[`${key}_proof`] === level));
  if (known.length === 0) return <p className={styles.text}>The trace does not show why.</p>;
  return (
    <>
      <div className={styles.questions}>
        {QUESTIONS.map(([key, question]) => (
          <div key={key} data-known={d[key] !== 'unknown'}>
            <h3>{question}</h3>
            {d[key] === 'unknown' ? <p>The trace does not show it.</p> : <OneAnswer diagnosis={d} question={key} />}
          </div>
        ))}
      </div>
      {levels.map((level) => (
        <p key={level} className="muted">
          {level}: {meaningOf(level)}
        </p>
      ))}
    </>
  );
}

function OneAnswer({ diagnosis: d, question }: { diagnosis: Diagnosis; question: (typeof QUESTIONS)[number][0] }) {
  const share = shareOf(d, question, d[question]);
  const rule = mainAnswer(d, question)?.rule ?? null;
  const proofs = proofsOf(d, question, d[question]);
  return (
    <>
      <p>
        {answerWords(question, d[question])} <Proof level={d[`${question}_proof`]} />
      </p>
      <small>
        {proofs.length > 1 && (
          <>{proofs.map(([proof, part]) => `${proof} for ${percent(part)} of this answer`).join(', ')} · </>
        )}
        {share < WHOLE && `for ${percent(share)} of the waste`}
        {share < WHOLE && rule !== null && ' · '}
        {rule !== null && (
          <>
            rule <RuleLink question={question} rule={rule} />
          </>
        )}
      </small>
    </>
  );
}

/** Answers for the rest of the time, and those that fit as well where the evidence does not decide. */
export function OtherAnswers({ diagnosis: d }: { diagnosis: Diagnosis }) {
  const others = d.answers.filter(({ question, answer, chosen }) => !(chosen && answer === d[question]));
  if (others.length === 0) return null;
  return (
    <>
      <h3 className={styles.step}>What else fits</h3>
      <ul className={styles.others}>
        {others.map((other) => (
          <li key={`${other.question} ${other.answer} ${other.proof} ${other.chosen}`}>
            <span className="muted">{questionWords(other.question)}</span>{' '}
            {other.answer === 'unknown' ? (
              <>not known for {percent(other.share)} of the waste</>
            ) : (
              <>
                {answerWords(other.question, other.answer)} <Proof level={other.proof} />{' '}
                {other.chosen
                  ? `is the answer for ${percent(other.share)} of the waste`
                  : `fits ${percent(other.share)} of it as well`}
                {other.rule !== null && (
                  <>
                    {' · '}
                    <RuleLink question={other.question} rule={other.rule} />
                  </>
                )}
              </>
            )}
          </li>
        ))}
      </ul>
    </>
  );
}

/** What would show an unknown answer, and what would prove or refute one that is only consistent. */
export function Evidence({ diagnosis: d }: { diagnosis: Diagnosis }) {
  const open = QUESTIONS.flatMap(([key]) => {
    const main = d[`${key}_proof`] === 'consistent' ? mainAnswer(d, key) : undefined;
    return main ? [main] : [];
  });
  if (d.needed === '' && open.length === 0) return null;
  return (
    <>
      <h3 className={styles.step}>Which evidence would show it</h3>
      {d.needed && (
        <p className={styles.text}>
          <CommandText text={d.needed} />
        </p>
      )}
      {open.length > 0 && (
        <dl className={styles.repairs}>
          {open.map(({ question, answer, proved_by, refuted_by }) => (
            <Fragment key={question}>
              <dt>{questionWords(question)}</dt>
              <dd>
                <b>{answerWords(question, answer)}</b>
                <span className="unseen">: </span>
                <br />
                {proved_by.charAt(0).toUpperCase()}
                <CommandText text={proved_by.slice(1)} />
                <br />
                Refuted by <CommandText text={refuted_by} />
              </dd>
            </Fragment>
          ))}
        </dl>
      )}
    </>
  );
}

/** What to check or change, each with where that stands; by the rule that says it. */
export function Repairs({ diagnosis: d }: { diagnosis: Diagnosis }) {
  const rules = [...new Map(d.repairs.map((r) => [`${r.question}/${r.rule}`, r])).values()];
  return (
    <>
      <h3 className={styles.step}>What to do</h3>
      {rules.length === 0 && (
        <p className="muted">
          {d.placed_by === 'unknown' && d.not_moved_because === 'unknown'
            ? 'No rule has an answer that could be acted on: first the evidence above.'
            : 'The rules that answer have no advice for this kernel.'}
        </p>
      )}
      {rules.map(({ question, rule }) => (
        <div key={`${question}/${rule}`} className={styles.remedy}>
          <h4>
            <span className="muted">{questionWords(question)}</span> <RuleLink question={question} rule={rule} />
          </h4>
          <dl className={styles.repairs}>
            {d.repairs
              .filter((r) => r.question === question && r.rule === rule)
              .map((r) => (
                <Fragment key={r.text}>
                  <dt>{repairKindWords(r.kind)}</dt>
                  <dd>
                    <CommandText text={r.text} />
                    {r.kernels !== 'all' && ` (kernels ${r.kernels})`}
                    <span className="unseen">. Source:</span> <span className="muted">{r.source}</span>
                  </dd>
                </Fragment>
              ))}
          </dl>
        </div>
      ))}
    </>
  );
}
