// Which traces are the base and which the new side, in the place's parameters: ids with commas between them.

import type { Place } from '../../logic/place';

export type Side = 'base' | 'new';
export const SIDES: readonly Side[] = ['base', 'new'];
export type Sides = Readonly<Record<Side, readonly string[]>>;

/** The sides of the parameters, of traces that there are; no trace is on both. */
export function sidesOf(params: Place['params'], known: readonly string[]): Sides {
  const of = (side: Side) => known.filter((id) => (params[side] ?? '').split(',').map(decode).includes(id));
  const base = of('base');
  return { base, new: of('new').filter((id) => !base.includes(id)) };
}

/** The parameters with a trace on a side; null: on neither. */
export function withTrace(
  params: Place['params'],
  known: readonly string[],
  id: string,
  to: Side | null,
): Record<string, string> {
  const sides = sidesOf(params, known);
  const changed = Object.fromEntries(
    SIDES.map((side) => {
      const others = sides[side].filter((other) => other !== id);
      return [
        side,
        known
          .filter((other) => others.includes(other) || (side === to && other === id))
          .map(encode)
          .join(','),
      ];
    }),
  );
  return { ...params, ...changed };
}

/** The address of the comparison; null while a side has no trace. */
export function addressOf(sides: Sides): string | null {
  if (sides.base.length === 0 || sides.new.length === 0) return null;
  return `compare/runs?${SIDES.flatMap((side) => sides[side].map((id) => `${side}=${encodeURIComponent(id)}`)).join('&')}`;
}

const encode = (id: string) => encodeURIComponent(id);

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return '';
  }
}
