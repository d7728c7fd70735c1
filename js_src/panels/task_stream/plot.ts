// The plot of the task stream: lanes of tasks with names, the events above them, and the
// items under the pointer.

import { effect, signal, untracked } from "@preact/signals";
import { toCss } from "../../base/colour";
import { LanePicture } from "../../derive/lane_picture";
import { intervalOf } from "../../model/query";
import { findAfter } from "../../model/search";
import type { Interval } from "../../model/types";
import { ColoursOf } from "../../panel/pixel_colours";
import { isAlarming } from "../../panel/status_line";
import type { WorkerGroup } from "../../panel/worker_groups";
import { IntervalNames } from "../../timeline/interval_names";
import { type Box, LaneOutlines, Lanes } from "../../timeline/lanes";
import {
  paintEnd,
  type PlotArea,
  TimePlot,
  type TimePlotContent,
} from "../../timeline/time_plot";
import { EventsRow, nextError } from "./events";
import { LANES_BOTTOM_PX } from "./geometry";
import { pinRow, rowOfError, zoomTo } from "./go_to_task";
import { Overview } from "./overview";
import type { PanelState } from "./panel_state";

/** Time per frame for filtering; while nothing moves, enough for a million tasks. */
const WORK_MS = 5;
const STILL_WORK_MS = 12;
/**
 * Time per frame for drawing lanes finely; drawing them roughly may take as long again. The
 * rest of the 16.7 ms is for composing the picture and for the browser.
 */
const PAINT_MS = 4;
/** The same while nothing moves: a late frame is not noticed, so draw finely at once. */
const STILL_MS = 12;
/** Distance in CSS pixels at which the pointer still hits a task. */
const CATCH_PX = 3;
const HINT_MS = 1600;

/** A row and its box, in CSS pixels of the plot. */
export interface Target extends Box {
  readonly row: Interval;
  /** Whether it is drawn as a strip on another row. */
  readonly overlay: boolean;
}

/** A block of the preview and the position of its lane, in CSS pixels. */
export interface CoarseTarget {
  readonly lane: number;
  readonly prefix: number;
  readonly rows: number;
  readonly busyShare: number;
  readonly erred: boolean;
  readonly top: number;
  readonly height: number;
}

export class TaskPlot {
  readonly lanes = new Lanes<WorkerGroup>();
  readonly plot: TimePlot;
  readonly overview: Overview;
  /** Increases when lanes move, so that the gutter updates the positions of names. */
  readonly laid = signal(0);

  private readonly picture = new LanePicture();
  private readonly visible: number[] = [];
  private readonly names: IntervalNames;
  private readonly events = new EventsRow();
  private readonly colours: ColoursOf;
  private readonly outlines: LaneOutlines;
  private readonly stops: readonly (() => void)[];

  constructor(
    elements: { readonly plot: HTMLElement; readonly overview: HTMLElement },
    root: HTMLElement,
    private readonly view: PanelState,
  ) {
    this.colours = new ColoursOf(view);
    const plot = (this.plot = new TimePlot(elements.plot, view, root));
    this.names = new IntervalNames(plot.view.context);
    this.overview = new Overview(elements.overview, view, this.colours);
    this.outlines = new LaneOutlines(plot.hit);
    this.stops = [
      effect(() => {
        // Reset the scroll position when the session changes.
        void view.session.value;
        this.lanes.map.scroll = 0;
      }),
      effect(() => this.onData()),
      effect(() => this.onSettings()),
      effect(() => {
        this.events.read(view);
        plot.view.request();
      }),
      effect(() => {
        void [view.hover.value, view.pinned.value];
        untracked(() => this.placeOutlines());
      }),
    ];
  }

  dispose(): void {
    for (const stop of this.stops) stop();
    this.overview.dispose();
    this.plot.dispose();
  }

  scrollLanes(css_px: number): boolean {
    const moved = this.lanes.map.scrollBy(css_px * this.lanes.pixelRatio);
    if (moved) this.lanesMoved();
    return moved;
  }

  scrollPages(pages: number): void {
    const { map, pixelRatio } = this.lanes;
    this.scrollLanes((pages * map.height * 0.9) / pixelRatio);
  }

  reveal(lane: number): void {
    this.lanes.map.reveal(lane);
    this.lanesMoved();
  }

  private lanesMoved(): void {
    this.laid.value += 1;
    this.plot.view.request();
  }

