// The same gestures for every plot: zoom in with the wheel, drag to and fro, zoom out.

/**
 * Moves the real mouse for some seconds, `at` a place of the plot, or in the middle of the
 * page. `turns` of the wheel, those below zero zoom in, each come before a drag.
 */
export async function panAndZoom(page, how = {}) {
  const { width, height } = page.viewportSize();
  const { wheel = true, at = [width / 2, height / 2], turns = [-40, 40] } = how;
  const [x, y] = at;
  await page.mouse.move(x, y);
  for (let round = 0; round < 2; round++) {
    for (const turn of turns) {
      if (wheel) {
        for (let i = 0; i < Math.abs(turn); i++) {
          await page.mouse.wheel(0, Math.sign(turn) * 80);
          await nextFrame(page);
        }
      }
      await page.mouse.down();
      for (let i = 0; i < 60; i++) {
        const away = 300 * Math.sin((i / 60) * 2 * Math.PI);
        await page.mouse.move(x + away, y);
        await nextFrame(page);
      }
      await page.mouse.up();
    }
  }
}

/** The page has `noteFrames`: that somebody waits is no work of the frame. */
export function nextFrame(page) {
  return page.evaluate(
    () => new Promise((resolve) => window.noted.native(() => resolve())),
  );
}

export function percentile(values, share) {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];
}
