// What one task stream panel knows beside the data: the stretch of time it
// shows, what is isolated, pointed at, pinned and searched. Signals for the
// chrome; the plot reads the plain fields each frame.

import {
  computed,
  effect,
  signal,
  untracked,
  type ReadonlySignal,
} from "@preact/signals";
import { union } from "../../model/extent";
import { NO_FOCUS, type Focus, type Interval } from "../../model/types";
import type { SessionStore } from "../../session";
import type { PanelHost } from "../../panel/host";
import { breadthOf, type PanelEnvironment } from "../../panel/environment";
import {
  isWhole,
  isolate,
  narrows,
  spanNames,
  type Narrowing,
} from "../../panel/narrowing";
import type { SeenSession } from "../../panel/seen_session";
import { geometryOf, plotRows } from "./geometry";
import { Selection } from "./selection";
import type { Shown } from "./event_marks";
import type { CoarseTarget, Target } from "./placing";
import { TimeWindow, type Anchor, type Extent } from "./time_window";
import { ViewWorkers } from "./view_workers";
import { plainAddress } from "../../panel/worker_groups";

/** A row under the pointer and where it is on the stage, in CSS pixels. */
export interface Hover extends Target {
  readonly pointerX: number;
  readonly pointerY: number;
}

export interface CoarseHover extends CoarseTarget {
  readonly pointerX: number;
}

export interface EventHover {
  readonly merged: Shown;
  readonly pointerX: number;
}

export interface Paused {
  /** The newest moment that is shown. */
  readonly time: number;
  /** Tasks that had arrived. */
  readonly held: number;
}

/** A run whose last row is older than this is over. */
const STALE_S = 5;
/** Long enough to be read. */
const SAID_MS = 4000;

export class ViewState {
  readonly selection = signal<Selection | null>(null);
  readonly session: ReadonlySignal<SeenSession | null> = computed(
    () => this.selection.value?.session ?? null,
  );
  readonly window = new TimeWindow();
  readonly anchor = signal<Anchor>("now");
  readonly paused = signal<Paused | null>(null);
  readonly hover = signal<Hover | null>(null);
  readonly pinned = signal<Interval | null>(null);
  readonly helpOpen = signal(false);
  readonly tableOpen = signal(false);
  readonly searchOpen = signal(false);
  /** Asked for by a shortcut: the search field takes the focus when it is there. */
  readonly searchAsked = signal(false);
  /** Clicked into: the plain wheel is ours. */
  readonly engaged = signal(false);
  readonly hint = signal("");
  /** Codes of notices that were hidden. */
  readonly dismissed = signal<ReadonlySet<string>>(new Set());
  readonly outside = signal(0);
  /** Rows that stop before they start. */
  readonly backwards = signal(0);
  /** Something can be drawn, be it a coarse picture. */
  readonly arrived = signal(false);
  /** Grows when the window has come to rest somewhere else. */
  readonly settled = signal(0);
  /** What the overview's height stands for, where not the number of threads. */
  readonly peak = signal<number | null>(null);
  /** What a coarse stretch under the pointer stands for. */
  readonly coarseHover = signal<CoarseHover | null>(null);
  /** Marks of the row of events under the pointer. */
  readonly eventHover = signal<EventHover | null>(null);
  extent: Extent | null = null;
  /** Set by the panel: gives the keyboard back to the plot. */
  focusPlot: () => void = () => {};
  /** Set by the plot: draws the next frame. */
  draw: () => void = () => {};
  /** Set by the plot: scrolls to a lane. */
  reveal: (lane: number) => void = () => {};