  // What makes it draw -----------------------------------------------------

  private onData(): void {
    const { view } = this;
    void view.session.value;
    void view.dataVersion.value;
    void view.state.value;
    untracked(() => {
      this.plot.view.request();
      this.overview.dataChanged();
      // The rows of the hovered block may have arrived.
      if (view.coarseHover.peek()) this.plot.pictureMoved();
    });
  }

  private onSettings(): void {
    const { view, plot } = this;
    void view.session.value;
    void view.placed.value;
    void view.threadsShown.value;
    void view.paused.value;
    void view.environment.visible.value;
    void view.namesVersion.value;
    void view.filterVersion.value;
    void view.focus.value;
    void view.host.emptyState.value;
    const rows = view.rows.value;
    this.outlines.place(rows.lanesTop);
    plot.show({
      ...this.handlers,
      origin: view.origin.value,
      present: null,
      theme: { ...view.environment.theme.value, small_px: rows.font },
      above: true,
      margins: { left: 0, top: rows.axis, right: 0, bottom: LANES_BOTTOM_PX },
      paint: (area, columns) => this.paint(area, columns),
    });
    plot.view.request();
    this.overview.view.request();
  }

  // Drawing ----------------------------------------------------------------

  private paint(area: PlotArea, columns: readonly number[]): void {
    const { view, lanes } = this;
    const { context, pixelRatio, width } = area;
    const store = view.session.peek();
    const rows = view.rows.peek();
    const top = Math.round(rows.lanesTop * pixelRatio);
    const height = Math.max(0, area.top + area.height - top);
    const size = { top, width, height, pixelRatio };
    if (lanes.place(area.range, size, view.placed.peek(), rows.lane)) {
      this.laid.value += 1;
    }
    const version = store?.model.version;
    const work_ms = lanes.sameTime ? STILL_WORK_MS : WORK_MS;
    const more = store?.model.work(work_ms) ?? false;
    if (store?.model.version !== version) this.overview.view.request();
    this.events.paint(area, rows, columns);
    const paints = this.colours.current();
    let fine = true;
    if (store && paints) {
      const { model } = store;
      lanes.visible(this.visible);
      fine = this.picture.update(
        model,
        this.visible,
        lanes.window,
        paints,
        lanes.sameTime ? STILL_MS : PAINT_MS,
      );
      lanes.paint(context, this.visible, this.picture, paints, columns);
      if (lanes.map.layout.height >= rows.labelled * pixelRatio) {
        const named = this.visible.filter((lane) => this.picture.base(lane));
        this.names.paint(
          ...([area, lanes, named, model, store.prefixes, paints] as const),
          this.mayName,
        );
      }
      // Rows after a pause are not drawn.
      const limit = view.paused.peek();
      if (limit !== null && limit < area.range[1]) {
        const from = Math.max(0, area.x(limit));
        context.fillStyle = toCss(area.theme.panel);
        context.fillRect(from, top, width - from, height);
      }
    }
    this.events.paintGaps(area, top, top + height);
    this.paintEnd(area);
    lanes.paintScroll(area);
    this.placeOutlines();
    this.overview.place(...area.range);
    if (more || !fine) this.plot.view.request();
  }

  private readonly mayName = (name: string): boolean => {
    const filter = this.view.session.peek()?.model.filter;
    return !filter?.byRow || this.view.focus.peek().prefixes.includes(name);
  };

  /** Marks the time of the pause, or the time at which the connection was lost. */
  private paintEnd(area: PlotArea): void {
    const { view } = this;
    const { theme } = area;
    let colour = theme.text2;
    let time = view.paused.peek();
    if (time === null && view.state.peek() === "lost" && view.extent) {
      time = Math.max(view.now.peek(), view.extent.stop);
      if (isAlarming(view.host.emptyState.peek())) colour = theme.error;
    }
    if (time !== null) paintEnd(area, time, colour, this.plot.view.size.height);
  }

  private placeOutlines(): void {
    const { lanes, view } = this;
    const hover = view.hover.peek();
    const pinned = view.pinned.peek();
    this.outlines.hover(hover && lanes.boxOf(hover.row, hover.overlay));
    this.outlines.choose(pinned && lanes.boxOf(pinned, false));
  }

  // What the pointer finds ---------------------------------------------------

