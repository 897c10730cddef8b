// What the replay keeps in the link, beside trace, episode and followed thread: instant, speed, bubbles, hues, camera.

import type { Camera } from '../../replay/camera';
import { SPEEDS } from '../../replay/clock';
import { HUES_BY, type HueBy } from '../../replay/dictionary';
import { REPLAY_TREES, type ReplayTree } from './useReplayData';

export interface ReplayPlace {
  /** On the trace's clock, ns; null: the start of the selected episode, else of the worst, else of the trace. */
  at_ns: number | null;
  speed: number | null;
  /** null: those that were declared where there are any, else cgroups and processes. */
  bubbles: ReplayTree | null;
  hues: HueBy;
  camera: Camera | null;
  /** The camera stays with the followed thread. */
  follow: boolean;
}

const number = (text: string | undefined): number | null => {
  const value = text === undefined || text === '' ? Number.NaN : Number(text);
  return Number.isFinite(value) ? value : null;
};

export function parseReplay(params: Readonly<Record<string, string>>): ReplayPlace {
  const per = number(params.x);
  const camera = params.cam?.split(',').map(Number) ?? [];
  const [k, x, y] = camera;
  const good = k !== undefined && x !== undefined && y !== undefined && camera.every(Number.isFinite) && k > 0;
  return {
    at_ns: number(params.t),
    speed: per === null || per <= 0 ? null : (SPEEDS.find((s) => Math.abs(1 / s - per) < per * 0.01) ?? null),
    bubbles: REPLAY_TREES.find((b) => b === params.b) ?? null,
    hues: HUES_BY.find((h) => h === params.hue) ?? 'process',
    camera: good ? { k, x, y } : null,
    follow: params.follow === '1',
  };
}

/** The parameters of a place; only what differs from the default is written. */
export function formatReplay(p: ReplayPlace): Record<string, string> {
  const round = (v: number) => String(Math.round(v * 1000) / 1000);
  return {
    ...(p.at_ns === null ? {} : { t: String(Math.round(p.at_ns)) }),
    ...(p.speed === null ? {} : { x: String(Math.round(1 / p.speed)) }),
    ...(p.bubbles === null ? {} : { b: p.bubbles }),
    ...(p.hues === 'process' ? {} : { hue: p.hues }),
    ...(p.camera === null ? {} : { cam: [p.camera.k, p.camera.x, p.camera.y].map(round).join(',') }),
    ...(p.follow ? { follow: '1' } : {}),
  };
}