  readonly focus: ReadonlySignal<Focus> = computed(
    () => this.session.value?.focus.value ?? NO_FOCUS,
  );
  readonly origin: ReadonlySignal<number> = computed(
    () => this.session.value?.origin.value ?? 0,
  );
  readonly workers = new ViewWorkers(this.session, this.focus);
  /** Everything that narrows the view, workers and spans by their names. */
  readonly narrowing: ReadonlySignal<Narrowing> = computed(() => {
    const focus = this.focus.value;
    const groups = this.workers.placed.value;
    const workers = focus.workers.map(
      (address) =>
        groups.find((group) => group.address === address)?.name ??
        plainAddress(address),
    );
    const session = this.session.value;
    void session?.namesVersion.value;
    const spans = spanNames(session?.store ?? null, focus.spans);
    const actions = this.selection.value?.actions.value ?? [];
    return { ...focus, workers, spans, actions };
  });
  /** Tasks may still come. */
  readonly growing = computed(() => {
    const state = this.session.value?.state.value;
    return state === "live" || state === "partly" || state === "waiting";
  });
  readonly held: ReadonlySignal<number> = computed(() => {
    const session = this.session.value;
    if (!session) return 0;
    void session.dataVersion.value;
    let tasks = 0;
    for (const [first, end] of session.store.model.have()) tasks += end - first;
    return tasks;
  });
  readonly holdsAny = computed(() => this.held.value > 0);
  readonly breadth = computed(() => breadthOf(this.environment.width.value));
  /** How high the rows of the plot are. */
  readonly rows = computed(() =>
    plotRows(this.environment.theme.value.small_px),
  );
  /** The same whichever workers are isolated: nothing moves under the pointer. */
  readonly geometry = computed(() => {
    const session = this.session.value;
    void session?.namesVersion.value;
    return geometryOf(
      this.breadth.value,
      this.environment.height.value,
      this.rows.value,
      Math.max(this.workers.threads(), session?.store.lanes.length ?? 0),
    );
  });

  private saying: ReturnType<typeof setTimeout> | undefined;
  private focusedTime: readonly [number, number] | null = null;
  private stops: (() => void)[] = [];

  constructor(
    readonly environment: PanelEnvironment,
    readonly host: PanelHost,
  ) {
    this.stops.push(
      effect(() => {
        this.window.still =
          environment.reducedMotion.value || !environment.visible.value;
      }),
      effect(() => {
        const session = this.session.value;
        void session?.dataVersion.value;
        void session?.origin.value;
        void session?.run.value;
        untracked(() => this.measure());
      }),
      effect(() => {
        const focus = this.focus.value;
        untracked(() => this.followFocus(focus));
      }),
    );
  }

  /** Words over the plot, for a while. */
  say(text: string): void {
    clearTimeout(this.saying);
    this.hint.value = text;
    this.saying = setTimeout(() => {
      if (this.hint.peek() === text) this.hint.value = "";
    }, SAID_MS);
  }

  /** Another session, or none. */
  use(store: SessionStore | null): void {
    const before = this.selection.peek();
    if ((before?.store ?? null) === store) return;
    this.window.reset();
    this.workers.names.clear();
    this.focusedTime = null;
    this.anchor.value = "now";
    this.paused.value = null;
    this.hover.value = null;
    this.coarseHover.value = null;
    this.eventHover.value = null;
    this.peak.value = null;
    this.pinned.value = null;
    this.dismissed.value = new Set();
    this.outside.value = 0;
    this.arrived.value = false;
    this.extent = null;
    const { visible } = this.environment;
    this.selection.value = store ? new Selection(store, visible) : null;
    before?.dispose();
  }

  dispose(): void {
    clearTimeout(this.saying);
    for (const stop of this.stops.splice(0)) stop();
    const selection = this.selection.peek();
    this.selection.value = null;
    selection?.dispose();
  }

