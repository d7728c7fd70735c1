// What gaps between frames say about what people saw.

/**
 * Runs in a page, before its own scripts: notes each frame in `window.noted`.
 *
 * `gaps` is from one frame to the next. Most frames have nothing to do, also while a
 * mouse moves: `active` are the gaps after frames in which something was done, and
 * `work` how long that took. All in milliseconds.
 */
export function noteFrames() {
  const native = window.requestAnimationFrame.bind(window);
  const frames = { gaps: [], active: [], work: [] };
  window.noted = Object.assign(frames, {
    native,
    clear: () => {
      for (const list of [frames.gaps, frames.active, frames.work]) {
        list.length = 0;
      }
    },
  });
  // All callbacks of a frame are called with the same time.
  const worked = new Map();
  let last = 0;
  window.requestAnimationFrame = (callback) =>
    native((now) => {
      const began = performance.now();
      try {
        callback(now);
      } finally {
        const ms = performance.now() - began;
        worked.set(now, (worked.get(now) ?? 0) + ms);
      }
    });
  const note = (now) => {
    const gap = now - last;
    if (last) frames.gaps.push(gap);
    const ms = worked.get(last) ?? 0;
    worked.delete(last);
    if (ms > 0) {
      frames.active.push(gap);
      frames.work.push(ms);
    }
    last = now;
    native(note);
  };
  native(note);
}

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
