// The stage: overview, axis, events and lanes on canvases, kept in step with
// the view's state. One frame draws everything that moved, once.

import { effect, signal, untracked } from "@preact/signals";
import { toCss } from "../../base/colour";
import { decimalsFor } from "../../base/format";
import type { TimeWindow as PixelWindow } from "../../derive/raster";
import type { Interval } from "../../model/types";
import { CanvasView } from "../../render/canvas_view";
import { TextMeasure } from "../../render/text";
import { paintAxis, TickCache, type AxisPicture } from "./axis_painter";
import type { Shown } from "./event_marks";
import { EventsRow } from "./events_row";
import { LANES_BOTTOM_PX } from "./geometry";
import { LaneMap } from "./lane_map";
import { LanesPainter } from "./lanes_painter";
import { Overview } from "./overview";
import { paintOverlay } from "./overlay_painter";
import { isAlarming } from "../../panel/panel_state";
import {
  boxOf,
  coarseAt,
  hitRow,
  type Box,
  type CoarseTarget,
  type Place,
  type Target,
} from "./placing";
import { ViewColours } from "./view_colours";
import type { ViewState } from "./view_state";

/** Time that a filter may take of a frame. */
const WORK_MS = 5;
/** How often the gutter's figures follow the window. */
const SETTLE_MS = 250;
/** What passed before the first frame after a rest: the picture must not leap. */
const FIRST_FRAME_MS = 1000 / 60;
const LONGEST_FRAME_MS = 50;
const SAME_SCALE = 1e-7;
/** A peak this much above the number of threads is told. */
const PEAK_SHARE = 0.02;

export interface StageElements {
  readonly plot: HTMLElement;
  readonly overlay: HTMLElement;
  readonly overview: HTMLElement;
}

export class Stage {
  readonly map = new LaneMap();
  readonly overview: Overview;
  readonly plot: CanvasView;
  readonly overlay: CanvasView;
  /** Grows when lanes moved: the gutter places its names anew. */
  readonly laid = signal(0);
  /** A stretch being brushed, in epoch seconds. */
  brush: [number, number] | null = null;
  /** Set by the pointer: the picture moved below it. */
  onMoved: () => void = () => {};

  private readonly lanes: LanesPainter;
  private readonly measure: TextMeasure;
  private readonly ticks = new TickCache();
  private readonly columns: number[] = [];
  /** Ends of the labels on the axis, as it was last drawn. */
  private readonly tickLabels: number[] = [];
  private readonly window: PixelWindow = {
    start: 0,
    secondsPerPixel: 1,
    width_px: 1,
  };
  private readonly events = new EventsRow();
  private readonly placed: Place = {
    model: null,
    map: this.map,
    window: this.window,
    pixelRatio: 1,
    lanesTop_px: 0,
  };
  private readonly colours: ViewColours;
  /** When the frame before this one was drawn; null after a rest. */
  private last_ms: number | null = null;
  private settling: ReturnType<typeof setTimeout> | undefined;
  private readonly stops: (() => void)[] = [];

  constructor(
    elements: StageElements,
    private readonly view: ViewState,
  ) {
    this.colours = new ViewColours(view);
    this.plot = new CanvasView(elements.plot, (_, now) => this.draw(now), {
      opaque: true,
    });
    this.overlay = new CanvasView(elements.overlay, () => this.drawOverlay());
    this.lanes = new LanesPainter(this.plot.context);
    this.measure = new TextMeasure(this.plot.context);
    const store = () => view.session.peek()?.store ?? null;
    this.overview = new Overview(elements.overview, {
      model: () => store()?.model ?? null,
      extent: () => view.extent,
      paints: () => this.colours.current(),
      onlyColour: () => this.colours.only(),
      theme: () => view.environment.theme.peek(),
      threads: () => view.workers.threadsShown.peek(),
      measured: (full, threads) => {
        const other = Math.abs(full - threads) > PEAK_SHARE * threads;
        view.peak.value = other ? full : null;
      },
    });
    view.draw = () => this.plot.request();
    view.reveal = (lane) => this.reveal(lane);
    this.stops.push(
      effect(() => {
        // What belongs to another session goes with it.
        void view.selection.value;
        this.brush = null;
        this.map.scroll = 0;
      }),
      effect(() => this.onData()),
      effect(() => this.onLook()),
      effect(() => {
        this.events.read(view);
        this.plot.request();
      }),
      effect(() => {
        void view.hover.value;
        void view.pinned.value;
        void view.session.value?.crosshair.value;
        this.overlay.request();
      }),
    );
  }