  /**
   * Rows came: where do the data begin and end now? Of a block, where it does, however
   * long no task ran in it.
   */
  private measure(): void {
    const session = this.session.peek();
    const rows = session?.store.model.extent() ?? null;
    const extent = rows && union(session?.run.peek() ?? null, rows);
    if (!session || !extent) return;
    this.extent = extent;
    this.arrived.value = true;
    this.outside.value = session.store.model.rowsOutside();
    this.backwards.value = session.store.model.odd.negativeDurations;
    const first = !this.window.hasExtent;
    // What was over when the panel opened is best seen whole.
    const over =
      session.state.peek() === "stopped" ||
      session.now.peek() - extent.stop > STALE_S;
    if (first && over) this.window.anchor = "whole";
    this.window.setExtent(extent);
    if (first) this.followFocus(this.focus.peek());
    this.anchor.value = this.window.anchor;
  }

  // Moving in time ---------------------------------------------------------

  zoom(factor: number, at: number | null, animate = false): void {
    this.window.zoom(factor, at, animate);
    this.moved();
  }

  pan(seconds: number, animate = false): void {
    this.window.pan(seconds, animate);
    this.moved();
  }

  show(start: number, stop: number): void {
    this.window.show(start, stop, true);
    this.moved();
  }

  fit(): void {
    this.window.fit();
    this.moved();
  }

  /** No filter, and all of the run on the screen. */
  showWhole(): void {
    this.dropFilters();
    this.fit();
  }

  goToNow(): void {
    this.paused.value = null;
    this.window.goToNow();
    this.moved();
  }

  togglePause(): void {
    if (this.paused.peek()) {
      this.paused.value = null;
      this.window.release();
      this.moved();
      return;
    }
    if (!this.extent || !this.growing.peek()) return;
    this.paused.value = { time: this.extent.stop, held: this.held.peek() };
    this.window.hold();
    this.moved();
  }

  moved(): void {
    this.anchor.value = this.window.anchor;
    this.draw();
  }

  // Selecting --------------------------------------------------------------

  setFocus(focus: Focus): void {
    this.session.peek()?.store.setFocus(focus);
  }

  isolateEntry(kind: "prefix" | "action", name: string, adds: boolean): void {
    const selection = this.selection.peek();
    if (kind === "action") {
      selection?.isolateActions(isolate(selection.actions.peek(), name, adds));
      return;
    }
    this.isolateIn("prefixes", name, adds);
  }

  /** `name`: of a prefix, the address of a worker, the id of a span. */
  isolateIn(
    part: "prefixes" | "workers" | "spans",
    name: string,
    adds: boolean,
  ): void {
    const focus = this.focus.peek();
    this.setFocus({ ...focus, [part]: isolate(focus[part], name, adds) });
  }

  /** Takes one part of what narrows the view away. */
  widen(part: keyof Narrowing): void {
    if (part === "actions") this.selection.peek()?.isolateActions([]);
    else this.setFocus({ ...this.focus.peek(), [part]: NO_FOCUS[part] });
  }

  private dropFilters(): void {
    const { actions, ...focus } = this.narrowing.peek();
    if (actions.length > 0) this.selection.peek()?.isolateActions([]);
    if (!isWhole(focus)) this.setFocus(NO_FOCUS);
  }

  openSearch(): void {
    this.searchOpen.value = true;
    this.searchAsked.value = true;
  }

  /** Escape: the innermost thing first. */
  escape(): boolean {
    const selection = this.selection.peek();
    if (this.helpOpen.peek()) this.helpOpen.value = false;
    else if (this.tableOpen.peek()) this.tableOpen.value = false;
    else if (this.pinned.peek()) this.pinned.value = null;
    else if (selection && selection.search.peek().text !== "") {
      selection.searchFor("");
    } else if (this.searchOpen.peek()) this.searchOpen.value = false;
    else if (narrows(this.narrowing.peek())) this.dropFilters();
    else return false;
    return true;
  }

  private followFocus(focus: Focus): void {
    if (!this.window.hasExtent) return;
    const before = this.focusedTime;
    this.focusedTime = focus.time;
    if (!focus.time) {
      if (before) this.fit();
      return;
    }
    // Another part of the focus changed: the person may have moved since.
    if (before && before.join() === focus.time.join()) return;
    this.window.show(focus.time[0], focus.time[1], true);
    this.moved();
  }
}
