// What happened to workers, named over the memory that they had, and as a list.

import type { JSX } from "preact";
import { toCss } from "../../base/colour";
import { formatMoment, formatShare } from "../../base/format";
import { peakOf } from "../../derive/keyed";
import type { PanelView } from "../../panel/panel_view";
import { AndMore, Part, Table } from "../../panel/parts";
import { type NameOf, workerNames } from "../../panel/worker_groups";
import { rowsOf, type TableView } from "../../session_tables";
import { type Item, marksOf, paintMarks } from "../../timeline/marks";
import type { PlotArea } from "../../timeline/time_plot";
import { timeShown, workerRows } from "./data";

/** Above the plot: a row of marks. */
export const MARKS_PX = 26;

export interface Happened extends Item {
  readonly worker: string;
}

/** What begins a state, and what ends it, beside the worker's leaving. */
const STATES: ReadonlyMap<string, string> = new Map([
  ["paused", "running"],
  ["spilling", "not-spilling"],
]);
const MOMENTS: ReadonlyMap<string, string> = new Map([
  ["added", "came"],
  ["removed", "left"],
  ["restarted", "restarted"],
]);
/** A worker that leaves with so much of its limit was probably killed for it. */
const NEAR_LIMIT = 0.9;

export function happened(view: PanelView): Happened[] {
  const changes = view.table("workers");
  const nameOf = workerNames(view);
  const found = happenedTo(changes, nameOf, (worker, time) =>
    shareBefore(view, worker, time),
  );
  const { workers } = view.focus.value;
  if (workers.length === 0) return found;
  return found.filter(
    (one) => one.worker === "" || workers.includes(one.worker),
  );
}

/** Of its limit, at a time. */
function shareBefore(view: PanelView, worker: string, time: number): number {
  const rows = workerRows(view);
  const [process, limit] = ["process", "limit"].map(
    (name) => peakOf(rows.line(worker, name), time - 5, time)?.value ?? NaN,
  );
  return process / limit;
}

export function happenedTo(
  changes: TableView<"workers">,
  nameOf: NameOf,
  shareOf: (worker: string, time: number) => number,
): Happened[] {
  const all: Happened[] = [];
  const open = new Map<string, number>();
  const add = (worker: string, what: string, start: number, stop = start) =>
    all.push({
      ...{ worker, what, start, stop },
      text: worker === "" ? what : `${nameOf(worker)} ${what}`,
      trouble: !/^(came|left)$/.test(what),
    });
  const close = (worker: string, what: string, stop: number): void => {
    const id = `${what} ${worker}`;
    const start = open.get(id);
    if (start !== undefined) add(worker, what, start, stop);
    open.delete(id);
  };
  for (const { time, worker, what } of rowsOf(changes, "time")) {
    for (const [begins, ends] of STATES) {
      const id = `${begins} ${worker}`;
      if (what === begins && !open.has(id)) open.set(id, time);
      if (what === ends || what === "removed") close(worker, begins, time);
    }
    const word = MOMENTS.get(what);
    if (word === undefined) continue;
    const share = what === "removed" ? shareOf(worker, time) : 0;
    const killed = share > NEAR_LIMIT;
    add(worker, killed ? `left at ${formatShare(share)}` : word, time);
  }
  for (const [id, start] of open) {
    const [what] = id.split(" ", 1);
    add(id.slice(what.length + 1), what, start, Infinity);
  }
  return all.sort((one, other) => one.start - other.start);
}

const TINT = 0.16;

export function paintHappened(
  area: PlotArea,
  all: readonly Happened[],
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
  all: readonly Happened[];
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
        class="ds-fact-table ds-memory-events"
        label="What happened to workers"
        columns={["Time", "What happened"]}
      >
        {listed.map((one) => (
          <tr>
            <td>{formatMoment(one.start - view.origin.value, 2)}</td>
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
