// Codes of the trace's tables as words for people.

const EXCUSES: Record<string, string> = {
  per_cpu_thread: 'per-CPU threads',
  migration_disabled: 'migration disabled',
  cpuset: 'cpusets',
  affinity: 'affinity',
  throttled: 'CPU quota',
  isolated: 'isolated CPUs',
  cookie: 'core scheduling',
  irq_busy: 'busy with interrupts',
};

const GRADES: Record<string, string> = {
  noise: 'noise',
  in_flight: 'in flight',
  expected: 'expected',
  lasting: 'lasting',
  persistent: 'persistent',
  recurrent: 'recurrent',
};

/** Grades from the gravest to the least, as tables order them. */
export const GRADE_ORDER = ['persistent', 'lasting', 'recurrent', 'expected', 'in_flight', 'noise'] as const;

const plain = (code: string) => code.replaceAll('_', ' ');

export const excuseWords = (code: string): string => EXCUSES[code] ?? plain(code);
export const gradeWords = (code: string): string => GRADES[code] ?? plain(code);

/** A cause in a few words: how the threads came there, why nobody moved them. Unknown parts are left out. */
export function causeWords(cause: { placement: string; correction: string }): string {
  const parts: string[] = [];
  if (cause.correction !== 'unknown') parts.push(plain(cause.correction));
  if (cause.placement !== 'unknown') parts.push(`came by ${plain(cause.placement)}`);
  if (parts.length === 0) return 'Cause not known';
  const text = parts.join('; ');
  return text[0]?.toUpperCase() + text.slice(1);
}

type Compared = { placement: string; correction: string; recurrent: boolean; a_core_s: number; b_core_s: number };

/** Causes of two traces that read alike (what ended them differs), added up: short spells last, else most waste first. */
export function causesByWords(
  causes: readonly Compared[],
): { name: string; recurrent: boolean; a: number; b: number }[] {
  const rows = new Map<string, { name: string; recurrent: boolean; a: number; b: number }>();
  for (const cause of causes) {
    const name = cause.recurrent ? `${causeWords(cause)}, in short spells` : causeWords(cause);
    const row = rows.get(name) ?? { name, recurrent: cause.recurrent, a: 0, b: 0 };
    rows.set(name, { ...row, a: row.a + cause.a_core_s, b: row.b + cause.b_core_s });
  }
  const most = (row: { a: number; b: number }) => Math.max(row.a, row.b);
  return [...rows.values()].sort((x, y) => Number(x.recurrent) - Number(y.recurrent) || most(y) - most(x));
}

/** Whether two episodes have the same cause; what ended them may differ. */
export const causeKey = (cause: { placement: string; correction: string; proof: string }): string =>
  [cause.placement, cause.correction, cause.proof].join('/');

/** The verdict's sentence cut before its parenthesis: headline, and the rest. A doubt is the headline as a whole. */
export function headline(sentence: string): [string, string] {
  const doubt = sentence.match(/^((?:suspect|unverified): .*?)\. (As reconstructed, .*)$/);
  if (doubt) return [doubt[1] ?? '', doubt[2] ?? ''];
  const cut = sentence.search(/ \(|; /);
  if (cut < 0) return [sentence.replace(/\.$/, ''), ''];
  const rest = sentence.slice(cut).replace(/^[; ]+/, '');
  // The first parenthesis has the figures that belong to the headline; as a line of its own it needs no brackets.
  return [sentence.slice(0, cut), rest.replace(/^\(([^()]*)\),?/, '$1;').replace(/;\s*\.?$/, '.')];
}
