// The state of a task stream beyond that of all panels: lanes, isolated actions, hover,
// pinned task and search.

import {
  batch,
  computed,
  effect,
  signal,
  untracked,
  type ReadonlySignal,
} from "@preact/signals";
import { PanelView } from "../../panel/panel_view";
import { union } from "../../model/extent";
import { NO_FOCUS, type Focus, type Interval } from "../../model/types";
import type { TaskModel } from "../../model/tasks";
import type { SessionStore } from "../../session/session";
import type { PanelHost } from "../../panel/host";
import type { PanelEnvironment } from "../../panel/environment";
import {
  isWhole,
  isolate,
  narrows,
  type Narrowing,
} from "../../panel/narrowing";
import { geometryOf, plotRows } from "./geometry";
import { LegendOrder } from "../../panel/legend";
import type { Mark } from "../../timeline/marks";
import type { EventItem } from "./events";
import type { CoarseTarget, Target, TaskPlot } from "./plot";
import { intervalOf } from "../../model/query";
import { zoomTo } from "./go_to_task";
import { Timeline } from "../../timeline/timeline";
import type { Extent, TimeWindow } from "../../timeline/window";
import {
  plainAddress,
  groupLanes,
  haveSameLayout,
  type NameOf,
  type WorkerGroup,
} from "../../panel/worker_groups";
import { NO_SEARCH, SharedSelection } from "../../panel/selection";
import { rowsOf } from "../../session/tables";

/** The row under the pointer with its position, in CSS pixels. */
export interface Hover extends Target {
  readonly pointerX: number;
  readonly pointerY: number;
}

interface CoarseHover extends CoarseTarget {
  readonly pointerX: number;
}

interface EventHover {
  readonly merged: Mark<EventItem>;
  readonly pointerX: number;
}

const NO_ACTIONS: readonly string[] = [];

/** If the last row is older than this when the panel opens, show the whole run. */
const STALE_S = 5;
/** A selected time counts as visible above this share of the window. */
const LEAST_SEEN = 0.02;

export class PanelState extends PanelView {
  readonly legendOrder = new LegendOrder();
  readonly hover = signal<Hover | null>(null);
  readonly pinned = signal<Interval | null>(null);
  readonly tableOpen = signal(false);
  readonly searchOpen = signal(false);
  /** Set by a shortcut: the search field takes the focus once it is rendered. */
  readonly searchAsked = signal(false);
  readonly outside = signal(0);
  readonly backwards = signal(0);
  /** Whether there is something to draw, if only a preview. */
  readonly arrived = signal(false);
  /** Threads that the overview's full height represents, if not all threads. */
  readonly peak = signal<number | null>(null);
  readonly coarseHover = signal<CoarseHover | null>(null);
  readonly eventHover = signal<EventHover | null>(null);
  /** Number of tasks that had arrived when the plot was paused. */
  loadedAtPause = 0;
  /** Set by the panel: moves the keyboard focus to the plot. */
  focusPlot: () => void = () => {};
  /** Null while no plot is shown. */
  readonly plot = signal<TaskPlot | null>(null);
  protected override readonly freezes = false;

  private readonly shared = signal<SharedSelection | null>(null);
  /** Isolated actions, by their legend names; prefixes are in the focus. */
  readonly actions = this.read(
    () => this.shared.value?.actions.value ?? NO_ACTIONS,
    NO_ACTIONS,
  );
  readonly search = this.read(
    () => this.shared.value?.search.state.value ?? NO_SEARCH,
    NO_SEARCH,
  );
  readonly filterVersion = this.read(
    () => this.shared.value?.version.value ?? 0,
    0,
  );
  /** Actions that the legend has shown, which stay listed regardless of filters. */
  readonly listedActions = new Set<string>();