  dispose(): void {
    for (const stop of this.stops.splice(0)) stop();
    clearTimeout(this.settling);
    this.view.draw = () => {};
    this.view.reveal = () => {};
    this.overview.dispose();
    this.plot.dispose();
    this.overlay.dispose();
  }

  // Where things are, in CSS pixels of the plot ----------------------------

  timeAt(x_px: number): number {
    const { start, secondsPerPixel } = this.window;
    return start + x_px * this.plot.size.pixelRatio * secondsPerPixel;
  }

  secondsPerCssPixel(): number {
    const { width, pixelRatio } = this.plot.size;
    return width > 0 ? (this.view.window.width * pixelRatio) / width : 1;
  }

  hit(x_px: number, y_px: number): Target | null {
    const limit = this.limit();
    if (limit !== null && this.timeAt(x_px) > limit) return null;
    return hitRow(this.place(), x_px, y_px);
  }

  coarseAt(x_px: number, y_px: number): CoarseTarget | null {
    return coarseAt(this.place(), x_px, y_px);
  }

  /** What the row of events says here. */
  eventAt(x_px: number, y_px: number): Shown | null {
    const rows = this.view.rows.peek();
    return this.events.at(x_px, y_px, rows, this.plot.size.pixelRatio);
  }

  readonly boxOf = (row: Interval, overlay: boolean, into: Box): Box | null =>
    boxOf(this.place(), row, overlay, into);

  private place(): Place {
    this.placed.model = this.view.session.peek()?.store.model ?? null;
    this.placed.pixelRatio = this.plot.size.pixelRatio;
    this.placed.lanesTop_px = this.view.rows.peek().lanesTop;
    return this.placed;
  }

  scrollLanes(css_px: number): boolean {
    const moved = this.map.scrollBy(css_px * this.plot.size.pixelRatio);
    if (moved) {
      this.laid.value += 1;
      this.plot.request();
    }
    return moved;
  }

  private reveal(lane: number): void {
    this.map.reveal(lane);
    this.laid.value += 1;
    this.plot.request();
  }

  // What makes it draw -----------------------------------------------------

  private onData(): void {
    const session = this.view.session.value;
    if (session) {
      void session.dataVersion.value;
      void session.origin.value;
      void session.state.value;
    }
    untracked(() => {
      this.plot.request();
      this.overview.dataChanged();
      // The rows of the stretch that is pointed at may have come.
      if (this.view.coarseHover.peek()) this.onMoved();
    });
  }

  private onLook(): void {
    const { view } = this;
    const session = view.session.value;
    void view.environment.theme.value;
    void view.workers.placed.value;
    void view.workers.threadsShown.value;
    void view.paused.value;
    void view.environment.visible.value;
    void session?.namesVersion.value;
    void view.selection.value?.version.value;
    void view.focus.value;
    void view.host.emptyState.value;
    this.plot.request();
    this.overview.view.request();
  }

  // Drawing ----------------------------------------------------------------

  /** The newest moment that is drawn; null for all. */
  private limit(): number | null {
    return this.view.paused.peek()?.time ?? null;
  }

