// How bad waste is: a word on a colour, never the colour alone.

import type { ReactNode } from 'react';
import { meaningOf } from '../logic/glossary';
import styles from './Severity.module.css';

interface SeverityProps {
  /** Chooses the colour: a value of the enumeration of grades. */
  level: string;
  /** In words. */
  children: ReactNode;
  title?: string;
}

export const Severity = ({ level, children, title = meaningOf('severity') }: SeverityProps) => (
  <span className={styles.severity} data-level={level} title={title}>
    {children}
  </span>
);