  /** Names of workers by address, including those that have left. */
  readonly namesSeen = new Map<string, string>();
  readonly groups: ReadonlySignal<readonly WorkerGroup[]> = computed(() => {
    const session = this.session.value;
    if (!session) return [];
    void this.namesVersion.value;
    const workers = this.workers.value;
    for (const { worker, name } of rowsOf(this.table("workers"), "time")) {
      if (name) this.namesSeen.set(worker, name); // may have left before the page opened
    }
    for (const { address, name } of workers) this.namesSeen.set(address, name);
    const only = this.focus.value.workers;
    return groupLanes(session.lanes, workers, only, this.namesSeen);
  });
  private lastPlaced: readonly WorkerGroup[] = [];
  /**
   * Like `groups`, but changes only with layout or names. The memory of its workers
   * may be outdated.
   */
  readonly placed: ReadonlySignal<readonly WorkerGroup[]> = computed(() => {
    const groups = this.groups.value;
    if (!haveSameLayout(groups, this.lastPlaced)) this.lastPlaced = groups;
    return this.lastPlaced;
  });
  /** Threads of the cluster, or of the isolated workers. */
  readonly threadsShown: ReadonlySignal<number> = computed(() => {
    if (this.focus.value.workers.length === 0) return this.threads();
    return this.groups.value.reduce(
      (sum, { info, lanes }) => sum + (info?.threads ?? lanes.length),
      0,
    );
  });
  readonly loadedTasks: ReadonlySignal<number> = computed(() => {
    void this.dataVersion.value;
    const ranges = this.session.value?.model.have() ?? [];
    return ranges.reduce((tasks, [first, end]) => tasks + end - first, 0);
  });
  readonly hasTasks = computed(() => this.loadedTasks.value > 0);
  readonly rows = computed(() =>
    plotRows(
      this.environment.theme.value.small_px,
      this.table("cells").rows > 0,
    ),
  );
  /** Independent of isolated workers, so that nothing moves under the pointer. */
  readonly geometry = computed(() => {
    void this.namesVersion.value;
    return geometryOf(
      this.breadth.value,
      this.environment.height.value,
      this.rows.value,
      Math.max(this.threads(), this.session.value?.lanes.length ?? 0),
    );
  });

  private focusedTime: readonly [number, number] | null = null;
  private movedToFocus = false;

  constructor(
    environment: PanelEnvironment,
    host: PanelHost,
    private readonly used = signal<SessionStore | null>(null),
  ) {
    super({ session: used, host }, environment, new Timeline("now"));
  }

  override followRun(): () => void {
    const stops = [
      super.followRun(),
      effect(() => {
        const focus = this.focus.value;
        untracked(() => this.followFocus(focus));
      }),
    ];
    return () => {
      for (const stop of stops) stop();
      this.use(null);
    };
  }

  protected override namesOfWorkers(): NameOf {
    const groups = this.placed.value;
    const names = new Map(groups.map(({ address, name }) => [address, name]));
    return (address) => names.get(address) ?? plainAddress(address);
  }

  protected override actionsChosen(): readonly string[] {
    return this.actions.value;
  }

  get window(): TimeWindow {
    return this.timeline.window;
  }

  get extent(): Extent | null {
    return this.window.extent;
  }

  /** Threads of the cluster; the number of lanes while the workers are unknown. */
  threads(): number {
    const workers = this.workers.value;
    const haveLeft = workers.length === 0 && this.now.value > 0;
    if (haveLeft) return 0;
    const sum = workers.reduce((all, { threads }) => all + threads, 0);
    return sum || (this.session.value?.lanes.length ?? 0);
  }

  use(store: SessionStore | null): void {
    if (this.session.peek() === store) return;
    const before = this.shared.peek();
    this.point(null);
    this.namesSeen.clear();
    this.listedActions.clear();
    this.focusedTime = null;
    this.movedToFocus = false;
    batch(() => {
      this.timeline.reset();
      this.paused.value = null;
      this.hover.value = null;
      this.coarseHover.value = null;
      this.eventHover.value = null;
      this.peak.value = null;
      this.pinned.value = null;
      this.dismissed.value = new Set();
      this.outside.value = 0;
      this.arrived.value = false;
      this.shared.value = store && SharedSelection.acquire(store);
      this.used.value = store;
    });
    before?.release();
  }

