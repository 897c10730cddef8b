// The canvas' colours, for a component.

import { useEffect, useState } from 'react';
import { readCanvasColours } from './palette';

/** The colours in force; read anew when the theme changes. */
export function useCanvasColours() {
  const [ink, setInk] = useState(readCanvasColours);
  useEffect(() => {
    const observer = new MutationObserver(() => setInk(readCanvasColours()));
    observer.observe(document.documentElement, { attributeFilter: ['data-theme'] });
    return () => observer.disconnect();
  }, []);
  return ink;
}
