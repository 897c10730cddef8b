// Codes of the trace's tables as words for people.

import {
  DISTANCE_WORDS,
  ENDED_BY_WORDS,
  EXCUSE_WORDS,
  GRADE_WORDS,
  NOT_MOVED_BECAUSE_WORDS,
  PLACED_BY_WORDS,
  type Question,
  REPAIR_KIND_WORDS,
} from '../../../../schemas/ts/schema';
import type { Verdict } from '../api/types';

/** How much is wasted, in three steps that have colours: none (below 1 %), some, much. Waste that is not certain is never much. */
export type Alarm = 'none' | 'some' | 'much';
/** Shares of the machine from which waste counts as `some`, and as `much`. */
const SOME_WASTE = 0.01;
const MUCH_WASTE = 0.05;

/** `certain` is the part of the share that is certain. */
export function alarmOf(share: number, certain: number): Alarm {
  if (share < SOME_WASTE) return 'none';
  return share < MUCH_WASTE || certain < SOME_WASTE ? 'some' : 'much';
}

const plain = (code: string) => code.replaceAll('_', ' ');
/** The words of a value; for a value that this page does not know, its name. */
const enumWords = (known: Readonly<Record<string, string>>, code: string) => known[code] ?? plain(code);

export const excuseWords = (code: string): string => enumWords(EXCUSE_WORDS, code);
export const gradeWords = (code: string): string => enumWords(GRADE_WORDS, code);
export const repairKindWords = (code: string): string => enumWords(REPAIR_KIND_WORDS, code);
export const distanceWords = (code: string): string => enumWords(DISTANCE_WORDS, code);

const ANSWERS: Record<Question, Readonly<Record<string, string>>> = {
  placed_by: PLACED_BY_WORDS,
  not_moved_because: NOT_MOVED_BECAUSE_WORDS,
  ended_by: ENDED_BY_WORDS,
};
/** The question about a wait: `not moved because`. */
export const questionWords = (question: Question): string => plain(question);
/** The answer to a question about a wait, as the schema words it. */
export const answerWords = (question: Question, code: string): string => enumWords(ANSWERS[question], code);

/** How bad an episode is: `persistent`, and that it is made of short intervals where it is. */
export const severityWords = (episode: { severity: string; grade: string }): string =>
  episode.grade === 'recurrent' ? `${gradeWords(episode.severity)}, recurrent` : gradeWords(episode.severity);

/** A cause with how sure each of its parts is, as far as that is known. */
export interface CauseFacts {
  placed_by: string;
  not_moved_because: string;
  placed_by_proof?: string;
  not_moved_because_proof?: string;
}

/** A part of a cause: what it says, and the proof of just that (null: none, or not known). */
export interface CausePart {
  text: string;
  proof: string | null;
}

/** How the threads came to wait there, then why nothing moved them: each with its own proof. Unknown parts are left out. */
export function causeParts(cause: CauseFacts): CausePart[] {
  const proof = (level: string | undefined) => (level === undefined || level === 'unknown' ? null : level);
  const parts: CausePart[] = [];
  for (const question of ['placed_by', 'not_moved_because'] as const)
    if (cause[question] !== 'unknown')
      parts.push({
        text: `${plain(question)}: ${answerWords(question, cause[question])}`,
        proof: proof(cause[`${question}_proof`]),
      });
  const first = parts[0];
  if (!first) return [{ text: 'Cause not known', proof: null }];
  first.text = `${first.text[0]?.toUpperCase()}${first.text.slice(1)}`;
  return parts;
}

/** A cause in a few words, the proof of each part behind it: `Placed by: wakeup (proved); not moved because: periodic did not run (consistent)`. */
export const causeWords = (cause: CauseFacts): string =>
  causeParts(cause)
    .map(({ text, proof }) => (proof ? `${text} (${proof})` : text))
    .join('; ');

type CauseWaste = {
  placed_by: string;
  not_moved_because: string;
  recurrent: boolean;
  a_core_s: number;
  b_core_s: number;
};

/** Causes of two traces that read alike (what ended them differs), added up: short intervals last, else most waste first. */
export function causesByWords(
  causes: readonly CauseWaste[],
): { name: string; recurrent: boolean; a: number; b: number }[] {
  const rows = new Map<string, { name: string; recurrent: boolean; a: number; b: number }>();
  for (const cause of causes) {
    const name = cause.recurrent ? `${causeWords(cause)}, in short intervals` : causeWords(cause);
    const row = rows.get(name) ?? { name, recurrent: cause.recurrent, a: 0, b: 0 };
    rows.set(name, { ...row, a: row.a + cause.a_core_s, b: row.b + cause.b_core_s });
  }
  const most = (row: { a: number; b: number }) => Math.max(row.a, row.b);
  return [...rows.values()].sort((x, y) => Number(x.recurrent) - Number(y.recurrent) || most(y) - most(x));
}

/** Whether two episodes have the same cause; what ended them may differ. */
export const causeKey = (cause: CauseFacts): string =>
  [cause.placed_by, cause.placed_by_proof, cause.not_moved_because, cause.not_moved_because_proof].join('/');

/** The parts of the verdict's headline. */
type HeadlineParts = Pick<Verdict['text'], 'doubt' | 'head' | 'amount' | 'rest' | 'limits'>;

/** The verdict's headline, but for its severity, as a heading and the line below it. A doubt is the heading as a whole. */
export function headline({ doubt, head, amount, rest, limits }: HeadlineParts): [string, string] {
  const sure = limits ? `${rest} ${limits}` : rest;
  if (doubt) return [doubt, `${head}${amount && ` (${amount})`}; ${sure}`];
  return [head, amount ? `${amount}; ${sure}` : sure];
}
