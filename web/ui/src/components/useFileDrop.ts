// A file that is dropped on the page; the browser would open it in place of the page.

import { useEffect, useRef, useState } from 'react';

/** Passes a dropped file to `take`, unless `active` says that drags are not for this view. True while a file is dragged over. */
export function useFileDrop(take: (file: File) => void, active: () => boolean = () => true): boolean {
  const [over, setOver] = useState(false);
  const latest = useRef({ take, active });
  useEffect(() => {
    latest.current = { take, active };
  });
  useEffect(() => {
    const listen = new AbortController();
    const on = (name: 'dragover' | 'dragleave' | 'drop', action: (event: DragEvent) => void) =>
      window.addEventListener(
        name,
        (event) => event.dataTransfer?.types.includes('Files') && latest.current.active() && action(event),
        { signal: listen.signal },
      );
    on('dragover', (event) => {
      event.preventDefault();
      setOver(true);
    });
    // Without a related target the drag left the window, not a part of the page; such a drag leaves the view as it is.
    on('dragleave', (event) => event.relatedTarget === null && setOver(false));
    on('drop', (event) => {
      event.preventDefault();
      setOver(false);
      const file = event.dataTransfer?.files[0];
      if (file) latest.current.take(file);
    });
    return () => listen.abort();
  }, []);
  return over;
}
