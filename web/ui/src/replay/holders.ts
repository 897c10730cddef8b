// Where declared bubbles and their threads are: on the runqueue of a part of the machine, in a bubble, or outside.

/** Codes of the trace's `holder`; ENDED: the entity no longer exists. */
export const OUTSIDE = 0;
export const IN_BUBBLE = 1;
export const ASIDE = 8;
export const ENDED = 255;
/** The part of the machine that a holder's code names; null for none. */
export const PART_OF = [null, null, 'machine', 'node', 'package', 'llc', 'core', 'cpu', null] as const;

/** Codes of `bubble_state`. */
export const CLOSED = 0;
export const BURST = 1;
export const REGENERATING = 2;

/** Entities, an entry each: a thread (bubble -1) or a bubble (utid -1), and what holds it. */
export interface HolderRows {
  utid: Int32Array;
  bubble: Int32Array;
  holder: Uint8Array;
  /** Bubble, or number of the machine's part; -1 none. */
  id: Int32Array;
  state: Uint8Array;
}

export interface HolderChanges extends HolderRows {
  ts: Float64Array;
  wasHolder: Uint8Array;
  wasId: Int32Array;
  wasState: Uint8Array;
}

export interface HolderStretch {
  at: HolderRows;
  moves: HolderChanges;
}

/** The holders at an instant, moved both ways. Arrays by utid and by bubble's number. */
export class Holders {
  threadHolder = new Uint8Array(0);
  threadId = new Int32Array(0);
  bubbleHolder = new Uint8Array(0);
  bubbleId = new Int32Array(0);
  bubbleState = new Uint8Array(0);
  private stretch: HolderStretch | null = null;
  private cursor = 0;

  /** Called when a bubble bursts (1) or closes (-1). */
  constructor(private readonly onBurst: (bubble: number, kind: 1 | -1) => void = () => {}) {}

  get known(): boolean {
    return this.stretch !== null;
  }

  load(s: HolderStretch | null): void {
    this.stretch = s;
    this.cursor = 0;
    if (s === null) return;
    let utid = 0;
    let bubble = 0;
    for (const rows of [s.at, s.moves]) {
      for (const u of rows.utid) if (u > utid) utid = u;
      for (const b of rows.bubble) if (b > bubble) bubble = b;
    }
    this.threadHolder = new Uint8Array(utid + 1).fill(ENDED);
    this.threadId = new Int32Array(utid + 1).fill(-1);
    this.bubbleHolder = new Uint8Array(bubble + 1).fill(ENDED);
    this.bubbleId = new Int32Array(bubble + 1).fill(-1);
    this.bubbleState = new Uint8Array(bubble + 1);
    for (let i = 0; i < s.at.utid.length; i++) this.put(s.at, i, s.at.holder[i]!, s.at.id[i]!, s.at.state[i]!);
  }

  moveTo(at: number, report: boolean): void {
    const s = this.stretch?.moves;
    if (s === undefined) return;
    while (this.cursor < s.ts.length && s.ts[this.cursor]! <= at) {
      const i = this.cursor++;
      if (report) this.reportBurst(s.bubble[i]!, s.wasState[i]!, s.state[i]!);
      this.put(s, i, s.holder[i]!, s.id[i]!, s.state[i]!);
    }
    while (this.cursor > 0 && s.ts[this.cursor - 1]! > at) {
      const i = --this.cursor;
      if (report) this.reportBurst(s.bubble[i]!, s.state[i]!, s.wasState[i]!);
      this.put(s, i, s.wasHolder[i]!, s.wasId[i]!, s.wasState[i]!);
    }
  }

  private reportBurst(bubble: number, was: number, is: number): void {
    if (bubble >= 0 && was !== is && (was === BURST || is === BURST)) this.onBurst(bubble, is === BURST ? 1 : -1);
  }

  private put(rows: HolderRows, i: number, holder: number, id: number, state: number): void {
    const b = rows.bubble[i]!;
    if (b >= 0) {
      this.bubbleHolder[b] = holder;
      this.bubbleId[b] = id;
      this.bubbleState[b] = state;
    } else {
      this.threadHolder[rows.utid[i]!] = holder;
      this.threadId[rows.utid[i]!] = id;
    }
  }
}
