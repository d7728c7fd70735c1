// Drags a panel out of the sidebar to any place in the dock.

import { MimeData } from "@lumino/coreutils";
import { Drag } from "@lumino/dragdrop";
import type { Widget } from "@lumino/widgets";

const WIDGET_FACTORY = "application/vnd.lumino.widget-factory";
/** Less is a click with an unsteady hand. */
const THRESHOLD_PX = 5;

function dragImage(label: string): HTMLElement {
  const image = document.createElement("div");
  image.className = "ds-drag-image";
  image.textContent = label;
  return image;
}

/**
 * Begin a drag when the pointer leaves the place where it was pressed. A drag is
 * not also a click: `onDrag` hears of it before the click would come, with the drop to wait for.
 */
export function dragOnMove(
  press: PointerEvent,
  label: string,
  factory: () => Widget,
  onDrag: (dropped: Promise<void>) => void,
): void {
  if (press.button !== 0) return;
  const stop = () => {
    document.removeEventListener("pointermove", move, true);
    document.removeEventListener("pointerup", stop, true);
    document.removeEventListener("pointercancel", stop, true);
  };
  const move = (event: PointerEvent) => {
    const [dx, dy] = [
      event.clientX - press.clientX,
      event.clientY - press.clientY,
    ];
    if (Math.hypot(dx, dy) < THRESHOLD_PX) return;
    stop();
    const mimeData = new MimeData();
    mimeData.setData(WIDGET_FACTORY, factory);
    const drag = new Drag({
      mimeData,
      dragImage: dragImage(label),
      supportedActions: "copy",
      proposedAction: "copy",
    });
    onDrag(drag.start(event.clientX, event.clientY).then(() => drag.dispose()));
  };
  document.addEventListener("pointermove", move, true);
  document.addEventListener("pointerup", stop, true);
  document.addEventListener("pointercancel", stop, true);
}
