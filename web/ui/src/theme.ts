// Light or dark: what the link says, else what was chosen here before, else what the system prefers.

import { useEffect, useState } from 'react';
import type { Theme } from './logic/place';

export type Shade = 'light' | 'dark';

const STORAGE_KEY = 'wastenot.theme';
const system = matchMedia('(prefers-color-scheme: dark)');
const paper = matchMedia('print');

function kept(): Theme {
  try {
    const value = localStorage.getItem(STORAGE_KEY);
    return value === 'light' || value === 'dark' ? value : 'auto';
  } catch {
    return 'auto'; // Storage may be forbidden; the system's preference is good enough.
  }
}

function keep(theme: Theme): void {
  try {
    localStorage.setItem(STORAGE_KEY, theme);
  } catch {
    // As above.
  }
}

/** The shade that a theme means here and now. */
export function shadeOf(theme: Theme): Shade {
  const wanted = theme === 'auto' ? kept() : theme;
  if (wanted !== 'auto') return wanted;
  return system.matches ? 'dark' : 'light';
}

/** Paint the page in a shade. Called before the first paint, too. */
export function applyShade(shade: Shade): void {
  document.documentElement.dataset.theme = shade;
}

/** The shade in force, following the link, the choice and the system. */
export function useShade(theme: Theme): [Shade, (shade: Shade) => void] {
  const [shade, setShade] = useState(() => shadeOf(theme));
  useEffect(() => {
    const update = () => setShade(shadeOf(theme));
    update();
    system.addEventListener('change', update);
    return () => system.removeEventListener('change', update);
  }, [theme]);
  useEffect(() => {
    // Prints are light, independent of the theme.
    const paint = () => applyShade(paper.matches ? 'light' : shade);
    paint();
    paper.addEventListener('change', paint);
    return () => paper.removeEventListener('change', paint);
  }, [shade]);
  return [
    shade,
    (chosen) => {
      keep(chosen);
      setShade(chosen);
    },
  ];
}