  /** Sets the extent to the whole run of a block, including times without tasks. */
  protected override extend(): void {
    const model = this.session.value?.model;
    const run = this.run.value;
    void this.dataVersion.value;
    void this.origin.value;
    const rows = model?.extent() ?? null;
    const extent = rows && union(run, rows);
    if (!model || !extent) return;
    untracked(() => this.measure(model, extent));
  }

  private measure(model: TaskModel, extent: Extent): void {
    this.arrived.value = true;
    this.outside.value = model.rowsOutside();
    this.backwards.value = model.odd.negativeDurations;
    const first = !this.window.hasExtent;
    // If the run was over when the panel opened, show all of it.
    const over =
      this.state.peek() === "stopped" ||
      this.now.peek() - extent.stop > STALE_S;
    if (first && over) this.window.anchor = "whole";
    this.timeline.extend(extent);
    if (first) this.followFocus(this.focus.peek());
  }

  // Moving in time ---------------------------------------------------------

  override showWhole(): void {
    this.dropFilters();
    this.window.fit();
  }

  override zoomToChosen(): void {
    const pinned = this.pinned.peek();
    if (pinned) zoomTo(this, intervalOf(pinned));
    else super.zoomToChosen();
  }

  override togglePause(): void {
    if (this.paused.peek() !== null) {
      this.paused.value = null;
      this.window.release();
      return;
    }
    if (!this.extent || !this.growing.peek()) return;
    this.loadedAtPause = this.loadedTasks.peek();
    this.paused.value = this.extent.stop;
    this.window.hold();
  }

  // Selecting --------------------------------------------------------------

  isolateActions(actions: readonly string[]): void {
    const shared = this.shared.peek();
    if (shared) shared.actions.value = actions;
  }

  searchFor(text: string): void {
    this.shared.peek()?.search.set(text);
  }

  step(by: number): number | null {
    return this.shared.peek()?.search.step(by) ?? null;
  }

  isolateEntry(kind: "prefix" | "action", name: string, adds: boolean): void {
    if (kind === "prefix") this.isolateIn("prefixes", name, adds);
    else this.isolateActions(isolate(this.actions.peek(), name, adds));
  }

  /** `name`: name of a prefix, address of a worker or id of a span. */
  isolateIn(
    part: "prefixes" | "workers" | "spans",
    name: string,
    adds: boolean,
  ): void {
    const focus = this.focus.peek();
    this.setFocus({ ...focus, [part]: isolate(focus[part], name, adds) });
  }

  override widen(part: keyof Narrowing): void {
    if (part === "actions") this.isolateActions([]);
    else super.widen(part);
  }

  private dropFilters(): void {
    const { actions, ...focus } = this.narrowing.peek();
    if (actions.length > 0) this.isolateActions([]);
    if (!isWhole(focus)) this.setFocus(NO_FOCUS);
  }

  openSearch(): void {
    this.searchOpen.value = true;
    this.searchAsked.value = true;
  }

  escape(): boolean {
    if (this.helpOpen.peek()) this.helpOpen.value = false;
    else if (this.tableOpen.peek()) this.tableOpen.value = false;
    else if (this.pinned.peek()) this.pinned.value = null;
    else if (this.search.peek().text !== "") this.searchFor("");
    else if (this.searchOpen.peek()) this.searchOpen.value = false;
    else if (narrows(this.narrowing.peek())) this.dropFilters();
    else return false;
    return true;
  }

  /** Shows a selected time; moves the window only if the time is not visible. */
  private followFocus({ time }: Focus): void {
    const { window, timeline, focusedTime: before } = this;
    if (!window.hasExtent) return;
    this.focusedTime = time;
    if (!time) {
      if (this.movedToFocus) timeline.jump(null);
      this.movedToFocus = false;
      return;
    }
    // The time did not change: keep the window, which the user may have moved.
    if (before?.join() === time.join()) return;
    const [start, stop] = time;
    const seen = Math.min(stop, window.stop) - Math.max(start, window.start);
    if (seen > window.width * LEAST_SEEN) return;
    this.movedToFocus = true;
    timeline.jump(time);
  }
}
