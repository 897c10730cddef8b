// Figures that may be below 0, with a minus sign.

import { duration, percent } from '../../logic/units';

/** A share; what rounds to nothing has no sign, as in the terminal. */
export const signedPercent = (share: number): string =>
  share < 0 ? `${-share < 0.00005 ? '' : '−'}${percent(-share)}` : percent(share);

export const signedDuration = (ns: number): string => (ns < 0 ? `−${duration(-ns)}` : duration(ns));
