// Busy threads over time by prefix, as an area of a plot.

import { formatExact } from "../base/format";
import { fullHeight, Minimap } from "../derive/minimap";
import type { TaskModel } from "../model/tasks";
import type { PlotArea } from "../timeline/time_plot";

export class ThreadsBusyArea {
  private readonly minimap = new Minimap();
  /** Drawn through a second canvas, so that empty pixels keep the plot's background. */
  private readonly canvas = document.createElement("canvas");
  private readonly ink = this.canvas.getContext("2d");
  private image: ImageData | null = null;

  /** Counts a time range; returns how many threads the full height represents. */
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
    // If nothing was busy, there is no scale.
    if (most === 0 && (filtered || threads === 0)) return 0;
    return fullHeight({ most, threads, filtered });
  }

  /** `full`: threads that the height represents. Nothing is drawn after pixel `end`. */
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

/** `peak`: threads that the full height represents, if not `threads`. */
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
  // `peak` is a mean over the time of a pixel, so at some moment this many were busy.
  const most = formatExact(Math.ceil(Number(peak.toPrecision(3))));
  return {
    text: `Threads, peak ${most}`,
    title: filtered
      ? `At most ${most} of ${have} threads were busy with the isolated tasks.`
      : `There are ${have} threads now, but up to ${most} were busy: workers have left, or tasks seceded from their threads.`,
  };
}
