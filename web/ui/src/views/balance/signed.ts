// Shares that may be below 0, as the terminal writes them.

import { percent } from '../../logic/units';

export const signedPercent = (share: number): string => (share < 0 ? `−${percent(-share)}` : percent(share));