  private readonly handlers: Partial<TimePlotContent> = {
    hover: (x, y) => this.hover(x, y),
    hovers: () => {
      const { hover, coarseHover, eventHover } = this.view;
      return (hover.peek() ?? coarseHover.peek() ?? eventHover.peek()) !== null;
    },
    leave: () => {
      this.view.hover.value = null;
      this.view.coarseHover.value = null;
      this.view.eventHover.value = null;
    },
    click: (x, y) => this.click(x, y),
    doubleClick: (x, y) => {
      // Its two clicks have already stepped through the errors there.
      if (this.eventAt(x, y)) return true;
      const target = this.taskAt(x, y);
      if (target) zoomTo(this.view, intervalOf(target.row));
      return target !== null;
    },
    scroll: (css_px) => void this.scrollLanes(css_px),
    /** Shows a hint how to zoom. */
    refuse: () => {
      const apple = /Mac|iPhone|iPad/.test(navigator.platform);
      const key = apple ? "⌘" : "Ctrl";
      const words = `Click the plot, or hold ${key}, to zoom with the wheel`;
      this.view.showHint(words, HINT_MS);
    },
  };

  private hover(x: number, y: number): void {
    const { view } = this;
    const target = this.taskAt(x, y);
    const merged = this.eventAt(x, y);
    view.eventHover.value = merged && { merged, pointerX: x };
    const pins = target !== null || merged?.level === "error";
    this.plot.hit.style.cursor = pins ? "pointer" : "";
    const coarse = target ? null : this.coarseAt(x, y);
    view.coarseHover.value = coarse && { ...coarse, pointerX: x };
    const before = view.hover.peek();
    if (!target) {
      if (before) view.hover.value = null;
      return;
    }
    const same =
      before?.pointerX === x &&
      before.pointerY === y &&
      before.row.task === target.row.task &&
      before.row.start === target.row.start;
    if (!same) view.hover.value = { ...target, pointerX: x, pointerY: y };
  }

  /** Pins the task at this position, or that of an error in the row of events. */
  private click(x: number, y: number): void {
    const { view } = this;
    const mark = this.eventAt(x, y);
    const store = view.session.peek();
    if (!mark || !store) {
      view.pinned.value = this.taskAt(x, y)?.row ?? null;
      return;
    }
    const error = nextError(mark, view.pinned.peek()?.task ?? null);
    const row = error && rowOfError(store, error);
    if (row) pinRow(view, row);
  }

  private eventAt(x: number, y: number) {
    return this.events.at(x, y, this.view.rows.peek(), this.lanes.pixelRatio);
  }

  private taskAt(x_px: number, y_px: number): Target | null {
    const { lanes } = this;
    const spot = lanes.spotAt(x_px, y_px);
    const model = this.view.session.peek()?.model;
    if (!model || !spot || spot.time > (this.view.paused.peek() ?? Infinity))
      return null;
    const { lane, time } = spot;
    const near = CATCH_PX * lanes.pixelRatio * lanes.window.secondsPerPixel;
    const strip = spot.inStrip ? model.hit(lane, time, near, true) : null;
    // Prefer an exact hit; otherwise search nearby, so that thin tasks can be hit.
    const row =
      strip ??
      model.hit(lane, time, near / 8, false) ??
      model.hit(lane, time, near, false);
    const overlay = strip !== null;
    const box = row && lanes.boxOf(row, overlay);
    return box && { ...box, row, overlay };
  }

  /** The block of the preview at this position; null if there is none. */
  private coarseAt(x_px: number, y_px: number): CoarseTarget | null {
    const spot = this.lanes.spotAt(x_px, y_px);
    const coarse =
      spot && this.view.session.peek()?.model.coarseLane(spot.lane);
    if (!coarse) return null;
    const { lane, time, top, height } = spot;
    // Blocks of a lane do not overlap, so only the last to begin can match.
    const at = findAfter(coarse.start, 0, coarse.count, time) - 1;
    if (at < 0 || coarse.hidden[at] === 1) return null;
    const duration = coarse.duration[at];
    if (time > coarse.start[at] + duration) return null;
    return {
      ...{ lane, top, height },
      prefix: coarse.prefix[at],
      rows: coarse.rows[at],
      busyShare: duration > 0 ? Math.min(1, coarse.busy[at] / duration) : 1,
      erred: coarse.erred[at] === 1,
    };
  }
}
