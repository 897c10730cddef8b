// Figures of the picture for the parts around it, a few times a second: React has no part in the frames themselves.

import { useSyncExternalStore } from 'react';
import { waits } from '../../replay/moves';
import type { Player, Status } from '../../replay/player';
import type { Scene } from '../../replay/scene';
import { partsOf, type WasteMatch } from '../../replay/wasteMatch';

export interface InstantFigures extends Status {
  wasted: number;
  certain: number;
  busy: number;
  /** Idle and not wasted. */
  idle: number;
  unobserved: number;
  waiting: number;
  cpus: number;
  /** Episodes that hold this instant. */
  episodes: number[];
  /** The figures are those of the instant: what they are made from was loaded. */
  known: boolean;
  /** Counts changes, so that it is never taken for what it was. */
  n: number;
}

/** Nothing is known before the first picture, nor at an instant whose stretch is still loading or could not be loaded. */
export const isKnown = ({ shown, loading, error }: Status, before: boolean): boolean =>
  before && (shown || (!loading && error === null));

const REFRESH_MS = 90;

export class FigureFeed {
  private value: InstantFigures;
  private last = 0;
  private late = 0;
  private readonly listeners = new Set<() => void>();

  constructor(private readonly player: Player) {
    const parts = { wasted: 0, certain: 0, busy: 0, idle: 0, unobserved: 0 };
    this.value = { ...player.status, ...parts, waiting: 0, cpus: 0, episodes: [], known: false, n: 0 };
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => void this.listeners.delete(listener);
  };
  readonly read = (): InstantFigures => this.value;

  /** After a frame; notifies at once when the player was started or stopped, else a few times a second, and always after the last frame. */
  update(scene: Scene, wasteMatch: WasteMatch, episodes: readonly { id: number; start: number; end: number }[]): void {
    const status = this.player.status;
    const urgent =
      status.playing !== this.value.playing ||
      status.loading !== this.value.loading ||
      status.error !== this.value.error;
    const wall = performance.now();
    window.clearTimeout(this.late);
    if (!urgent && wall - this.last < REFRESH_MS) {
      this.late = window.setTimeout(() => this.update(scene, wasteMatch, episodes), REFRESH_MS);
      return;
    }
    this.last = wall;
    let waiting = 0;
    for (const u of scene.state.known) {
      if (waits(scene.state.phase[u] as number)) waiting++;
    }
    const cpus = scene.layout.cells.map((cell) => cell.cpu);
    this.value = {
      ...status,
      wasted: wasteMatch.count,
      certain: wasteMatch.certain,
      ...partsOf(scene.state, wasteMatch, cpus),
      waiting,
      cpus: cpus.length,
      episodes: episodes.filter((e) => e.start <= status.at && e.end > status.at).map((e) => e.id),
      known: isKnown(status, scene.state.stretch !== null),
      n: this.value.n + 1,
    };
    for (const listener of this.listeners) listener();
  }

  /** The player's settings were changed; the frame that follows may change nothing else. */
  touch(): void {
    const { status } = this.player;
    this.value = { ...this.value, ...status, known: isKnown(status, this.value.known), n: this.value.n + 1 };
    for (const listener of this.listeners) listener();
  }
}

export const useFigures = (p: FigureFeed): InstantFigures => useSyncExternalStore(p.subscribe, p.read);
