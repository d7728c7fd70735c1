// Names of workers, topics and sources as a column of a list has room for them.

import { shortenMiddle, textWidth } from "../../base/text_width";
import type { RecordingView } from "./recording_view";

/** In sizes of the text; what is longer loses its middle, since ends tell workers apart. */
const ROOM_EM = 15;

/**
 * Reads signals: a component that calls it is drawn again with the theme. Paper has room,
 * and no tooltip.
 */
export function shortNames(view: RecordingView): (name: string) => string {
  const { font, size_px } = view.theme.value;
  if (view.printing.value) return (name) => name;
  const widthOf = (text: string): number =>
    textWidth(text, `${size_px}px ${font}`);
  return (name) => shortenMiddle(name, ROOM_EM * size_px, widthOf);
}
