// The filters of the session, each with a button that removes it:
// Whole run › [14.3 – 21.3 s ×] › [4 workers ×]. If the plot shows
// only a part of that: Whole run › last 60.0 s › [4 workers ×]

import type { JSX } from "preact";
import { formatRange } from "../base/format";
import { CloseIcon } from "./icons";
import type { Narrowing } from "./narrowing";

interface Crumb {
  readonly part: keyof Narrowing;
  readonly text: string;
  readonly full: string;
}

function several(names: readonly string[], noun: string): string {
  return names.length === 1 ? (names[0] ?? "") : `${names.length} ${noun}`;
}

/** One crumb per filter, in the order in which users usually filter. */
export function crumbsOf(narrowing: Narrowing, origin_s: number): Crumb[] {
  const { time, prefixes, actions, workers, spans, cells } = narrowing;
  const crumbs: Crumb[] = [];
  if (time) {
    const text = formatRange(time[0] - origin_s, time[1] - origin_s);
    crumbs.push({ part: "time", text, full: `Only ${text}` });
  }
  const add = (part: Crumb["part"], names: readonly string[], text: string) => {
    if (names.length > 0) crumbs.push({ part, text, full: names.join("\n") });
  };
  add("cells", cells, several(cells, "cells"));
  add("prefixes", prefixes, several(prefixes, "prefixes"));
  add("actions", actions, several(actions, "actions"));
  add("workers", workers, several(workers, "workers"));
  add("spans", spans, several(spans, "spans"));
  return crumbs;
}

export function Crumbs(props: {
  narrowing: Narrowing;
  origin_s: number;
  /** In narrow panels (320 px), show "…" for "Whole run". */
  short: boolean;
  /** The part of the run that is shown; null for all of it. */
  part: string | null;
  onRemove: (part: Crumb["part"]) => void;
  onWhole: () => void;
}): JSX.Element {
  const crumbs = crumbsOf(props.narrowing, props.origin_s);
  // If the plot shows exactly the time of a filter, show it only once.
  const isListed = crumbs.some(({ text }) => text === props.part);
  const part = isListed ? null : props.part;
  if (crumbs.length === 0 && part === null) {
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
            ? "Whole run: remove all filters"
            : "Show the whole run"
        }
        onClick={props.onWhole}
      >
        {props.short ? "…" : "Whole run"}
      </button>
      {part !== null && (
        <span class="ds-crumb">
          <Arrow />
          <span class="ds-quiet">{part}</span>
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
              onClick={() => props.onRemove(crumb.part)}
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
