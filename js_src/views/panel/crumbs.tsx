// What every panel of the session is filtered to, and the way back:
// Whole run › [14.3 – 21.3 s ×] › [4 workers ×]. Where nothing is filtered but
// the plot shows only a part: Whole run › 14.3 – 21.3 s

import type { JSX } from "preact";
import { formatStretch } from "../../base/format";
import type { Focus } from "../../model/types";
import { CloseIcon } from "./icons";

interface Crumb {
  readonly text: string;
  /** Everything that is in it, for the tooltip. */
  readonly full: string;
  without(focus: Focus): Focus;
}

function several(names: readonly string[], noun: string): string {
  return names.length === 1 ? (names[0] ?? "") : `${names.length} ${noun}`;
}

/** The parts of a focus, in the order in which people narrow a run. */
export function crumbsOf(focus: Focus, origin_s: number): Crumb[] {
  const crumbs: Crumb[] = [];
  if (focus.time) {
    const [start, stop] = focus.time;
    const text = formatStretch(start - origin_s, stop - origin_s);
    crumbs.push({
      text,
      full: `Only ${text}`,
      without: (now) => ({ ...now, time: null }),
    });
  }
  if (focus.prefixes.length > 0) {
    crumbs.push({
      text: several(focus.prefixes, "prefixes"),
      full: focus.prefixes.join("\n"),
      without: (now) => ({ ...now, prefixes: [] }),
    });
  }
  if (focus.workers.length > 0) {
    crumbs.push({
      text: several(focus.workers, "workers"),
      full: focus.workers.join("\n"),
      without: (now) => ({ ...now, workers: [] }),
    });
  }
  if (focus.spans.length > 0) {
    crumbs.push({
      text: `${focus.spans.length} ${focus.spans.length === 1 ? "span" : "spans"}`,
      full: focus.spans.join("\n"),
      without: (now) => ({ ...now, spans: [] }),
    });
  }
  return crumbs;
}

export function Crumbs(props: {
  focus: Focus;
  origin_s: number;
  /** Says a worker by its name instead of its address. */
  nameOf?: (worker: string) => string;
  /** At 320 px "Whole run" is only "…". */
  short: boolean;
  /** The part of the run that is shown; null while that is all of it. */
  part: string | null;
  onFocus: (focus: Focus) => void;
  /** Back to all of it. */
  onWhole: () => void;
}): JSX.Element {
  const { focus } = props;
  const shown: Focus = props.nameOf
    ? { ...focus, workers: focus.workers.map(props.nameOf) }
    : focus;
  const crumbs = crumbsOf(shown, props.origin_s);
  if (crumbs.length === 0 && props.part === null) {
    return <span class="ds-crumbs ds-quiet">Whole run</span>;
  }
  return (
    <nav
      class="ds-crumbs"
      aria-label={crumbs.length > 0 ? "Filtered to" : "Shown"}
    >
      <button
        type="button"
        class="ds-crumb-home"
        title="Back to the whole run"
        aria-label={
          crumbs.length > 0
            ? "Whole run: drop every filter"
            : "Show the whole run"
        }
        onClick={props.onWhole}
      >
        {props.short ? "…" : "Whole run"}
      </button>
      {crumbs.length === 0 && (
        <span class="ds-crumb">
          <Arrow />
          <span class="ds-quiet">{props.part}</span>
        </span>
      )}
      {crumbs.map((crumb) => (
        <span class="ds-crumb">
          <Arrow />
          <span class="ds-chip" title={crumb.full}>
            <span class="ds-chip-text">{crumb.text}</span>
            <button
              type="button"
              class="ds-chip-close"
              aria-label={`Remove the filter ${crumb.text}`}
              onClick={() => props.onFocus(crumb.without(focus))}
            >
              <CloseIcon />
            </button>
          </span>
        </span>
      ))}
    </nav>
  );
}

const Arrow = (): JSX.Element => (
  <span class="ds-crumb-arrow" aria-hidden="true">
    ›
  </span>
);
