// Figures with three significant digits and a unit. Without thin spaces, which break copying.

const STEPS: readonly [number, string][] = [
  [1e9, 's'],
  [1e6, 'ms'],
  [1e3, 'µs'],
  [1, 'ns'],
];

/** Three significant digits without an exponent: 0.01234 → 0.0123. */
export function significant(value: number, digits = 3): string {
  if (value === 0 || !Number.isFinite(value)) return value === 0 ? '0' : '–';
  const size = Math.floor(Math.log10(Math.abs(value)));
  const decimals = Math.min(Math.max(digits - 1 - size, 0), 6);
  return value.toLocaleString('en', { minimumFractionDigits: 0, maximumFractionDigits: decimals });
}

/** Three digits, zeros kept, and thousands apart: as the command line writes the same figure (`three_digits` of analyzer/units.py). */
export function threeDigits(value: number): string {
  const size = Math.abs(value);
  if (size < 0.09995 || size >= 999.5) return significant(value, Math.max(3, Math.ceil(Math.log10(size + 1))));
  return value.toFixed(size < 0.9995 ? 3 : size < 9.995 ? 2 : size < 99.95 ? 1 : 0);
}

/** A duration in ns with the unit that keeps it readable: `2.50 s`, `840 µs`. */
export function duration(ns: number): string {
  return inUnit(ns, threeDigits);
}

/** The same of a round number of ns, as on an axis: `2.5 s`. */
export function roundDuration(ns: number): string {
  return inUnit(ns, significant);
}

function inUnit(ns: number, digits: (value: number) => string): string {
  const size = Math.abs(ns);
  if (size === 0) return '0';
  for (const [unit, name] of STEPS) if (size >= unit * 0.9995 && unit > 1) return `${digits(ns / unit)} ${name}`;
  return `${significant(ns)} ns`;
}

/** A time relative to the trace's start, signed: `+2.530 s`, to the digits at which times `resolution` ns apart differ. */
export function moment(ns: number, resolution = 1e6): string {
  const digits = Math.min(Math.max(Math.ceil(-Math.log10(resolution / 1e9)), 0), 9);
  return `${ns < 0 ? '−' : '+'}${(Math.abs(ns) / 1e9).toFixed(digits)} s`;
}

/** Core-seconds: `9.90 core-s`. */
export const coreSeconds = (value: number): string =>
  value > 0 && value < 0.0005 ? '<0.001 core-s' : `${threeDigits(value)} core-s`;

/** A share 0..1 as per cent: `36.7 %`, `0.54 %`. */
export function percent(share: number): string {
  const value = share * 100;
  if (value === 0) return '0 %';
  if (value > 0 && value < 0.005) return '<0.01 %';
  return `${value.toFixed(value < 9.995 ? 2 : 1)} %`;
}

/** A count with separators: `2,557`. */
export const count = (value: number): string => value.toLocaleString('en', { maximumFractionDigits: 0 });

/** `1 episode`, `3 episodes`. */
export const plural = (n: number, one: string, many = `${one}s`): string => `${count(n)} ${n === 1 ? one : many}`;

/** A size: `1.98 MB` (decimal, as the command line writes it). */
export function bytes(size: number): string {
  const units = ['B', 'kB', 'MB', 'GB', 'TB'];
  const step = size < 1 ? 0 : Math.min(Math.floor(Math.log10(size) / 3), units.length - 1);
  return `${significant(size / 1000 ** step)} ${units[step]}`;
}
