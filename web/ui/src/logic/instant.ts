// An instant as it is typed: a time since the trace's start.

const UNITS: Readonly<Record<string, number>> = { ns: 1, us: 1e3, µs: 1e3, μs: 1e3, ms: 1e6, s: 1e9 };

/** `+1.79 s`, `1790ms`: nanoseconds since the start; null where the text is none. A number alone is a time where a plus is before it: seconds. */
export function typedInstant(text: string): number | null {
  const match = /^(\+?)\s*(\d{1,12}(?:[.,]\d{1,9})?)\s*(ns|us|µs|μs|ms|s)?$/.exec(text.trim());
  if (!match || (!match[1] && !match[3])) return null;
  return Math.round(Number((match[2] as string).replace(',', '.')) * (UNITS[match[3] ?? 's'] as number));
}
