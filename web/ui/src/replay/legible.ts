// Sizes of texts in the picture.

/** Text is drawn only from this size on. */
export const LEGIBLE = 9;

/** Cells from this width on have the name of the running thread, in this size. */
export const NAMED_CELL = 46;
export const nameSize = (width: number): number => Math.min(13, Math.max(LEGIBLE, width * 0.11));
