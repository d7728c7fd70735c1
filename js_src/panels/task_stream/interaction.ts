// Mouse, pen, touch and wheel on the plot. Inline in a notebook the plain wheel
// stays the notebook's until the plot was clicked.

import { effect } from "@preact/signals";
import { nextError } from "./event_marks";
import { stretchOf } from "../../derive/task_place";
import { pinRow, rowOfError, zoomTo } from "./go_to_task";
import type { Stage } from "./stage";
import type { ViewState } from "./view_state";

/** Less than this is a click. */
const DRAG_PX = 4;
/** One notch of a wheel is about 100: zooms by a fifth. */
const WHEEL_ZOOM = 0.0018;
const LINE_PX = 16;
const HINT_MS = 1600;

type Drag =
  | { kind: "pan"; x: number; y: number; moved: boolean }
  | { kind: "brush"; from: number; x: number; moved: boolean };

export class PlotInteraction {
  /** Time under the pointer, for keys that zoom. */
  pointerTime: number | null = null;
  private pointer: { x: number; y: number } | null = null;
  private drag: Drag | null = null;
  private hintTimer: ReturnType<typeof setTimeout> | undefined;
  private readonly abort = new AbortController();
  private readonly stopFollowing: () => void;

  constructor(
    private readonly hit: HTMLElement,
    root: HTMLElement,
    private readonly view: ViewState,
    private readonly stage: Stage,
  ) {
    const { signal } = this.abort;
    const on = <K extends keyof HTMLElementEventMap>(
      type: K,
      listener: (event: HTMLElementEventMap[K]) => void,
      options: AddEventListenerOptions = {},
    ): void => hit.addEventListener(type, listener, { ...options, signal });
    stage.onMoved = () => this.pictureMoved();
    // A pointer that rests here leaves no line in the other panels of a session
    // that this one does not show any more.
    this.stopFollowing = effect(() => {
      const store = view.session.value?.store;
      return () => {
        if (store && this.pointer) store.crosshair.value = null;
      };
    });
    on("pointerdown", (event) => this.down(event));
    on("pointermove", (event) => this.move(event));
    on("pointerup", (event) => this.up(event));
    on("pointercancel", () => this.cancel());
    on("pointerleave", () => this.leave());
    on("blur", () => delete hit.dataset["pointer"]);
    on("dblclick", (event) => this.doubleClick(event));
    on("wheel", (event) => this.wheel(event), { passive: false });
    // Clicking anywhere else gives the wheel back to the page.
    document.addEventListener(
      "pointerdown",
      (event) => {
        if (!event.composedPath().includes(root)) view.engaged.value = false;
      },
      { signal, capture: true },
    );
  }

  dispose(): void {
    this.abort.abort();
    this.stopFollowing();
    this.stage.onMoved = () => {};
    clearTimeout(this.hintTimer);
  }

  private down(event: PointerEvent): void {
    if (event.button !== 0) return;
    this.view.engaged.value = true;
    // A ring is for those who came here by keyboard.
    this.hit.dataset["pointer"] = "true";
    this.hit.focus({ preventScroll: true });
    this.hit.setPointerCapture(event.pointerId);
    const x = event.offsetX;
    this.drag = event.shiftKey
      ? { kind: "brush", from: this.stage.timeAt(x), x, moved: false }
      : { kind: "pan", x, y: event.offsetY, moved: false };
    event.preventDefault();
  }

  private move(event: PointerEvent): void {
    const { drag, stage, view } = this;
    const x = event.offsetX;
    const y = event.offsetY;
    this.pointerTime = stage.timeAt(x);
    this.pointer = { x, y };
    if (!drag) {
      this.point(x, y);
      return;
    }
    if (!drag.moved && Math.abs(x - drag.x) < DRAG_PX) {
      if (drag.kind === "brush" || Math.abs(y - drag.y) < DRAG_PX) return;
    }
    drag.moved = true;
    this.unhover();
    if (drag.kind === "brush") {
      stage.brush = [drag.from, stage.timeAt(x)];
      stage.overlay.request();
      this.setCrosshair(this.pointerTime);
      return;
    }
    this.hit.style.cursor = "grabbing";
    if (x !== drag.x) {
      view.pan((drag.x - x) * stage.secondsPerCssPixel());
    }
    stage.scrollLanes(drag.y - y);
    drag.x = x;
    drag.y = y;
    this.setCrosshair(null);
  }

