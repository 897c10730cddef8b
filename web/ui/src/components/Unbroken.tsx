// A sentence whose figures stay with their unit, and whose lists of CPUs are broken after commas only: a range that is cut
// in two at its hyphen reads as two.

import { Fragment } from 'react';
import styles from './Unbroken.module.css';

/** A figure with its unit; a list of CPUs in which there is a range. */
const WHOLE = /(\d[\d.,]* (?:core-s|ms|µs|ns|s|%)(?![\w-])|\d+(?:,\d+)*-\d+(?:[-,]\d+)*)/;

export function Unbroken({ text }: { text: string }) {
  return text.split(WHOLE).map((part, index) =>
    index % 2 === 0 ? (
      part
    ) : (
      // biome-ignore lint/suspicious/noArrayIndexKey: parts of one fixed text
      <Fragment key={index}>
        {part.includes(' ') ? <span className={styles.whole}>{part}</span> : <CpuRanges list={part} />}
      </Fragment>
    ),
  );
}

function CpuRanges({ list }: { list: string }) {
  return list.split(/(?<=,)/).map((range, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: parts of one fixed text
    <Fragment key={index}>
      {index > 0 && <wbr />}
      <span className={styles.whole}>{range}</span>
    </Fragment>
  ));
}
