// What the page and the Arrow worker say to each other.

import type { Table } from '../api/table';
import type { Shape, Shaped } from '../logic/timeline/chunks';
import type { Refusal } from './refusal';

export type WorkerRequest =
  | {
      id: number;
      url: string;
      init?: { method: string; headers: Record<string, string>; body: string };
      shape?: Shape;
      /** Integers from 2^53 on are wanted to the last digit. */
      exact?: boolean;
    }
  | { cancel: number };

/** `value`: the decoded table, or the shape that was asked for. */
export type WorkerAnswer =
  | { id: number; value: Table | Shaped[Shape['kind']] }
  | ({ id: number; status: number } & Refusal);
