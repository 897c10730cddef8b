// Names within a width, without measuring each: that would cost more than it is worth.

/** Pixels from which on a stretch carries a name. */
export const NAMED = 34;

/** Width that no letter of 11 px exceeds. */
export const WIDEST = 12;

/** Mean width of a letter of 11 px. */
export const LETTER = 6.1;

/** A short number at the end of a name: it tells the threads of a pool apart, which have the rest of it in common. */
const LAST_NUMBER = /\d{1,3}$/;

/** A text cut to a width in pixels, before the number at its end; empty where nothing of it could be read. */
export function fit(text: string, width: number): string {
  const letters = Math.floor(width / LETTER);
  if (text.length <= letters) return text;
  const end = LAST_NUMBER.exec(text)?.[0] ?? '';
  const kept = letters - 1 - end.length < 2 ? '' : end;
  return letters < 4 ? '' : `${text.slice(0, letters - 1 - kept.length)}…${kept}`;
}

/** Name and number of a thread where both fit, else as much of the name as fits: a number that is cut is another thread's. */
export function fitLabel(label: string, name: string | undefined, width: number): string {
  return label.length <= Math.floor(width / LETTER) ? label : fit(name ?? label, width);
}

/** Of a bracket of this height what fits along it: `node 3`, `N3`, or nothing. */
export function bracketWords(name: string, height: number): string {
  if (height >= 40) return name;
  return height < 24 ? '' : name.replace(/^([A-Za-z])\S* (\d+)$/, (_, kind, id) => `${kind.toUpperCase()}${id}`);
}