  private draw(now_ms: number): void {
    const { view, plot, window } = this;
    const passed_ms =
      this.last_ms === null ? FIRST_FRAME_MS : now_ms - this.last_ms;
    const elapsed = Math.min(passed_ms, LONGEST_FRAME_MS);
    this.last_ms = now_ms;
    const moving = view.window.advance(Math.max(0, elapsed));
    const { width, height, pixelRatio } = plot.size;
    const store = view.session.peek()?.store;
    const more = store ? store.model.work(WORK_MS) : false;

    window.start = view.window.start;
    window.width_px = width;
    const scale = view.window.width / Math.max(1, width);
    // The dust of sums must not look like another scale: a picture that only
    // moves is drawn from the one before.
    if (Math.abs(scale - window.secondsPerPixel) > scale * SAME_SCALE) {
      window.secondsPerPixel = scale;
    }
    const rows = view.rows.peek();
    const lanesTop = Math.round(rows.lanesTop * pixelRatio);
    const room = height - lanesTop - Math.round(LANES_BOTTOM_PX * pixelRatio);
    if (
      this.map.update(view.workers.placed.peek(), room, pixelRatio, rows.lane)
    ) {
      this.laid.value += 1;
    }
    const theme = view.environment.theme.peek();
    const picture: AxisPicture = {
      context: plot.context,
      measure: this.measure,
      theme,
      start: window.start,
      secondsPerPixel: window.secondsPerPixel,
      width,
      pixelRatio,
      rows,
    };
    const cssWidth = width / pixelRatio;
    const { start, stop } = view.window;
    const ticks = view.window.hasExtent
      ? this.ticks.update(start, stop, cssWidth, view.origin.peek(), rows.font)
      : [];
    this.columns.length = 0;
    for (const tick of ticks) {
      const x = (tick.time - window.start) / window.secondsPerPixel;
      if (x >= 0 && x < width) this.columns.push(Math.floor(x));
    }
    paintAxis(picture, ticks, this.tickLabels);
    this.events.paint(picture, this.columns);
    plot.context.fillStyle = toCss(theme.panel);
    plot.context.fillRect(0, lanesTop + room, width, height - lanesTop - room);
    const paints = this.colours.current();
    this.lanes.resize(width, Math.max(0, room));
    let fine = true;
    if (store && paints) {
      const limit = this.limit();
      fine = this.lanes.paint(
        {
          model: store.model,
          map: this.map,
          window,
          paints,
          prefixes: store.prefixes,
          grid: this.columns,
          limit_px:
            limit === null
              ? Infinity
              : (limit - window.start) / window.secondsPerPixel,
          mayLabel: this.mayLabel,
          font: `${rows.font * pixelRatio}px ${theme.font}`,
          labelHeight_px: rows.labelled * pixelRatio,
          pixelRatio,
          background: toCss(theme.panel),
        },
        lanesTop,
      );
    } else {
      plot.context.fillRect(0, lanesTop, width, room);
    }
    this.events.paintGaps(picture, lanesTop, lanesTop + room);
    if (moving) this.onMoved();
    this.drawOverlay();
    this.overview.place(start, stop);
    if (more) this.overview.dataChanged();
    if (moving || more || !fine) plot.request();
    else this.last_ms = null;
    this.settle();
  }

  private readonly mayLabel = (prefix: number): boolean => {
    const store = this.view.session.peek()?.store;
    if (!store?.model.filter?.byRow) return true;
    const { prefixes } = this.view.focus.peek();
    const name = store.prefixes[prefix];
    return name !== undefined && prefixes.includes(name);
  };

  private drawOverlay(): void {
    const { view, overlay, window } = this;
    const session = view.session.peek();
    const { width, height, pixelRatio } = overlay.size;
    const theme = view.environment.theme.peek();
    const hover = view.hover.peek();
    paintOverlay({
      context: overlay.context,
      theme,
      width,
      height,
      pixelRatio,
      rows: view.rows.peek(),
      tickLabels: this.tickLabels,
      start: window.start,
      secondsPerPixel: window.secondsPerPixel,
      origin: view.origin.peek(),
      crosshair: session?.crosshair.peek() ?? null,
      decimals: decimalsFor(window.secondsPerPixel * pixelRatio),
      brush: this.brush,
      focus: view.focus.peek().time,
      hover: hover?.row ?? null,
      hoverOverlay: hover?.overlay ?? false,
      pinned: view.pinned.peek(),
      scroll: this.map,
      end: this.end(),
      boxOf: this.boxOf,
    });
  }

  /** Where the picture ends: at the pause, or where the connection was lost. */
  private end(): { time: number; colour: string } | null {
    const { view } = this;
    const theme = view.environment.theme.peek();
    const paused = view.paused.peek();
    if (paused) return { time: paused.time, colour: toCss(theme.text2) };
    const session = view.session.peek();
    if (session?.state.peek() !== "lost" || !view.extent) return null;
    const time = Math.max(session.now.peek(), view.extent.stop);
    const alarming = isAlarming(view.host.emptyState.peek());
    return { time, colour: toCss(alarming ? theme.error : theme.text2) };
  }

  private settle(): void {
    if (this.settling !== undefined) return;
    this.settling = setTimeout(() => {
      this.settling = undefined;
      this.view.settled.value += 1;
    }, SETTLE_MS);
  }
}
