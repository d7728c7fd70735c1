// What an exported picture says around the plot: of what it is, when, and how much
// of it there is. On the screen toolbar and status line say that.

import { formatClock, formatDate, formatStretch } from "../../base/format";
import { crumbsOf } from "../../panel/crumbs";
import type { Fact } from "../../panel/status_line";
import { panelFacts } from "./panel_facts";
import type { ViewState } from "./view_state";

export interface PictureWords {
  /** The client, the time that is shown, what it is filtered to. */
  readonly about: readonly string[];
  /** As in the status line. */
  readonly facts: readonly Fact[];
}

export function pictureWords(view: ViewState): PictureWords {
  const { window, extent } = view;
  const origin = view.origin.peek();
  const about: string[] = [];
  const name = view.session.peek()?.info.peek().name;
  if (name) about.push(name);
  if (extent) {
    const start = Math.max(window.start, extent.start);
    const stop = Math.min(window.stop, extent.stop);
    const isSeen = stop > start;
    const [from, to] = isSeen ? [start, stop] : [window.start, window.stop];
    about.push(formatStretch(from - origin, to - origin));
    about.push(`from ${formatDate(from)} ${formatClock(from, 0)}`);
  }
  const narrowing = view.narrowing.peek();
  const crumbs = crumbsOf(narrowing, origin);
  for (const { part, text } of crumbs) {
    const names = part === "time" ? [] : narrowing[part];
    // There is no pointer to ask what "2 workers" are.
    about.push(`only ${names.length > 1 ? names.join(", ") : text}`);
  }
  const search = view.selection.peek()?.search.peek().text ?? "";
  if (search !== "") about.push(`search “${search}”`);
  return { about, facts: panelFacts(view, null, true) };
}
