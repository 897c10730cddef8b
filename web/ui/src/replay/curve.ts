// The curve of wasted cores over the whole trace.

/** Most cores that were wasted at once; 0 where none ever was. */
export const peakOf = (most: ArrayLike<number>): number => {
  let peak = 0;
  for (let i = 0; i < most.length; i++) peak = Math.max(peak, most[i] as number);
  return peak;
};
