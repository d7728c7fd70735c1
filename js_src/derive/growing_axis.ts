// The end of an axis of time while time goes on: it grows in steps, so that what is drawn
// keeps its place in between.

const STEPS_S = [30, 60, 120, 300, 600, 1800, 3600, 7200, 21_600, 86_400];
/** With more of them, the next wider step is used. */
const MOST_STEPS = 8;

/** In seconds from the start of the axis, later than `elapsed_s`. */
export function growingAxis(elapsed_s: number): number {
  const elapsed = Math.max(0, elapsed_s);
  const fits = (step: number): boolean => elapsed < step * MOST_STEPS;
  const step = STEPS_S.find(fits) ?? STEPS_S[STEPS_S.length - 1];
  return (Math.floor(elapsed / step) + 1) * step;
}
