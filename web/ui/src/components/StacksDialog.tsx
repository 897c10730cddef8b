// Kernel stacks of a range, over the page.

import { useEffect, useRef } from 'react';
import { createPortal } from 'react-dom';
import type { TraceSummary } from '../api/types';
import type { Selection } from '../logic/place';
import dialogStyles from './Dialog.module.css';
import { Icon } from './Icon';
import { type ANY, RangeStacks, type StacksOf } from './RangeStacks';
import styles from './StacksDialog.module.css';

interface StacksDialogProps {
  trace: TraceSummary;
  range: Selection;
  /** The range in words. */
  title: string;
  of: StacksOf | typeof ANY;
  onOf: (of: StacksOf) => void;
  onClose: () => void;
}

export function StacksDialog({ trace, range, title, of, onOf, onClose }: StacksDialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current?.showModal(), []);
  // Beside the page, whose styles for headers and tables of the panel are not meant.
  return createPortal(
    <dialog ref={dialog} className={styles.dialog} onClose={onClose} aria-labelledby="stacks-title">
      <div className={dialogStyles.head}>
        <h2 id="stacks-title">Kernel stacks, {title}</h2>
        <button type="button" className="quiet icon" onClick={onClose} aria-label="Close">
          <Icon name="close" />
        </button>
      </div>
      <div className={styles.body}>
        <RangeStacks trace={trace} range={range} of={of} onOf={onOf} />
      </div>
    </dialog>,
    document.body,
  );
}
