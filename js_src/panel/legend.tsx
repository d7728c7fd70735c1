// The legend: colours with counts and times. A click isolates, Shift adds.
// Entries that do not fit are behind "+4", those with the least time first.

import type { JSX } from "preact";
import { useRef } from "preact/hooks";
import type { Theme } from "../base/theme";
import { textWidth } from "../base/text_width";
import { ChevronIcon } from "./icons";
import { Menu } from "./menu";

export interface LegendEntry {
  /** `prefix:name` or `action:name`. */
  readonly id: string;
  readonly kind: "prefix" | "action";
  readonly name: string;
  readonly colour: string;
  readonly detail: string;
  /** Shorter than `detail`, such as `256`. */
  readonly count: string;
  /** Lines of the tooltip: exact figures and a note. */
  readonly title: readonly string[];
  /** Priority for a place on the line: seconds; errors first, empty entries last. */
  readonly weight: number;
  readonly nothing: boolean;
}

/** Shown until the figures of a new selection arrive. */
export const NOT_COUNTED = "…";

interface LegendProps {
  entries: readonly LegendEntry[];
  isolated: ReadonlySet<string>;
  /** A part of the run is selected, in which some entries may have no tasks. */
  selected: boolean;
  /** One line per entry, with figures only if all fit; otherwise two lines. */
  compact: boolean;
  width_px: number;
  theme: Theme;
  onToggle: (entry: LegendEntry, adds: boolean) => void;
}

const PADDING_PX = 24;
const NAME_PX = 220;
const BESIDE_PX = 6;

function entryWidth(
  props: LegendProps,
): (entry: LegendEntry, shown: Shown) => number {
  const { font, size_px, small_px } = props.theme;
  return (entry, shown) => {
    const first = textWidth(entry.name, `500 ${size_px}px ${font}`);
    const figures = shown === "name" ? "" : entry[shown];
    const second = textWidth(figures, `${small_px}px ${font}`);
    if (!props.compact) return Math.min(Math.max(first, second), NAME_PX) + 30;
    const beside = figures === "" ? 0 : BESIDE_PX + second;
    return Math.min(first, NAME_PX) + beside + 34;
  };
}

function startsActions(entries: readonly LegendEntry[], at: number): boolean {
  return (
    at > 0 && entries[at].kind === "action" && entries[at - 1].kind === "prefix"
  );
}

export function Legend(props: LegendProps): JSX.Element {
  const before = useRef<ReadonlySet<string>>(new Set());
  const lastShown = useRef<Shown>("name");
  const widthOf = entryWidth(props);
  const room_px = props.width_px - PADDING_PX;
  // Keep the layout stable while new counts are missing for a moment.
  const counted = !props.entries.some(({ detail }) => detail === NOT_COUNTED);
  if (!props.compact) lastShown.current = "detail";
  else if (counted) {
    lastShown.current = mostShown(props.entries, widthOf, room_px);
  }
  const shown = lastShown.current;
  const chosen = chooseEntries(
    props.entries,
    (entry) => widthOf(entry, shown),
    room_px,
    before.current,
  );
  before.current = chosen;
  const entries = props.entries.filter(({ id }) => chosen.has(id));
  const rest = props.entries.filter(({ id }) => !chosen.has(id));
  return (
    <div
      class={`ds-legend ${props.compact ? "ds-compact" : ""}`}
      role="group"
      aria-label="Legend: choose what to isolate"
    >
      {entries.map((entry, at) => (
        <>
          {startsActions(entries, at) && (
            <span class="ds-legend-rule" aria-hidden="true" />
          )}
          <Entry {...props} entry={entry} shown={shown} />
        </>
      ))}
      {rest.length > 0 && (
        <Menu
          label="The rest of the legend"
          class="ds-legend-more"
          face={
            <>
              {`+${rest.length}`}
              <ChevronIcon />
            </>
          }
        >
          {() => <LegendList {...props} entries={rest} />}
        </Menu>
      )}
    </div>
  );
}

/** Share of the panel's width for the menu button if it shows a name. */
const SHARE = 0.5;
/** Width of swatch, count, chevron and gaps beside the name. */
const BESIDE_NAME_EM = 5;

/** The name for the menu button, if it fits beside the filters; else empty. */
function faceName(props: LegendProps, first: LegendEntry | undefined): string {
  const { font, size_px } = props.theme;
  const room_px = props.width_px * SHARE - BESIDE_NAME_EM * size_px;
  const name = first?.name ?? "";
  return textWidth(name, `${size_px}px ${font}`) <= room_px ? name : "";
}

export function LegendMenu(
  props: LegendProps & {
    /** What the menu button shows beside its swatches. */
    face: "words" | "name" | "count";
  },
): JSX.Element {
  const { entries, face } = props;
  const name = face === "name" ? faceName(props, entries[0]) : "";
  const most = face === "words" ? 7 : name === "" ? 4 : 1;
  const shown = entries.slice(0, most);
  const rest = entries.length - shown.length;
  return (
    <Menu
      label="Legend"
      class="ds-legend-menu"
      face={
        <>
          {shown.map((entry) => (
            <span class="ds-swatch" style={{ background: entry.colour }} />
          ))}
          {name !== "" && <span>{name}</span>}
          {face === "words" ? (
            <span>{`${entries.length} in legend`}</span>
          ) : (
            rest > 0 && <span>{`+${rest}`}</span>
          )}
          <ChevronIcon />
        </>
      }
    >
      {() => <LegendList {...props} />}
    </Menu>
  );
}

function LegendList(props: LegendProps): JSX.Element {
  return (
    <div class="ds-legend-list">
      {props.entries.map((entry) => (
        <Entry {...props} compact entry={entry} shown="detail" />
      ))}
    </div>
  );
}

