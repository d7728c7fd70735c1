// Errors and events over time, with a lane for each kind. Marks that would overlap are merged.

import type { JSX } from "preact";
import { useMemo } from "preact/hooks";
import { toCss } from "../../base/colour";
import { formatExact } from "../../base/format";
import type { Focus } from "../../model/types";
import { type TimedRow, inFocus } from "../../panel/narrowing";
import type { PanelView } from "../../panel/panel_view";
import { TimeChart } from "../../panel/time_chart";
import { paintCross } from "../../timeline/marks";
import type { PlotArea } from "../../timeline/time_plot";
import { splitException } from "../../panel/traceback";
import type { TableView } from "../../session/tables";
import { type ListedEvent, KIND_NAMES, type Kind, KINDS } from "./event_list";

const LANE_PX = 20;
const GUTTER_PX = 96;

interface LaneItem extends TimedRow {
  readonly text: string;
  /** The same without the worker, so that equal ones can be counted. */
  readonly what: string;
  readonly trouble: boolean;
}

interface Mark {
  readonly left: number;
  right: number;
  readonly items: LaneItem[];
}

interface Lane {
  readonly kind: Kind | "error";
  readonly name: string;
  readonly items: readonly LaneItem[];
}

/** The first words, which say what happened. */
const brief = (text: string): string => text.split(/, | · /, 1)[0].slice(0, 40);

/** All lanes, each sorted by time. */
export function lanesOf(
  errors: TableView<"errors">,
  prefixes: readonly string[],
  happened: readonly ListedEvent[],
): Lane[] {
  const { time, worker, exception, prefix } = errors.columns;
  const failed = Array.from({ length: errors.rows }, (_, row) => ({
    ...{ start: time[row], stop: time[row], worker: worker[row] },
    prefix: prefixes[prefix[row]] ?? "",
    text: splitException(exception[row])[0],
    what: splitException(exception[row])[0],
    trouble: true,
  }));
  const lane = (kind: Lane["kind"], name: string, items: LaneItem[]): Lane => ({
    ...{ kind, name },
    items: items.sort((one, other) => one.start - other.start),
  });
  return [
    lane("error", "Errors", failed),
    ...KINDS.map((kind) =>
      lane(
        kind,
        KIND_NAMES[kind],
        happened
          .filter((one) => one.kind === kind)
          .map((one) => ({
            ...{ start: one.start, stop: one.stop },
            ...{ worker: one.worker, prefix: one.prefix },
            trouble: one.level === "warn",
            get what() {
              return brief(one.text);
            },
            get text() {
              return kind === "worker"
                ? `${one.about} ${this.what}`
                : this.what;
            },
          })),
      ),
    ),
  ];
}

/** Filters by the focus, except by its time, which the plot shades instead. */
export function lanesIn(lanes: readonly Lane[], focus: Focus): Lane[] {
  const focused = inFocus({ ...focus, time: null });
  return lanes.map((lane) => ({ ...lane, items: lane.items.filter(focused) }));
}

export function Lanes(props: {
  view: PanelView;
  errors: TableView<"errors">;
  happened: readonly ListedEvent[];
}): JSX.Element {
  const { view, errors, happened } = props;
  const focus = view.focus.value;
  const prefixes = view.session.value?.prefixes ?? [];
  const all = useMemo(
    () => lanesOf(errors, prefixes, happened),
    [errors, view.namesVersion.value, happened],
  );
  const { workers } = focus;
  const lanes = useMemo(
    () => lanesIn(all, focus),
    [all, workers.join("\n"), focus.prefixes.join("\n")],
  );
  const axis = {
    bottom: 0,
    top: lanes.length,
    ticks: lanes.map(({ name, items }, at) => ({
      value: lanes.length - at,
      label: `${name}  ${formatExact(items.length)}`,
      below: 0.5,
    })),
  };
  return (
    <TimeChart
      view={view}
      label="Errors and events over time; the lists below have all of them"
      height_px={lanes.length * LANE_PX + 27}
      content={{
        gutter_px: GUTTER_PX,
        axis: () => axis,
        paint(area) {
          lanes.forEach((lane, at) => {
            paintLane(area, lane, area.y(lanes.length - at - 0.5));
          });
        },
      }}
    />
  );
}

const NEAR_PX = 12;

/** Includes marks off the screen, so that merging does not depend on the visible part. */
function marksOf(area: PlotArea, items: readonly LaneItem[]): Mark[] {
  const near = NEAR_PX * area.pixelRatio;
  const marks: Mark[] = [];
  for (const item of items) {
    const [left, right] = [area.x(item.start), area.x(item.stop)];
    const last = marks[marks.length - 1];
    if (last && left - last.right < near) {
      last.right = Math.max(last.right, right);
      last.items.push(item);
    } else {
      marks.push({ left, right, items: [item] });
    }
  }
  return marks;
}

function paintLane(area: PlotArea, lane: Lane, y: number): void {
  const { context, theme, pixelRatio, left, width } = area;
  context.font = `${theme.small_px * pixelRatio}px ${theme.font}`;
  context.textAlign = "left";
  context.textBaseline = "middle";
  const marks = marksOf(area, lane.items);
  marks.forEach((mark, at) => {
    if (!(mark.right >= left && mark.left <= left + width)) return;
    const trouble = mark.items.some((item) => item.trouble);
    const colour =
      lane.kind === "error"
        ? theme.error
        : trouble
          ? theme.warn
          : lane.kind === "yours"
            ? theme.brand
            : theme.text2;
    context.fillStyle = context.strokeStyle = toCss(colour);
    paintSign(area, lane.kind, mark, y);
    const from = Math.max(mark.right + 8 * pixelRatio, left);
    const next = marks[at + 1]?.left ?? left + width;
    const room = next - from - 6 * pixelRatio;
    // Make words only if there is room for some.
    if (room < 40 * pixelRatio) return;
    const words = wordsOf(mark.items);
    if (context.measureText(words).width <= room) {
      context.fillText(words, from, y);
    }
  });
}

/** With more kinds of items, a mark shows only their number. */
const MOST_KINDS = 2;

function wordsOf(items: readonly LaneItem[]): string {
  if (items.length === 1) return items[0].text;
  const counts = new Map<string, number>();
  for (const { what } of items) counts.set(what, (counts.get(what) ?? 0) + 1);
  if (counts.size > MOST_KINDS) return formatExact(items.length);
  return [...counts]
    .map(([what, count]) =>
      count === 1 ? what : `${what} × ${formatExact(count)}`,
    )
    .join(", ");
}

function paintSign(
  area: PlotArea,
  kind: Lane["kind"],
  { left, right }: Mark,
  y: number,
): void {
  const { context, pixelRatio } = area;
  const size = 3.5 * pixelRatio;
  context.beginPath();
  if (kind === "gap") {
    const wide = Math.max(right - left, 2 * pixelRatio);
    context.globalAlpha = 0.3;
    context.fillRect(left, y - 2 * size, wide, 4 * size);
    context.globalAlpha = 1;
    return;
  }
  if (right - left > 2 * size) {
    context.fillRect(left, y - pixelRatio / 2, right - left, pixelRatio);
  }
  const x = right;
  if (kind === "error") {
    context.lineWidth = 1.8 * pixelRatio;
    paintCross(context, x, y, size);
  } else if (kind === "dask") {
    context.moveTo(x - size, y - size);
    context.lineTo(x + size, y - size);
    context.lineTo(x, y + size);
    context.fill();
  } else {
    context.arc(x, y, size, 0, 2 * Math.PI);
    context.fill();
  }
}
