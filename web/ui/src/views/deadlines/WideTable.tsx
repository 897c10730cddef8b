// A table that scrolls sideways where it is too wide, by keys as well.

import type { ReactNode } from 'react';
import styles from './Deadlines.module.css';

export function WideTable({ label, children }: { label: string; children: ReactNode }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to have the focus
    // biome-ignore lint/a11y/useSemanticElements: a fieldset groups inputs
    <div className={styles.wide} tabIndex={0} role="group" aria-label={`${label}, table`}>
      <table className={styles.table} aria-label={label}>
        {children}
      </table>
    </div>
  );
}
