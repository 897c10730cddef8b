// What a server said that gave no answer, for the page and the worker alike.

import type { TableMaking } from '../api/making';

export interface Refusal {
  /** One line for the user. */
  failed: string;
  /** Of a refused query: its line, and a caret below the place. */
  drawing?: string;
  /** What was asked for is being made. */
  making?: TableMaking;
}

export async function refusal(response: Response): Promise<Refusal> {
  try {
    const body: unknown = await response.json();
    if (body && typeof body === 'object') {
      const { error, drawing, making } = body as { error?: unknown; drawing?: unknown; making?: TableMaking };
      if (response.status === 202 && making) return { failed: 'its tables are being made', making };
      if (error !== undefined) return { failed: String(error), ...(typeof drawing === 'string' ? { drawing } : {}) };
    }
  } catch {
    // Not JSON: a proxy's page, say. Only the status is known.
  }
  return { failed: `${response.status} ${response.statusText}` };
}
