// Mouse, pen, touch and wheel on a plot over time: they move and zoom its window, select
// time, and point at it. What lies in the plot is the plot's own.

import type { Timeline } from "./timeline";
import type { Range } from "./window";

const DRAG_PX = 4;
/** One notch of a wheel is about 100: zooms by a fifth. */
const WHEEL_ZOOM = 0.0018;
const LINE_PX = 16;

/** What a plot knows of its panel. */
export interface TimePanel {
  readonly timeline: Timeline;
  /** Whether the wheel alone zooms without a click. */
  readonly host: { readonly capturesWheel: boolean };
  /** Puts the crosshair of all panels at a time. */
  point(time: number | null): void;
  /** Sets the time in focus. */
  select(time: Range | null): void;
}

/** A plot under the pointer; places are in CSS pixels from its corner. */
export interface Pointed {
  readonly panel: TimePanel;
  timeAt(x_px: number): number;
  secondsPerCssPixel(): number;
  /** What a drag would select if it ended now; null: nothing. */
  brush(range: Range | null): void;
  doubleClick(x_px: number, y_px: number): void;
  /** Whether a drag without Shift selects now, too. */
  dragSelects?(): boolean;
  /** Whether the plain wheel scrolls what the plot lies in. */
  isScrolled?(): boolean;
  /** The pointer is here; `leave`: at nothing. */
  hover?(x_px: number, y_px: number): void;
  /** Whether there is something below the pointer that may be another when it moves. */
  hovers?(): boolean;
  leave?(): void;
  click?(x_px: number, y_px: number): void;
  /** Moves what does not fit into the height. */
  scroll?(css_px: number): void;
  /** The wheel was left to the page. */
  refuse?(): void;
}

interface Drag {
  x: number;
  y: number;
  moved: boolean;
  /** Where the selection begins; null: it moves the window. */
  readonly from: number | null;
}

export class PlotGestures {
  private pointer: { x: number; y: number } | null = null;
  private drag: Drag | null = null;
  private readonly abort = new AbortController();

  /** A click that is not in `inside` gives the wheel back to the page. */
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
    on("pointercancel", () => this.letGo());
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

  /** The picture moved below a pointer that rests. */
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
    // Who only selects goes on scrolling the page.
    if (shiftKey || !selects) plot.panel.timeline.engaged.value = true;
    // A ring is for those who came here by keyboard.
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
    this.letGo();
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

  private letGo(): void {
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
      // A pinch on a trackpad comes as small steps with Ctrl.
      const speed = asked && Math.abs(dy) < 40 ? WHEEL_ZOOM * 5 : WHEEL_ZOOM;
      timeline.window.zoom(Math.exp(dy * speed), plot.timeAt(event.offsetX));
    }
    plot.leave?.();
  }
}

const inOrder = (one: number, other: number): Range =>
  one < other ? [one, other] : [other, one];
