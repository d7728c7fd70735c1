// Names of workers, topics and sources as a column of a list has room for them.

import { shortenMiddle, textWidth } from "../base/text_width";
import type { PanelView } from "./panel_view";

/** In sizes of the text; what is longer loses its middle, since ends tell workers apart. */
const ROOM_EM = 15;
/** Names come from anywhere: forget them all rather than grow. */
const MOST_KNOWN = 4000;

/** By font with its size, and name: to shorten one anew takes dozens of measurements. */
const known = new Map<string, string>();

/**
 * Reads signals: a component that calls it is drawn again with the theme. Paper has room,
 * and no tooltip.
 */
export function shortNames(
  view: Pick<PanelView, "theme" | "printing">,
): (name: string) => string {
  const { font, size_px } = view.theme.value;
  if (view.printing.value) return (name) => name;
  const css = `${size_px}px ${font}`;
  const widthOf = (text: string): number => textWidth(text, css);
  return (name) => {
    const id = `${css}\n${name}`;
    const before = known.get(id);
    if (before !== undefined) return before;
    const short = shortenMiddle(name, ROOM_EM * size_px, widthOf);
    if (known.size >= MOST_KNOWN) known.clear();
    known.set(id, short);
    return short;
  };
}
