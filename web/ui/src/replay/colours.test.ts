import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { GLOWS, type ReplayColours, replayColours, rgb } from './colours';
import { wordBeside } from './paint';

const css = readFileSync(new URL('../styles/tokens.css', import.meta.url), 'utf8');
const [light = '', dark = ''] = css.split(':root[data-theme="dark"]');
const tokenOf = (part: string) => (name: string) => new RegExp(`${name}: (#[0-9a-f]{6});`).exec(part)?.[1] ?? '';

/** WCAG's contrast of two colours, 1 to 21. */
function contrast(a: string, b: string): number {
  const luminance = (hex: string) => {
    const linear = rgb(hex).map((v) => (v / 255 <= 0.03928 ? v / 255 / 12.92 : ((v / 255 + 0.055) / 1.055) ** 2.4));
    return 0.2126 * linear[0]! + 0.7152 * linear[1]! + 0.0722 * linear[2]!;
  };
  const [x, y] = [luminance(a), luminance(b)];
  return (Math.max(x, y) + 0.05) / (Math.min(x, y) + 0.05);
}

describe('labels on the canvas, which axe does not see', () => {
  const looks: [string, ReplayColours][] = [
    ['light', replayColours(tokenOf(light), false)],
    ['dark', replayColours(tokenOf(dark), true)],
  ];
  it.each(looks)('%s: numbers and names of CPUs have a contrast of 4.5 : 1 in every state of their cell', (_, look) => {
    for (const cells of look.cells) {
      cells.forEach((ground, glow) => {
        expect(contrast(glow / GLOWS > 0.5 ? look.litText : look.offText, ground)).toBeGreaterThanOrEqual(4.5);
      });
      expect(contrast(look.text, cells[GLOWS]!)).toBeGreaterThanOrEqual(4.5);
    }
  });
  it.each(looks)('%s: labels of a wasted cell have a contrast of 4.5 : 1', (_, look) => {
    expect(contrast(look.wastedText, look.wastedCell)).toBeGreaterThanOrEqual(4.5);
  });
  it.each(looks)(
    '%s: labels of a cell that is not observed have a contrast of 4.5 : 1, and no idle cell has its grey',
    (_, look) => {
      expect(contrast(look.text, look.unobserved)).toBeGreaterThanOrEqual(4.5);
      for (const cells of look.cells) {
        expect(cells[0]).toBe(look.idleFill);
        expect(contrast(cells[0]!, look.unobserved)).toBeGreaterThan(1.3);
      }
    },
  );
  it('are beside a CPU’s number only where both fit', () => {
    expect(wordBeside('CPU 0', ['not observed', '?'], 240, 13)).toBe('not observed');
    expect(wordBeside('CPU 0', ['not observed', '?'], 118, 13)).toBe('?');
    expect(wordBeside('CPU 127', ['wasted'], 74, 9)).toBe(null);
    expect(wordBeside('CPU 63', ['wasted'], 93, 10.2)).toBe('wasted');
  });
});