function Entry(
  props: LegendProps & { entry: LegendEntry; shown: Shown },
): JSX.Element {
  const { entry, isolated, shown } = props;
  const on = isolated.has(entry.id);
  const dimmed =
    (isolated.size > 0 || (props.selected && entry.nothing)) && !on;
  return (
    <button
      type="button"
      class={`ds-legend-entry ${dimmed ? "ds-dimmed" : ""}`}
      aria-pressed={on}
      title={[...entry.title, "Click to isolate, Shift-click to add"]
        .filter(Boolean)
        .join("\n")}
      onClick={(event) => props.onToggle(entry, event.shiftKey)}
    >
      <span
        class={props.compact ? "ds-swatch" : "ds-legend-bar"}
        style={{ background: entry.colour }}
      />
      <span class="ds-legend-words">
        <span class="ds-legend-name">{entry.name || "(no name)"}</span>
        {shown !== "name" && (
          <span class="ds-legend-detail">{entry[shown]}</span>
        )}
      </span>
    </button>
  );
}

/** Bonus for entries already shown, so that entries do not keep swapping places. */
const STAYING = 1.3;

const MORE_PX = 64;
const SEPARATOR_PX = 17;

type Shown = "detail" | "count" | "name";

/** The longest form in which all entries fit on one line; `name` if none does. */
export function mostShown(
  entries: readonly LegendEntry[],
  width_px: (entry: LegendEntry, shown: Shown) => number,
  room_px: number,
): Shown {
  const haveRoom = (shown: Shown): boolean =>
    fit(entries, (entry) => width_px(entry, shown), room_px);
  return haveRoom("detail") ? "detail" : haveRoom("count") ? "count" : "name";
}

/** Ids of the entries that fit; `before`: those shown so far. */
export function chooseEntries(
  entries: readonly LegendEntry[],
  width_px: (entry: LegendEntry) => number,
  room_px: number,
  before: ReadonlySet<string>,
): Set<string> {
  const all = entries.map(({ id }) => id);
  if (fit(entries, width_px, room_px)) return new Set(all);
  const weight = ({ id, weight }: LegendEntry): number =>
    weight * (before.has(id) ? STAYING : 1);
  const ranked = [...entries].sort(
    (one, other) => weight(other) - weight(one) || 0,
  );
  const chosen: LegendEntry[] = [];
  for (const entry of ranked) {
    chosen.push(entry);
    if (fit(chosen, width_px, room_px - MORE_PX)) continue;
    chosen.pop();
    break;
  }
  return new Set(chosen.map(({ id }) => id));
}

/** Stops at the first entry without room: measuring thousands of entries would be slow. */
function fit(
  entries: readonly LegendEntry[],
  width_px: (entry: LegendEntry) => number,
  room_px: number,
): boolean {
  const kinds = new Set(entries.map(({ kind }) => kind)).size;
  let needed_px = kinds > 1 ? SEPARATOR_PX : 0;
  return entries.every((entry) => (needed_px += width_px(entry)) <= room_px);
}

const SORT_MS = 10_000;

export class LegendOrder {
  private readonly places = new Map<string, number>();
  private sorted_ms = -Infinity;

  /** Sorts entries at most every 10 s while `growing`; new ones are appended in between. */
  sort(
    entries: readonly LegendEntry[],
    now_ms: number,
    growing: boolean,
  ): LegendEntry[] {
    if (!growing || now_ms - this.sorted_ms >= SORT_MS) {
      this.places.clear();
      this.sorted_ms = now_ms;
    }
    const place = ({ id }: LegendEntry) => this.places.get(id) ?? Infinity;
    const rank = ({ kind }: LegendEntry) => (kind === "prefix" ? 0 : 1);
    const sorted = [...entries].sort((one, other) => {
      if (rank(one) !== rank(other)) return rank(one) - rank(other);
      if (one.kind !== "prefix") return 0;
      const [first, second] = [place(one), place(other)];
      return first === second ? other.weight - one.weight : first - second;
    });
    for (const { id } of sorted) {
      if (!this.places.has(id)) this.places.set(id, this.places.size);
    }
    return sorted;
  }
}

const MOST_LINES = 4;
/** More names cannot be distinguished by colour. */
const MOST_ENTRIES = 200;

interface PictureLegend {
  readonly lines: readonly (readonly LegendEntry[])[];
  readonly rest: number;
}

/** `rest_px`: width of "+14 more" at the end of the last line. */
export function legendLines(
  entries: readonly LegendEntry[],
  width_px: (entry: LegendEntry) => number,
  room_px: number,
  rest_px: number,
): PictureLegend {
  const ranked = [
    ...entries.filter(({ kind }) => kind === "action"),
    ...entries
      .filter(({ kind }) => kind === "prefix")
      .sort((one, other) => other.weight - one.weight),
  ];
  const most = Math.min(entries.length, MOST_ENTRIES);
  for (let count = most; count > 0; count--) {
    const chosen = new Set(ranked.slice(0, count));
    const rest = entries.length - count;
    const lines: LegendEntry[][] = [[]];
    let x = 0;
    for (const entry of entries) {
      if (!chosen.has(entry)) continue;
      const width = width_px(entry);
      if (x > 0 && x + width > room_px) {
        lines.push([]);
        x = 0;
      }
      lines[lines.length - 1].push(entry);
      x += width;
    }
    const fits = rest === 0 || x + rest_px <= room_px;
    if (lines.length <= MOST_LINES && fits) return { lines, rest };
  }
  return { lines: [], rest: entries.length };
}
