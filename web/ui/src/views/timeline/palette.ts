// The canvas' colours, out of the tokens in force.

import { OTHERS } from '../../logic/hues';
import { PATH_COLOURS } from '../../logic/paths';
import { type Palette, pack } from '../../logic/timeline/colour';

/** Colours that are drawn with, as CSS writes them, beside the packed ones of the lanes. */
export interface CanvasColours {
  palette: Palette;
  text: string;
  quiet: string;
  line: string;
  strong: string;
  surface: string;
  ground: string;
  accent: string;
  wasted: string;
  wastedSoft: string;
  certain: string;
  waiting: string;
  overload: string;
  missed: string;
  /** Interrupt work. */
  hardirq: string;
  softirq: string;
  /** The deepest idle state. */
  idleState: string;
  frequency: string;
  paths: Record<string, string>;
  font: string;
}

/** `#rrggbb` of any colour that CSS can write: a build may have shortened it. */
function plain(colour: string): string {
  const context = document.createElement('canvas').getContext('2d');
  if (!context) return colour;
  context.fillStyle = colour;
  return context.fillStyle;
}

/** Reads the tokens of the document. Throws when one is missing: tokens.css and this must agree. */
export function readCanvasColours(): CanvasColours {
  const style = getComputedStyle(document.documentElement);
  const css = (name: string) => {
    const value = style.getPropertyValue(name).trim();
    if (!value) throw new Error(`token ${name} is missing`);
    return value;
  };
  const packed = (name: string) => pack(plain(css(name)));
  const row = (name: string, n: number) => Array.from({ length: n }, (_, i) => packed(`--${name}-${i}`));
  const tokens = Object.keys(PATH_COLOURS);
  return {
    palette: {
      idle: packed('--idle-fill'),
      busy: packed('--busy-fill'),
      overload: packed('--overload-fill'),
      wasted: packed('--wasted-fill'),
      waiting: packed('--waiting-fill'),
      blocked: packed('--blocked-fill'),
      stopped: packed('--stopped-fill'),
      throttled: packed('--throttled-fill'),
      unobserved: packed('--unobserved'),
      ground: packed('--surface'),
      accent: packed('--accent'),
      heat: row('heat', 6),
      kinds: row('kind', OTHERS + 1),
    },
    text: css('--text'),
    quiet: css('--text-3'),
    line: css('--line'),
    strong: css('--line-strong'),
    surface: css('--surface'),
    ground: css('--ground'),
    accent: css('--accent'),
    wasted: css('--wasted-fill'),
    wastedSoft: css('--wasted-soft'),
    certain: css('--certain'),
    waiting: css('--waiting-fill'),
    overload: css('--overload-fill'),
    missed: css('--missed'),
    hardirq: css('--irq-hard'),
    softirq: css('--irq-soft'),
    idleState: css('--idle-state'),
    frequency: css('--frequency'),
    paths: Object.fromEntries(tokens.map((token) => [`--path-${token}`, css(`--path-${token}`)])),
    font: css('--font'),
  };
}
