// Takes the place of `api/client` in a report: the same questions, answered from what the page carries.

import type { Table } from '../api/table';
import { type Shape, type Shaped, shaped } from '../logic/timeline/chunks';
import { type Archive, tableOf } from './archive';

export class ApiError extends Error {
  readonly status: number;
  readonly drawing: string | undefined;
  constructor(message: string, status: number) {
    super(message);
    this.name = 'ApiError';
    this.status = status;
  }
}

/** Never the reason here: what is asked for is in the page, or not. */
export const GONE = 'the report does not answer';

let archive: Archive | null = null;
export const answerFrom = (a: Archive): void => {
  archive = a;
};

export const address = (path: string): string => `#${path}`;
export const ofTrace = (id: string, rest: string): string => `traces/${encodeURIComponent(id)}/${rest}`;
export function query(values: Record<string, string | number | readonly string[] | null | undefined>): string {
  const text = new URLSearchParams();
  for (const [key, value] of Object.entries(values)) {
    if (value === null || value === undefined) continue;
    for (const each of Array.isArray(value) ? value : [value]) text.append(key, String(each));
  }
  return text.size === 0 ? '' : `?${text}`;
}

/** An answer is kept under its whole address, or without what follows the question mark where that says only how much. */
function find<T>(answers: Record<string, T> | undefined, path: string): T {
  const found = answers?.[path] ?? answers?.[path.split('?')[0] as string];
  if (found === undefined)
    throw new ApiError('The report does not carry this; open the trace with `wastenot serve`.', 404);
  return found;
}

export const json = async <T>(path: string): Promise<T> => find(archive?.json, path) as T;
export const table = async (path: string): Promise<Table> => tableOf(find(archive?.tables, path));
export const tableAs = async <K extends Shape['kind']>(path: string, shape: Shape & { kind: K }): Promise<Shaped[K]> =>
  shaped(await table(path), shape) as Shaped[K];
