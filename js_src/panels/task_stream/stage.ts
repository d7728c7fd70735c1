// The stage: overview, axis, events and lanes on canvases, kept in step with
// the view's state. One frame draws everything that moved, once.

import { effect, signal, untracked } from "@preact/signals";
import { toCss } from "../../base/colour";
import { decimalsFor } from "../../base/format";
import type { TimeWindow as PixelWindow } from "../../derive/raster";
import type { Interval } from "../../model/types";
import { CanvasView } from "../../render/canvas_view";
import { TextMeasure } from "../../render/text";
import { paintAxis, TickCache } from "../../timeline/axis";
import type { Range } from "../../timeline/window";
import { type Shown, type StagePicture, EventsRow } from "./events_row";
import { LANES_BOTTOM_PX } from "./geometry";
import {
  LaneMap,
  boxOf,
  coarseAt,
  hitRow,
  type Box,
  type CoarseTarget,
  type Place,
  type Target,
} from "./lane_map";
import { LanesPainter } from "./lanes_painter";
import { Overview } from "./overview";
import { paintOverlay } from "./overlay_painter";
import { isAlarming } from "../../panel/status_line";
import type { ViewState } from "./view_state";
import { ERRED, legendAction } from "../../panel/action_words";
import { makePixelColours, type PixelColours } from "../../panel/pixel_colours";

/** Of a filter, in each frame: while nothing moves, what a million tasks take. */
const WORK_MS = 5;
const STILL_WORK_MS = 12;
const SAME_SCALE = 1e-7;

interface StageElements {
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
  brush: Range | null = null;
  /** Set by the pointer: the picture moved below it. */
  onMoved: () => void = () => {};

  private readonly lanes: LanesPainter;
  private readonly measure: TextMeasure;
  private readonly ticks = new TickCache();
  private readonly columns: number[] = [];
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
    this.overview = new Overview(elements.overview, view, this.colours);
    view.timeline.request = () => this.plot.request();
    view.reveal = (lane) => this.reveal(lane);
    this.stops.push(
      effect(() => {
        // What belongs to another session goes with it.
        void view.session.value;
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
    this.view.timeline.request = () => {};
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

  eventAt(x_px: number, y_px: number): Shown | null {
    const rows = this.view.rows.peek();
    return this.events.at(x_px, y_px, rows, this.plot.size.pixelRatio);
  }

  readonly boxOf = (row: Interval, overlay: boolean, into: Box): Box | null =>
    boxOf(this.place(), row, overlay, into);

  private place(): Place {
    this.placed.model = this.view.session.peek()?.model ?? null;
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
    const { view } = this;
    void view.session.value;
    void view.dataVersion.value;
    void view.origin.value;
    void view.state.value;
    untracked(() => {
      this.plot.request();
      this.overview.dataChanged();
      // The rows of the stretch that is pointed at may have come.
      if (view.coarseHover.peek()) this.onMoved();
    });
  }

  private onLook(): void {
    const { view } = this;
    void view.session.value;
    void view.environment.theme.value;
    void view.placed.value;
    void view.threadsShown.value;
    void view.paused.value;
    void view.environment.visible.value;
    void view.namesVersion.value;
    void view.filterVersion.value;
    void view.focus.value;
    void view.host.emptyState.value;
    this.plot.request();
    this.overview.view.request();
  }

  // Drawing ----------------------------------------------------------------

  private limit(): number | null {
    return this.view.paused.peek();
  }

  private draw(now_ms: number): void {
    const { view, plot, window } = this;
    const moving = view.timeline.advance(now_ms);
    const { width, height, pixelRatio } = plot.size;
    const store = view.session.peek();
    const scale = view.window.width / Math.max(1, width);
    const still =
      !moving &&
      window.start === view.window.start &&
      window.secondsPerPixel === scale;
    const version = store?.model.version;
    const more = store?.model.work(still ? STILL_WORK_MS : WORK_MS) ?? false;
    if (store?.model.version !== version) this.overview.view.request();
    window.start = view.window.start;
    window.width_px = width;
    // The dust of sums must not look like another scale: a picture that only
    // moves is drawn from the one before.
    if (Math.abs(scale - window.secondsPerPixel) > scale * SAME_SCALE) {
      window.secondsPerPixel = scale;
    }
    const rows = view.rows.peek();
    const lanesTop = Math.round(rows.lanesTop * pixelRatio);
    const room = height - lanesTop - Math.round(LANES_BOTTOM_PX * pixelRatio);
    if (this.map.update(view.placed.peek(), room, pixelRatio, rows.lane)) {
      this.laid.value += 1;
    }
    const theme = view.environment.theme.peek();
    const picture: StagePicture = {
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
    view.timeline.show();
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
          still,
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
    if (moving || more || !fine) plot.request();
  }

  private readonly mayLabel = (prefix: number): boolean => {
    const store = this.view.session.peek();
    if (!store?.model.filter?.byRow) return true;
    const { prefixes } = this.view.focus.peek();
    const name = store.prefixes[prefix];
    return name !== undefined && prefixes.includes(name);
  };

  private drawOverlay(): void {
    const { view, overlay, window } = this;
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
      crosshair: view.crosshair.peek(),
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
    if (paused !== null) return { time: paused, colour: toCss(theme.text2) };
    if (view.state.peek() !== "lost" || !view.extent) return null;
    const time = Math.max(view.now.peek(), view.extent.stop);
    const alarming = isAlarming(view.host.emptyState.peek());
    return { time, colour: toCss(alarming ? theme.error : theme.text2) };
  }
}

export class ViewColours {
  private paints: PixelColours | null = null;
  private key = "";
  private theme: unknown = null;

  constructor(private readonly view: ViewState) {}

  current(): PixelColours | null {
    const { view } = this;
    const store = view.session.peek();
    if (!store) return null;
    const theme = view.environment.theme.peek();
    const key = `${store.id} ${store.prefixes.length} ${store.actions.length}`;
    if (this.paints === null || key !== this.key || theme !== this.theme) {
      this.key = key;
      this.theme = theme;
      this.paints = makePixelColours(store, theme);
    }
    return this.paints;
  }

  /** Where one action is isolated, the overview shows it in its own colour. */
  only(): number | null {
    const actions = this.view.actions.peek();
    const paints = this.current();
    const only = actions.length === 1 ? actions[0] : undefined;
    if (only === undefined || !paints) return null;
    if (only === ERRED) return paints.overlay.erred;
    const names = this.view.session.peek()?.actions ?? [];
    const at = names.findIndex((name) => legendAction(name) === only);
    return paints.overlay.paints[at] ?? null;
  }
}
