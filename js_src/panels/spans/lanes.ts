// The lane of each row: how many threads its tasks kept busy over time.

import { toCss } from "../../base/colour";
import { formatCount } from "../../base/format";
import { ThreadsBusy } from "../../derive/threads_busy";
import { groupKey } from "../../model/groups";
import type { TaskModel } from "../../model/tasks";
import { hatch } from "../../timeline/areas";
import { paintCross } from "../../timeline/marks";
import type { PlotArea } from "../../timeline/time_plot";
import type { Range } from "../../timeline/window";
import type { Node } from "./tree";

const BAR_PX = 16;
/** Time per frame for counting. */
const WORK_MS = 5;
/** Opacity of the background of a bar. */
const BACKGROUND_OPACITY = 0.06;

interface Counted {
  readonly busy: ThreadsBusy;
  readonly at: ReadonlyMap<string, number>;
}

/** Draws the previous counts until the new ones are complete. */
export class Lanes {
  private ready: Counted | null = null;
  private next: Counted | null = null;
  private wanted = "";

  /** Returns true while there is more to count. */
  work(
    model: TaskModel,
    rows: readonly Node[],
    [start, stop]: Range,
    width_px: number,
    version: number,
  ): boolean {
    const ids = rows.map(({ id }) => id).join("\n");
    const wanted = JSON.stringify([start, stop, width_px, version, ids]);
    if (!this.next) {
      if (wanted === this.wanted) return false;
      this.wanted = wanted;
      const rowsOf = new Map<number, number[]>();
      rows.forEach(({ groups }, row) => {
        for (const { computation, span, prefix } of groups) {
          const key = groupKey(computation, span, prefix);
          const known = rowsOf.get(key);
          if (known) known.push(row);
          else rowsOf.set(key, [row]);
        }
      });
      const secondsPerPixel = (stop - start) / width_px;
      const window = { start, secondsPerPixel, width_px };
      this.next = {
        busy: new ThreadsBusy(model, window, rowsOf, rows.length),
        at: new Map(rows.map(({ id }, at) => [id, at])),
      };
    }
    if (this.next.busy.work(WORK_MS)) {
      this.ready = this.next;
      this.next = null;
      return wanted !== this.wanted;
    }
    return true;
  }

  /** `top`: top of the row, in pixels of the canvas. */
  paint(
    area: PlotArea,
    node: Node,
    top: number,
    row_px: number,
    look: { threads: number; colour: string; chosen: boolean; present: number },
  ): void {
    const { context, theme, pixelRatio, x, left, width } = area;
    const height = BAR_PX * pixelRatio;
    const y = Math.round(top + (row_px * pixelRatio - height) / 2);
    const isCell = node.kind === "cell";
    // Tasks may run longer than their cell.
    const ends = node.groups.map(({ stop }) => stop);
    const own = Math.min(node.stop, look.present);
    const stop = ends.reduce((most, one) => Math.max(most, one), own);
    if (!(stop >= node.start)) return;
    const from = Math.max(x(node.start), left - 4);
    const to = Math.min(x(stop), left + width + 4);
    if (to < left || from > left + width) return;
    const wide = Math.max(to - from, pixelRatio);
    context.fillStyle = toCss(theme.text);
    context.globalAlpha =
      node.tasks > 0 ? BACKGROUND_OPACITY : 2.5 * BACKGROUND_OPACITY;
    context.fillRect(from, y, wide, height);
    context.globalAlpha = 1;
    if (isCell) {
      context.fillStyle = hatch(area, toCss(theme.text2));
      context.globalAlpha = 0.5;
      for (const graph of node.cell?.graphs ?? []) {
        const read = Number.isNaN(graph.stop) ? look.present : graph.stop;
        const [begin, end] = [x(graph.time), x(read)];
        if (end < left || begin > left + width) continue;
        context.fillRect(begin, y, Math.max(end - begin, pixelRatio), height);
      }
      context.globalAlpha = 1;
    }
    this.paintBusy(area, node, y, height, look);
    if (look.chosen) {
      context.strokeStyle = toCss(theme.brand);
      context.lineWidth = 2 * pixelRatio;
      context.strokeRect(from, y - 1, wide, height + 2);
    }
  }

  private paintBusy(
    { context, range, width, left, x }: PlotArea,
    node: Node,
    y: number,
    height: number,
    { threads, colour }: { threads: number; colour: string },
  ): void {
    const { ready } = this;
    const at = ready?.at.get(node.id);
    if (!ready || at === undefined) return;
    const { start, secondsPerPixel, width_px } = ready.busy.window;
    const same = start === range[0] && width_px === width;
    context.fillStyle = colour;
    context.beginPath();
    for (let column = 0; column < width_px; column++) {
      const busy = ready.busy.busy[at * width_px + column];
      if (busy === 0) continue;
      const high = Math.min(1, busy / threads) * height;
      const begin = start + column * secondsPerPixel;
      const from = same ? left + column : x(begin);
      const wide = same ? 1 : x(begin + secondsPerPixel) - from;
      context.rect(from, y + height - high, wide, high);
    }
    context.fill();
  }
}

/** Draws the error sign after the bar of a row or, if that is cut, beside the plot. */
export function paintErred(
  area: PlotArea,
  { erred, start, groups }: Node,
  y: number,
): void {
  const { context, theme, pixelRatio, x, left, width } = area;
  const stop = groups.reduce((most, one) => Math.max(most, one.stop), start);
  if (erred === 0 || !(x(stop) >= left && x(start) <= left + width)) return;
  const size = 3.5 * pixelRatio;
  const at = Math.min(x(stop), left + width) + 2.5 * size;
  context.strokeStyle = context.fillStyle = toCss(theme.error);
  context.lineWidth = 2 * pixelRatio;
  paintCross(context, at, y, size);
  context.font = `${theme.small_px * pixelRatio}px ${theme.font}`;
  context.textAlign = "left";
  context.textBaseline = "middle";
  context.fillText(formatCount(erred), at + 1.5 * size, y);
}
