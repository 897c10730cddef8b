// A list in a sentence: its first items, and the rest at a button.

import { Fragment, type ReactNode, useState } from 'react';
import styles from './ListedText.module.css';

interface ListedTextProps {
  /** Words of each item, in order. */
  items: readonly string[];
  /** So many are shown at first. */
  most: number;
  between?: ReactNode;
  /** How many there are, where `items` has not all. */
  total?: number;
}

export function ListedText({ items, most, between = ', ', total = items.length }: ListedTextProps) {
  const [all, setAll] = useState(false);
  const shown = all ? items : items.slice(0, most);
  const rest = total - shown.length;
  return (
    <>
      {shown.map((item, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: items of one fixed list, of which two may be equal
        <Fragment key={index}>
          {index > 0 && between}
          {item}
        </Fragment>
      ))}
      {shown.length < items.length && (
        <>
          {' '}
          <button type="button" className={styles.more} onClick={() => setAll(true)}>
            and {rest} more
          </button>
        </>
      )}
      {shown.length === items.length && rest > 0 && ` and ${rest} more`}
      {all && items.length > most && (
        <>
          {' '}
          <button type="button" className={styles.more} onClick={() => setAll(false)}>
            fewer
          </button>
        </>
      )}
    </>
  );
}
