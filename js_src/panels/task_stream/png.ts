// Draws the picture of a task stream for saving.

import { framedPng } from "../../panel/framed_png";
import { formatClock, formatDate, formatRange } from "../../base/format";
import { bandsOf } from "../../timeline/lanes";
import { crumbsOf } from "../../panel/crumbs";
import { viewLegend } from "./legend";
import type { PanelState } from "./panel_state";
import type { TaskPlot } from "./plot";
import { panelFacts } from "./status_facts";

const LEAST_GUTTER_PX = 84;

/** Draws the plot as it is, with the texts that are DOM elements on the page. */
export function drawPicture(
  view: PanelState,
  { overview, lanes, plot }: TaskPlot,
): HTMLCanvasElement {
  const { pixelRatio } = plot.view.size;
  const geometry = view.geometry.peek();
  const rows = view.rows.peek();
  const bars = {
    canvas: overview.view.canvas,
    over: overview.view.canvas.parentElement!,
    seen: ".ds-overview-shade, .ds-overview-window",
    below_px: 8,
  };
  const tasks = {
    canvas: plot.view.canvas,
    over: plot.hit,
    seen: ".ds-time-shade, .ds-lane-chosen",
    below_px: 0,
  };
  return framedPng({
    title: "Task stream",
    about: aboutOf(view),
    legend: viewLegend(view),
    facts: panelFacts(view, null, true),
    theme: view.environment.theme.peek(),
    font_px: rows.font + 1,
    pixelRatio,
    canvases: geometry.overview > 0 ? [bars, tasks] : [tasks],
    gutter_px: Math.max(geometry.gutter, LEAST_GUTTER_PX),
    names: {
      top: rows.lanesTop,
      bottom: rows.lanesTop + lanes.map.height / pixelRatio,
      all: bandsOf(lanes.map, pixelRatio, rows.line).map(({ group, top }) => ({
        text: group.name,
        middle: rows.lanesTop + top + rows.line / 2,
      })),
    },
  });
}

/** The client, the shown time and the filters, in words. */
function aboutOf(view: PanelState): string[] {
  const { window, extent } = view;
  const origin = view.origin.peek();
  const about: string[] = [];
  const name = view.session.peek()?.info.peek().name;
  if (name) about.push(name);
  if (extent) {
    const start = Math.max(window.start, extent.start);
    const stop = Math.min(window.stop, extent.stop);
    const isSeen = stop > start;
    const [from, to] = isSeen ? [start, stop] : [window.start, window.stop];
    about.push(formatRange(from - origin, to - origin));
    about.push(`from ${formatDate(from)} ${formatClock(from, 0)}`);
  }
  const narrowing = view.narrowing.peek();
  const crumbs = crumbsOf(narrowing, origin);
  for (const { part, text } of crumbs) {
    const names = part === "time" ? [] : narrowing[part];
    // A picture has no tooltips, so list the names instead of "2 workers".
    about.push(`only ${names.length > 1 ? names.join(", ") : text}`);
  }
  const search = view.search.peek().text;
  if (search !== "") about.push(`search “${search}”`);
  return about;
}
