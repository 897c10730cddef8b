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

/** The parameters with some traces on a side; null: on neither. */
export function withTraces(
  params: Place['params'],
  known: readonly string[],
  ids: readonly string[],
  to: Side | null,
): Record<string, string> {
  const sides = sidesOf(params, known);
  const isOn = (side: Side, id: string) => (ids.includes(id) ? side === to : sides[side].includes(id));
  const changed = Object.fromEntries(
    SIDES.map((side) => [
      side,
      known
        .filter((id) => isOn(side, id))
        .map(encode)
        .join(','),
    ]),
  );
  return { ...params, ...changed };
}

/** Baselines of the parameters, of files that there are: their runs are of the base. */
export function baselinesOf(params: Place['params'], known: readonly string[]): readonly string[] {
  const named = (params.baseline ?? '').split(',').map(decode);
  return known.filter((name) => named.includes(name));
}

/** The parameters with a baseline on the base, or without it. */
export function withBaseline(
  params: Place['params'],
  known: readonly string[],
  name: string,
  chosen: boolean,
): Record<string, string> {
  const others = baselinesOf(params, known).filter((other) => other !== name);
  const names = known.filter((other) => others.includes(other) || (chosen && other === name));
  return { ...params, baseline: names.map(encode).join(',') };
}

/** The address of the comparison; null while a side has no runs. */
export function addressOf(sides: Sides, baselines: readonly string[] = []): string | null {
  if ((sides.base.length === 0 && baselines.length === 0) || sides.new.length === 0) return null;
  const given = [
    ...baselines.map((name) => ['baseline', name] as const),
    ...SIDES.flatMap((side) => sides[side].map((id) => [side, id] as const)),
  ];
  return `compare/runs?${given.map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join('&')}`;
}

const encode = (id: string) => encodeURIComponent(id);

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return '';
  }
}
