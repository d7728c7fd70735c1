// What the height of the overview stands for, in words.

import { formatExact } from "../../base/format";

/** `peak` is the height where that is not the number of threads. */
export function threadsLabel(
  threads: number,
  peak: number | null,
  filtered: boolean,
): { text: string; title: string } {
  const have = formatExact(threads);
  if (peak === null) {
    return { text: `Threads busy, of ${have}`, title: "" };
  }
  if (peak === 0) {
    return {
      text: "Threads, peak 0",
      title: `No thread was busy with what is isolated, of ${have}.`,
    };
  }
  // Busy for a part of what a pixel stands for: that many threads were, once.
  const most = formatExact(Math.ceil(Number(peak.toPrecision(3))));
  return {
    text: `Threads, peak ${most}`,
    title: filtered
      ? `The height is the most that was busy with what is isolated: ${most} threads, of ${have}.`
      : `There are ${have} threads now, and ${most} were busy at once: workers have left, or tasks seceded from their thread.`,
  };
}
