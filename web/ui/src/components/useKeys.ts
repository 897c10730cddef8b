// Key bindings of a component, while it is there.

import { useEffect, useRef } from 'react';
import { keyName } from '../logic/keys';

export type Bindings = Record<string, (event: KeyboardEvent) => void>;

/** An element of a dialog keeps the focus until the frame after the dialog closes; a key pressed in between is not text input. */
const typing = (target: EventTarget | null) =>
  target instanceof HTMLElement &&
  target.closest('input, textarea, select, [contenteditable="true"]') !== null &&
  target.closest('dialog:not([open])') === null;

/** Names as in `keyName` (their case does not matter). Nothing fires while the user types or a dialog is open. */
export function useKeys(bindings: Bindings): void {
  const latest = useRef(bindings);
  useEffect(() => {
    latest.current = bindings;
  });
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.defaultPrevented || typing(event.target) || document.querySelector('dialog[open]')) return;
      const name = keyName(event);
      const action = Object.entries(latest.current).find(([key]) => key.toLowerCase() === name)?.[1];
      if (!action) return;
      event.preventDefault();
      action(event);
    };
    window.addEventListener('keydown', onKey);
    return () => window.removeEventListener('keydown', onKey);
  }, []);
}
