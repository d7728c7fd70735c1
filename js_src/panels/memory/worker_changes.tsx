// What happened to workers, named over the memory that they had, and as a list.

import type { JSX } from "preact";
import { toCss } from "../../base/colour";
import { formatMoment } from "../../base/format";
import type { PanelView } from "../../panel/panel_view";
import { AndMore, Part, Table } from "../../panel/parts";
import type { NameOf } from "../../panel/worker_groups";
import { rowsOf, type TableView } from "../../session_tables";
import { type Item, marksOf, paintMarks } from "../../timeline/marks";
import type { PlotArea } from "../../timeline/time_plot";
import { timeShown } from "./data";

/** Above the plot: a row of marks. */
export const MARKS_PX = 26;

/** What begins a state, and what ends it, beside the worker's leaving. */
const STATES = { paused: "running", spilling: "not-spilling" } as const;
const MOMENTS: ReadonlyMap<string, string> = new Map([
  ["added", "came"],
  ["removed", "left"],
  ["restarted", "restarted"],
]);

/** Ranges that go on end at Infinity. */
export function workerChanges(
  changes: TableView<"workers">,
  nameOf: NameOf,
  only: readonly string[] = [],
): Item[] {
  const all: Item[] = [];
  const open = new Map<string, Item>();
  const add = (worker: string, what: string, start: number, stop = start) => {
    const text = worker === "" ? what : `${nameOf(worker)} ${what}`;
    const trouble = !/^(came|left)$/.test(what);
    const item = { what, start, stop, text, trouble };
    all.push(item);
    return item;
  };
  for (const { time, worker, what } of rowsOf(changes, "time")) {
    if (only.length > 0 && worker !== "" && !only.includes(worker)) continue;
    for (const [begins, ends] of Object.entries(STATES)) {
      const id = `${begins} ${worker}`;
      const since = open.get(id);
      if (what === begins && !since) {
        open.set(id, add(worker, begins, time, Infinity));
      } else if (since && (what === ends || what === "removed")) {
        since.stop = time;
        open.delete(id);
      }
    }
    const word = MOMENTS.get(what);
    if (word !== undefined) add(worker, word, time);
  }
  return all;
}

const TINT = 0.16;

export function paintWorkerChanges(
  area: PlotArea,
  all: readonly Item[],
  present: number,
): void {
  const { context, theme, pixelRatio, left, width, top } = area;
  const height = 16 * pixelRatio;
  const y = top - height + 4 * pixelRatio;
  const ranges = all
    .filter(({ start, stop }) => stop > start)
    .map((one) => ({ ...one, stop: Math.min(one.stop, present) }));
  const moments = all.filter(({ start, stop }) => stop === start);
  const marks = [...marksOf(area, ranges), ...marksOf(area, moments)].sort(
    (one, other) => one.left - other.left,
  );
  const clip = (x: number): number => Math.min(Math.max(x, left), left + width);
  const isRange = ({ items }: { items: readonly Item[] }): boolean =>
    items[0].stop > items[0].start;
  context.save();
  context.beginPath();
  context.rect(left, 0, width, top + area.height);
  context.clip();
  paintMarks(
    area,
    marks,
    y,
    (mark) => {
      const trouble = mark.items.some((item) => item.trouble);
      const colour = toCss(trouble ? theme.warn : theme.text2);
      context.fillStyle = colour;
      const from = clip(mark.left);
      if (!isRange(mark)) {
        const radius = 3 * pixelRatio;
        context.beginPath();
        context.arc(mark.right, y, radius, 0, 2 * Math.PI);
        context.fill();
        return;
      }
      context.globalAlpha = TINT;
      context.fillRect(from, y - height / 2, clip(mark.right) - from, height);
      context.globalAlpha = 1;
      context.fillRect(from, y - height / 2, 2 * pixelRatio, height);
    },
    (mark) => (isRange(mark) ? mark.left : mark.right) + 7 * pixelRatio,
  );
  context.restore();
}

const LISTED = 8;

export function EventTable(props: {
  view: PanelView;
  all: readonly Item[];
}): JSX.Element | null {
  const { view } = props;
  const [start, stop] = timeShown(view);
  const shown = props.all.filter(
    (one) => one.start <= stop && one.stop >= start,
  );
  if (shown.length === 0) return null;
  const listed = shown.slice(-LISTED);
  return (
    <Part title="Events">
      <Table
        label="What happened to workers"
        columns={[{ name: "Time", class: "ds-number" }, "What happened"]}
      >
        {listed.map((one) => (
          <tr>
            <td class="ds-number">
              {formatMoment(one.start - view.origin.value, 2)}
            </td>
            <td class={one.trouble ? "ds-warn" : ""}>
              {one.text}
              {one.stop > one.start && Number.isFinite(one.stop)
                ? ` until ${formatMoment(one.stop - view.origin.value, 2)}`
                : ""}
            </td>
          </tr>
        ))}
      </Table>
      <AndMore count={shown.length - listed.length} />
    </Part>
  );
}
