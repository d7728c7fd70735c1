// Mouse, pen, touch and wheel on a plot over time: move and zoom its window, select a time,
// set the crosshair. The plot itself handles what lies under the pointer.

import type { Timeline } from "./timeline";
import type { Range } from "./window";

const DRAG_PX = 4;
/** One notch of a wheel is about 100 units and zooms by a fifth. */
const WHEEL_ZOOM = 0.0018;
const LINE_PX = 16;

/** What a plot knows of its panel. */
export interface TimePanel {
  readonly timeline: Timeline;
  /** Whether the wheel zooms without a click into the plot first. */
  readonly host: { readonly capturesWheel: boolean };
  /** Moves the crosshair of all panels. */
  point(time: number | null): void;
  /** Sets the time in focus. */
  select(time: Range | null): void;
}

/** A plot under the pointer; places are in CSS pixels from its corner. */
export interface Pointed {
  readonly panel: TimePanel;
  timeAt(x_px: number): number;
  secondsPerCssPixel(): number;
  /** Shows the current selection of a drag; null clears it. */
  brush(range: Range | null): void;
  doubleClick(x_px: number, y_px: number): void;
  /** Whether a drag without Shift also selects. */
  dragSelects?(): boolean;
  /** Whether the plain wheel scrolls the container of the plot. */
  isScrolled?(): boolean;
  /** The pointer moved here; `leave`: it left the plot. */
  hover?(x_px: number, y_px: number): void;
  /** Whether the plot has items that can change under the pointer. */
  hovers?(): boolean;
  leave?(): void;
  click?(x_px: number, y_px: number): void;
  /** Scrolls vertically. */
  scroll?(css_px: number): void;
  /** The plot ignored a wheel event, so the page scrolls. */
  refuse?(): void;
}

interface Drag {
  x: number;
  y: number;
  moved: boolean;
  /** Start of the selection; null if the drag moves the window. */
  readonly from: number | null;
}

export class PlotGestures {
  private pointer: { x: number; y: number } | null = null;
  private drag: Drag | null = null;
  private readonly abort = new AbortController();

  /** After a click outside of `inside`, the wheel scrolls the page again. */
  constructor(
    private readonly hit: HTMLElement,
    private readonly plot: Pointed,
    inside: HTMLElement = hit,
  ) {
    const { signal } = this.abort;
    const on = <K extends keyof HTMLElementEventMap>(
      type: K,
      listener: (event: HTMLElementEventMap[K]) => void,
      options: AddEventListenerOptions = {},
    ): void => hit.addEventListener(type, listener, { ...options, signal });
    on("pointerdown", (event) => this.down(event));
    on("pointermove", (event) => this.move(event));
    on("pointerup", (event) => this.up(event));
    on("pointercancel", () => this.endDrag());
    on("pointerleave", () => this.leave());
    on("blur", () => delete hit.dataset["pointer"]);
    on("dblclick", ({ offsetX, offsetY }) =>
      plot.doubleClick(offsetX, offsetY),
    );
    on("wheel", (event) => this.wheel(event), { passive: false });
    document.addEventListener(
      "pointerdown",
      (event) => {
        if (event.composedPath().includes(inside)) return;
        plot.panel.timeline.engaged.value = false;
      },
      { signal, capture: true },
    );
  }

  dispose(): void {
    this.abort.abort();
  }

  /** Updates crosshair and hover when the picture moves under a resting pointer. */
  pictureMoved(): void {
    if (!this.pointer || this.drag) return;
    const { x, y } = this.pointer;
    this.plot.panel.point(this.plot.timeAt(x));
    if (this.plot.hovers?.()) this.plot.hover?.(x, y);
  }

  private down(event: PointerEvent): void {
    if (event.button !== 0) return;
    const { hit, plot } = this;
    const { offsetX: x, offsetY: y, shiftKey } = event;
    const selects = shiftKey || plot.dragSelects?.();
    if (selects && !shiftKey && event.pointerType === "touch") return;
    // A plain selection does not capture the wheel: the page must still scroll.
    if (shiftKey || !selects) plot.panel.timeline.engaged.value = true;
    // The focus ring is only for keyboard users.
    hit.dataset["pointer"] = "true";
    hit.focus({ preventScroll: true });
    hit.setPointerCapture(event.pointerId);
    this.drag = { x, y, moved: false, from: selects ? plot.timeAt(x) : null };
    event.preventDefault();
  }

  private move(event: PointerEvent): void {
    const { drag, plot } = this;
    const { offsetX: x, offsetY: y } = event;
    this.pointer = { x, y };
    const time = plot.timeAt(x);
    if (!drag) {
      plot.panel.point(time);
      plot.hover?.(x, y);
      return;
    }
    const selects = drag.from !== null;
    if (!drag.moved && Math.abs(x - drag.x) < DRAG_PX) {
      if (selects || Math.abs(y - drag.y) < DRAG_PX) return;
    }
    drag.moved = true;
    plot.leave?.();
    if (drag.from !== null) {
      plot.brush(inOrder(drag.from, time));
      plot.panel.point(time);
      return;
    }
    this.hit.style.cursor = "grabbing";
    if (x !== drag.x) {
      plot.panel.timeline.window.pan((drag.x - x) * plot.secondsPerCssPixel());
    }
    plot.scroll?.(drag.y - y);
    drag.x = x;
    drag.y = y;
    plot.panel.point(null);
  }

  private up({ offsetX: x, offsetY: y, shiftKey }: PointerEvent): void {
    const { drag, plot } = this;
    this.endDrag();
    if (!drag) return;
    if (drag.moved) {
      const to = plot.timeAt(x);
      if (drag.from !== null && to !== drag.from) {
        plot.panel.select(inOrder(drag.from, to));
      }
      return;
    }
    plot.panel.timeline.engaged.value = true;
    if (shiftKey) return;
    plot.click?.(x, y);
    plot.leave?.();
  }

  private endDrag(): void {
    if (this.drag?.from != null) this.plot.brush(null);
    this.drag = null;
    this.hit.style.cursor = "";
  }

  private leave(): void {
    this.pointer = null;
    this.plot.leave?.();
    this.plot.panel.point(null);
  }

  private wheel(event: WheelEvent): void {
    const { plot } = this;
    const { timeline, host } = plot.panel;
    const asked = event.ctrlKey || event.metaKey;
    const ours =
      timeline.engaged.peek() || (host.capturesWheel && !plot.isScrolled?.());
    if (!asked && !ours) {
      plot.refuse?.();
      return;
    }
    event.preventDefault();
    event.stopPropagation();
    const unit = event.deltaMode === 1 ? LINE_PX : 1;
    const dx = event.deltaX * unit;
    const dy = event.deltaY * unit;
    if (event.altKey && plot.scroll) {
      plot.scroll(dy || dx);
    } else if (!asked && (event.shiftKey || Math.abs(dx) > Math.abs(dy))) {
      const by = event.shiftKey && dx === 0 ? dy : dx;
      timeline.window.pan(by * plot.secondsPerCssPixel());
    } else {
      // Browsers report a trackpad pinch as small wheel steps with Ctrl.
      const speed = asked && Math.abs(dy) < 40 ? WHEEL_ZOOM * 5 : WHEEL_ZOOM;
      timeline.window.zoom(Math.exp(dy * speed), plot.timeAt(event.offsetX));
    }
    plot.leave?.();
  }
}

const inOrder = (one: number, other: number): Range =>
  one < other ? [one, other] : [other, one];
