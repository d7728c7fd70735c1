// What gaps between frames say about what people saw.

/** A screen shows a picture every sixtieth of a second. */
const INTERVAL_MS = 1000 / 60;
/** The browser's clock scatters: a frame on time is 16.5 to 16.9 ms after the last. */
const JITTER_MS = 0.3;

/**
 * How long each picture stayed on the screen. A frame that missed its refresh is seen at
 * the next one: 24.9 ms are two intervals, not one.
 */
export const onScreen = (gaps) =>
  gaps.map(
    (gap) =>
      Math.max(1, Math.ceil((gap - JITTER_MS) / INTERVAL_MS)) * INTERVAL_MS,
  );

export const lateShare = (gaps) =>
  gaps.filter((gap) => gap > INTERVAL_MS + JITTER_MS).length / gaps.length;
