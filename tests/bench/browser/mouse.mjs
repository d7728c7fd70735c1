// The same gestures for every plot: zoom in with the wheel, drag to and fro, zoom out.

/** Moves the real mouse for some seconds. The plot is in the middle of the page. */
export async function panAndZoom(page, { wheel = true } = {}) {
  const { width, height } = page.viewportSize();
  const [x, y] = [width / 2, height / 2];
  await page.mouse.move(x, y);
  for (let round = 0; round < 2; round++) {
    for (const direction of [-1, 1]) {
      if (wheel) {
        for (let i = 0; i < 40; i++) {
          await page.mouse.wheel(0, direction * 80);
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