  private up(event: PointerEvent): void {
    const { drag, stage, view } = this;
    this.drag = null;
    this.hit.style.cursor = "";
    if (!drag) return;
    if (drag.kind === "brush") {
      stage.brush = null;
      stage.overlay.request();
      const to = stage.timeAt(event.offsetX);
      if (drag.moved && to !== drag.from) {
        const time: [number, number] = [
          Math.min(drag.from, to),
          Math.max(drag.from, to),
        ];
        view.setFocus({ ...view.focus.peek(), time });
      }
      return;
    }
    if (drag.moved) return;
    this.click(event.offsetX, event.offsetY);
    this.unhover();
  }

  /** Pins the task here, or the one that an error in the row of events names. */
  private click(x: number, y: number): void {
    const { view, stage } = this;
    const mark = stage.eventAt(x, y);
    const store = view.session.peek()?.store;
    if (!mark || !store) {
      view.pinned.value = stage.hit(x, y)?.row ?? null;
      return;
    }
    const error = nextError(mark, view.pinned.peek()?.task ?? null);
    const row = error && rowOfError(store, error);
    if (row) pinRow(view, row);
  }

  private cancel(): void {
    this.drag = null;
    this.stage.brush = null;
    this.hit.style.cursor = "";
    this.stage.overlay.request();
  }

  /** The pointer rests while the picture follows the newest task. */
  private pictureMoved(): void {
    if (!this.pointer || this.drag) return;
    this.pointerTime = this.stage.timeAt(this.pointer.x);
    this.setCrosshair(this.pointerTime);
    const { hover, coarseHover, eventHover } = this.view;
    const hovers = hover.peek() ?? coarseHover.peek() ?? eventHover.peek();
    if (hovers) this.point(this.pointer.x, this.pointer.y);
  }

  private leave(): void {
    this.pointer = null;
    this.pointerTime = null;
    this.unhover();
    this.setCrosshair(null);
  }

  private point(x: number, y: number): void {
    const { view, stage } = this;
    this.setCrosshair(this.pointerTime);
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

  private unhover(): void {
    this.view.hover.value = null;
    this.view.coarseHover.value = null;
    this.view.eventHover.value = null;
  }

  private setCrosshair(time: number | null): void {
    const store = this.view.session.peek()?.store;
    if (store && store.crosshair.peek() !== time) store.crosshair.value = time;
  }

  private doubleClick(event: MouseEvent): void {
    const { offsetX: x, offsetY: y } = event;
    // Its clicks went through the errors there.
    if (this.stage.eventAt(x, y)) return;
    const target = this.stage.hit(x, y);
    if (!target) {
      this.view.fit();
      return;
    }
    zoomTo(this.view, stretchOf(target.row));
  }

  private wheel(event: WheelEvent): void {
    const { view, stage } = this;
    const asked = event.ctrlKey || event.metaKey;
    if (!asked && !view.host.capturesWheel && !view.engaged.peek()) {
      this.tellHowToZoom();
      return;
    }
    event.preventDefault();
    event.stopPropagation();
    const unit = event.deltaMode === 1 ? LINE_PX : 1;
    const dx = event.deltaX * unit;
    const dy = event.deltaY * unit;
    if (event.altKey) {
      stage.scrollLanes(dy || dx);
    } else if (!asked && (event.shiftKey || Math.abs(dx) > Math.abs(dy))) {
      const by = event.shiftKey && dx === 0 ? dy : dx;
      view.pan(by * stage.secondsPerCssPixel());
    } else {
      // A pinch on a trackpad comes as small steps with Ctrl.
      const speed = asked && Math.abs(dy) < 40 ? WHEEL_ZOOM * 5 : WHEEL_ZOOM;
      view.zoom(Math.exp(dy * speed), stage.timeAt(event.offsetX));
    }
    this.unhover();
  }

  private tellHowToZoom(): void {
    const apple = /Mac|iPhone|iPad/.test(navigator.platform);
    this.view.hint.value = `Click the plot, or hold ${apple ? "⌘" : "Ctrl"}, to zoom with the wheel`;
    clearTimeout(this.hintTimer);
    this.hintTimer = setTimeout(() => {
      this.view.hint.value = "";
    }, HINT_MS);
  }
}
