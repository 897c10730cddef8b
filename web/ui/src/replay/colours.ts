// Colours of the picture as CSS strings, computed once so that no frame mixes colours.

import { OTHERS } from '../logic/hues';
import { pathToken } from '../logic/paths';
import { PATHS } from './moves';

/** Steps between a dark cell and one that was busy all the time. */
export const GLOWS = 8;

export interface ReplayColours {
  dark: boolean;
  ground: string;
  /** Fill of an area by depth. */
  areas: string[];
  line: string;
  lineStrong: string;
  text: string;
  text2: string;
  text3: string;
  accent: string;
  wasted: string;
  wastedFill: string;
  waiting: string;
  waitingFill: string;
  busyFill: string;
  /** A CPU, in a cell or on a lane: idle; and on a lane running while others wait. */
  idleFill: string;
  overloadFill: string;
  surface: string;
  /** Of a cell's labels: while its CPU was mostly idle, and mostly busy. */
  offText: string;
  litText: string;
  /** A wasted core's cell, and its labels. */
  wastedCell: string;
  wastedText: string;
  unobserved: string;
  hues: string[];
  /** Those of threads at rest. */
  restHues: string[];
  /** [hue][glow]: a cell's fill. */
  cells: string[][];
  paths: string[];
  font: string;
}

type Rgb = [number, number, number];

export function rgb(hex: string): Rgb {
  const h = hex.trim().replace('#', '');
  const full = h.length === 3 ? [...h].map((c) => c + c).join('') : h;
  return [0, 2, 4].map((i) => Number.parseInt(full.slice(i, i + 2), 16) || 0) as Rgb;
}

/** Between two colours: 0 the first, 1 the second. */
export function mix(a: string, b: string, f: number): string {
  const [x, y] = [rgb(a), rgb(b)];
  return `#${x
    .map((v, i) =>
      Math.round(v + (y[i]! - v) * f)
        .toString(16)
        .padStart(2, '0'),
    )
    .join('')}`;
}

/** The colours from the page's tokens; `token` gives the value of a custom property. */
export function replayColours(token: (name: string) => string, dark: boolean): ReplayColours {
  const t = (name: string, otherwise: string) => token(name).trim() || otherwise;
  const surface = t('--surface', '#ffffff');
  const ground = t('--ground', '#f6f7f9');
  const hues = Array.from({ length: OTHERS + 1 }, (_, i) => t(`--kind-${i}`, '#7d8797'));
  const idle = t('--idle-fill', '#f1f3f6');
  const lit = dark ? 0.34 : 0.3;
  const base = dark ? '#1d2530' : '#ffffff';
  return {
    dark,
    ground,
    areas: dark ? ['#141920', '#191f28', '#1f2631', '#252d39'] : ['#fbfcfd', '#f2f5f8', '#e9eef4', '#e2e8f0'],
    line: t('--line', '#e1e5eb'),
    lineStrong: t('--line-strong', '#c2cad6'),
    text: t('--text', '#19212d'),
    text2: t('--text-2', '#465162'),
    text3: t('--text-3', '#626e80'),
    accent: t('--accent', '#1a5ca8'),
    wasted: t('--wasted', '#c2410c'),
    wastedCell: mix(surface, t('--wasted-fill', '#e8672a'), 0.32),
    wastedText: dark ? t('--wasted', '#ff9a62') : t('--certain', '#7a2a06'),
    wastedFill: t('--wasted-fill', '#e8672a'),
    waiting: t('--waiting', '#8a5a00'),
    waitingFill: t('--waiting-fill', '#e3a92b'),
    busyFill: t('--busy-fill', '#7fa6cf'),
    idleFill: idle,
    overloadFill: t('--overload-fill', '#1f3f6b'),
    surface,
    offText: dark ? '#9aa6b4' : '#465162',
    litText: dark ? t('--text', '#e7ebf1') : t('--text-2', '#465162'),
    unobserved: t('--unobserved', '#c9cfd8'),
    hues,
    restHues: hues.map((h) => mix(h, surface, dark ? 0.52 : 0.5)),
    cells: hues.map((h) => Array.from({ length: GLOWS + 1 }, (_, i) => mix(idle, mix(base, h, lit), i / GLOWS))),
    paths: PATHS.map((p) => t(pathToken(p), '#6b7686')),
    font: t('--font', 'system-ui, sans-serif'),
  };
}
