// What the page and the Arrow worker say to each other.

import type { Table } from '../api/table';
import type { Shape, Shaped } from '../logic/timeline/chunks';
import type { Paint } from '../logic/timeline/raster';
import type { Refusal } from './refusal';

export interface TableRequest {
  id: number;
  url: string;
  init?: { method: string; headers: Record<string, string>; body: string };
  shape?: Shape;
  /** Integers from 2^53 on are wanted to the last digit. */
  exact?: boolean;
}

export type WorkerRequest = TableRequest | { cancel: number } | Painting;

/** Tiles that are decoded from now on come with their colours in this paint. */
export interface Painting {
  paint: Paint;
  number: number;
}

/** `value`: the decoded table, or the shape that was asked for. */
export type WorkerAnswer =
  | { id: number; value: Table | Shaped[Shape['kind']] }
  | ({ id: number; status: number } & Refusal);
