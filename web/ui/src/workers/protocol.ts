// What the page and the Arrow worker say to each other.

import type { Table } from '../api/table';

export type WorkerRequest =
  | { id: number; url: string; init?: { method: string; headers: Record<string, string>; body: string } }
  | { cancel: number };

export type WorkerAnswer =
  | { id: number; table: Table }
  | { id: number; failed: string; status: number; drawing?: string };
