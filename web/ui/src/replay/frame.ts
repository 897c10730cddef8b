// What one frame of the replay shows, and what all its painters use.

import type { Camera } from './camera';
import type { ReplayColours } from './colours';
import type { Scene } from './scene';

export interface MatchedPair {
  utid: number;
  waited_on: number;
  idle_cpu: number;
}

export interface ReplayFrame {
  scene: Scene;
  camera: Camera;
  width: number;
  height: number;
  /** Wall time of the frame in ms. */
  wall: number;
  colours: ReplayColours;
  /** By utid: index of its hue. */
  hueOf: Uint8Array;
  nameOf: (utid: number) => string;
  /** By CPU: 1 idle while a thread waited that could have run there. */
  wasted: Uint8Array;
  /** By CPU: 1 nothing is known of it at this instant. */
  unobserved: Uint8Array;
  /** Selected threads, with their CPUs: the others are dimmed. Empty: no selection. */
  focus: ReadonlySet<number>;
  /** The selected bubble, by index; -1 none. */
  focusBubble: number;
  /** Which thread waited for which idle CPU. */
  pairs: readonly MatchedPair[];
}

/** A short number at the end of a name: it tells the threads of a pool apart. */
const LAST_NUMBER = /\d{1,3}$/;

/** A text cut to a number of letters, before the number at its end. */
export function fitted(text: string, letters: number): string {
  if (text.length <= letters) return text;
  const end = LAST_NUMBER.exec(text)?.[0] ?? '';
  const left = Math.floor(letters) - 1 - end.length;
  return left < 1 ? `${text.slice(0, Math.max(1, Math.floor(letters) - 1))}…` : `${text.slice(0, left)}…${end}`;
}

/** Whether a rectangle is outside the picture. */
export const outside = (f: ReplayFrame, x: number, y: number, w: number, h: number): boolean =>
  x > f.width || y > f.height || x + w < 0 || y + h < 0;
