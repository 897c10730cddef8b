// Figures as people read them: three significant digits, a unit, thin spaces never (they break copying).

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

/** A duration in ns with the unit that keeps it readable: `2.53 s`, `840 µs`. */
export function duration(ns: number): string {
  const size = Math.abs(ns);
  if (size === 0) return '0';
  for (const [unit, name] of STEPS) if (size >= unit * 0.9995) return `${significant(ns / unit)} ${name}`;
  return `${significant(ns)} ns`;
}

/** A time relative to the trace's start, signed: `+2.530 s`, to the digits that `resolution` ns can tell apart. */
export function moment(ns: number, resolution = 1e6): string {
  const digits = Math.min(Math.max(Math.ceil(-Math.log10(resolution / 1e9)), 0), 9);
  return `${ns < 0 ? '−' : '+'}${(Math.abs(ns) / 1e9).toFixed(digits)} s`;
}

/** Core-seconds: `9.92 core-s`. */
export const coreSeconds = (value: number): string =>
  value > 0 && value < 0.001 ? '<0.001 core-s' : `${significant(value)} core-s`;

/** A share 0..1 as per cent: `36.7 %`. */
export function percent(share: number): string {
  if (share > 0 && share < 0.0001) return '<0.01 %';
  return `${significant(share * 100)} %`;
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
