// The canvas' colours, for a component.

import { useEffect, useState } from 'react';
import { readInk } from './palette';

/** The colours in force; read anew when the theme changes. */
export function useInk() {
  const [ink, setInk] = useState(readInk);
  useEffect(() => {
    const observer = new MutationObserver(() => setInk(readInk()));
    observer.observe(document.documentElement, { attributeFilter: ['data-theme'] });
    return () => observer.disconnect();
  }, []);
  return ink;
}
