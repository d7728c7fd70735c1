// Threads busy over time, by prefix, as an area of a plot.

import { formatExact } from "../base/format";
import { fullHeight, Minimap } from "../derive/minimap";
import type { TaskModel } from "../model/tasks";
import type { PlotArea } from "../timeline/time_plot";

export class ThreadsBusyArea {
  private readonly minimap = new Minimap();
  /** Pixels come by way of another canvas: where nothing is, the plot stays. */
  private readonly canvas = document.createElement("canvas");
  private readonly ink = this.canvas.getContext("2d");
  private image: ImageData | null = null;

  /** Counts what is in a range; returns how many threads the full height means. */
  update(
    model: TaskModel,
    [start, stop]: readonly [number, number],
    width_px: number,
    threads: number,
  ): number {
    const secondsPerPixel = (stop - start) / width_px;
    this.minimap.update(model, { start, secondsPerPixel, width_px });
    const filtered = model.filter?.byRow ?? false;
    const { most } = this.minimap;
    // If nothing was busy, the height has no meaning.
    if (most === 0 && (filtered || threads === 0)) return 0;
    return fullHeight({ most, threads, filtered });
  }

  /** `full` is how many threads the height means; nothing is drawn from `end` on. */
  paint(
    { context, left, top, width, height }: Omit<PlotArea, "y">,
    full: number,
    colours: Uint32Array,
    other: number,
    end = Infinity,
  ): void {
    const { canvas, ink } = this;
    if (!ink) return;
    if (this.image?.width !== width || this.image.height !== height) {
      canvas.width = width;
      canvas.height = height;
      this.image = ink.createImageData(width, height);
    }
    const pixels = new Uint32Array(this.image.data.buffer);
    pixels.fill(0);
    this.minimap.paint(pixels, height, full, colours, other);
    ink.putImageData(this.image, 0, 0);
    const shown = Math.min(width, Math.round(end) - left);
    if (shown <= 0) return;
    context.drawImage(canvas, 0, 0, shown, height, left, top, shown, height);
  }
}

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
      title: `None of ${have} threads was busy with the isolated tasks.`,
    };
  }
  // A mean over the time of a pixel: at some moment so many threads were busy.
  const most = formatExact(Math.ceil(Number(peak.toPrecision(3))));
  return {
    text: `Threads, peak ${most}`,
    title: filtered
      ? `At most ${most} of ${have} threads were busy with the isolated tasks.`
      : `There are ${have} threads now, but up to ${most} were busy: workers have left, or tasks seceded from their threads.`,
  };
}
