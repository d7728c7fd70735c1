// What the pointer finds on the plot: tasks to show and to pin, errors, lanes to scroll.
// Inline in a notebook the plain wheel stays the notebook's until the plot was clicked.

import { nextError } from "./events_row";
import { stretchOf } from "../../model/query";
import { type Pointed, PlotGestures } from "../../timeline/gestures";
import type { Range } from "../../timeline/window";
import { pinRow, rowOfError, zoomTo } from "./go_to_task";
import type { Stage } from "./stage";
import type { ViewState } from "./view_state";

const HINT_MS = 1600;

export class PlotInteraction implements Pointed {
  private readonly gestures: PlotGestures;
  private hintTimer: ReturnType<typeof setTimeout> | undefined;

  constructor(
    private readonly hit: HTMLElement,
    root: HTMLElement,
    readonly panel: ViewState,
    private readonly stage: Stage,
  ) {
    this.gestures = new PlotGestures(hit, this, root);
    stage.onMoved = () => this.gestures.pictureMoved();
  }

  dispose(): void {
    this.gestures.dispose();
    this.stage.onMoved = () => {};
    clearTimeout(this.hintTimer);
  }

  timeAt(x_px: number): number {
    return this.stage.timeAt(x_px);
  }

  secondsPerCssPixel(): number {
    return this.stage.secondsPerCssPixel();
  }

  brush(range: Range | null): void {
    this.stage.brush = range;
    this.stage.overlay.request();
  }

  scroll(css_px: number): void {
    this.stage.scrollLanes(css_px);
  }

  /** Pins the task here, or the one that an error in the row of events names. */
  click(x: number, y: number): void {
    const { panel: view, stage } = this;
    const mark = stage.eventAt(x, y);
    const store = view.session.peek();
    if (!mark || !store) {
      view.pinned.value = stage.hit(x, y)?.row ?? null;
      return;
    }
    const error = nextError(mark, view.pinned.peek()?.task ?? null);
    const row = error && rowOfError(store, error);
    if (row) pinRow(view, row);
  }

  doubleClick(x: number, y: number): void {
    // Its clicks went through the errors there.
    if (this.stage.eventAt(x, y)) return;
    const target = this.stage.hit(x, y);
    if (target) zoomTo(this.panel, stretchOf(target.row));
    else this.panel.timeline.window.fit();
  }

  hover(x: number, y: number): void {
    const { panel: view, stage } = this;
    const { lanesTop } = view.rows.peek();
    const target = y > lanesTop ? stage.hit(x, y) : null;
    const merged = stage.eventAt(x, y);
    view.eventHover.value = merged && { merged, pointerX: x };
    const pins = target !== null || merged?.kind === "error";
    this.hit.style.cursor = pins ? "pointer" : "";
    const before = view.hover.peek();
    const coarse = !target && y > lanesTop ? stage.coarseAt(x, y) : null;
    view.coarseHover.value = coarse && { ...coarse, pointerX: x };
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

  hovers(): boolean {
    const { hover, coarseHover, eventHover } = this.panel;
    return (hover.peek() ?? coarseHover.peek() ?? eventHover.peek()) !== null;
  }

  leave(): void {
    this.panel.hover.value = null;
    this.panel.coarseHover.value = null;
    this.panel.eventHover.value = null;
  }

  /** Says how to zoom. */
  refuse(): void {
    const apple = /Mac|iPhone|iPad/.test(navigator.platform);
    this.panel.hint.value = `Click the plot, or hold ${apple ? "⌘" : "Ctrl"}, to zoom with the wheel`;
    clearTimeout(this.hintTimer);
    this.hintTimer = setTimeout(() => {
      this.panel.hint.value = "";
    }, HINT_MS);
  }
}
