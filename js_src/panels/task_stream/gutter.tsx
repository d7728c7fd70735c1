// The left column: names and states of the workers beside their lanes.

import type { JSX } from "preact";
import { formatBytes, formatBytesOf, formatShare } from "../../base/format";
import { shortenMiddle, textWidth } from "../../base/text_width";
import { type Band, bandsOf } from "../../timeline/lanes";
import type { TaskPlot } from "./plot";
import type { PanelState } from "./panel_state";
import { plainAddress, type WorkerGroup } from "../../panel/worker_groups";

/** Share of the shown time in which a worker's threads were busy; NaN if unknown. */
export type BusyOf = (group: WorkerGroup) => number;

export function Gutter(props: {
  view: PanelState;
  plot: TaskPlot;
  busyOf: BusyOf;
}): JSX.Element {
  const { view, plot, busyOf } = props;
  void plot.laid.value;
  const { lanes } = plot;
  const line_px = view.rows.value.line;
  // The layout may have older groups: use the current figures of each worker.
  const now = new Map(view.groups.value.map((group) => [group.address, group]));
  const bands = bandsOf(lanes.map, lanes.pixelRatio, line_px).map((band) => ({
    ...band,
    group: now.get(band.group.address) ?? band.group,
  }));
  const { gutter, gutterSize: size } = view.geometry.value;
  const { font, size_px } = view.environment.theme.value;
  const room_px = gutter - (size === "short" ? 5 : 17);
  const widthOf = (name: string) => textWidth(name, `500 ${size_px}px ${font}`);
  const isolated = view.focus.value.workers;
  return (
    <div
      class={`ds-gutter-rows ds-gutter-${size}`}
      style={{ "--ds-gutter-line": `${line_px}px` }}
    >
      {bands.map(
        ({ rule }) =>
          rule !== null && (
            <div
              class="ds-worker-rule"
              style={{ transform: `translateY(${rule}px)` }}
            />
          ),
      )}
      {bands.map((band) => (
        <button
          type="button"
          key={band.group.address}
          class="ds-worker"
          style={{
            transform: `translateY(${band.top}px)`,
            height: `${Math.max(band.height, line_px)}px`,
          }}
          aria-pressed={isolated.includes(band.group.address)}
          title={describe(band.group, busyOf(band.group))}
          onClick={(event) =>
            view.isolateIn("workers", band.group.address, event.shiftKey)
          }
        >
          <span class="ds-worker-name">
            {nameOf(band.group, size, room_px, widthOf)}
          </span>
          {size === "full" && (
            <Details
              band={band}
              busy={busyOf(band.group)}
              live={view.growing.value}
              line_px={line_px}
            />
          )}
        </button>
      ))}
    </div>
  );
}

function nameOf(
  { name, short }: WorkerGroup,
  size: string,
  room_px: number,
  widthOf: (name: string) => number,
): string {
  if (size !== "short") return shortenMiddle(name, room_px, widthOf);
  if (widthOf(short) <= room_px) return short;
  return shortenMiddle(short.slice(1), room_px, widthOf);
}

function Details(props: {
  band: Band<WorkerGroup>;
  busy: number;
  live: boolean;
  line_px: number;
}): JSX.Element {
  const { group, height } = props.band;
  const room = Math.floor(height / props.line_px) - 1;
  const lines: JSX.Element[] = [];
  const memory = memoryLine(group, props.live);
  const address = plainAddress(group.address);
  const busy = Number.isFinite(props.busy)
    ? `busy ${formatShare(props.busy)}`
    : null;
  if (address !== group.name) lines.push(<span>{address}</span>);
  if (busy !== null) lines.push(<span>{busy}</span>);
  lines.push(memory);
  // If there is little room, leave out the first lines.
  return (
    <span class="ds-worker-lines">
      {lines.slice(Math.max(0, lines.length - Math.max(0, room)))}
    </span>
  );
}

/** The memory of a worker; shown as a warning only while the session is live. */
function memoryLine(group: WorkerGroup, live: boolean): JSX.Element {
  const { info } = group;
  if (!info) return <span>left</span>;
  const level = live ? "ds-warn" : "";
  if (info.status === "paused") {
    return <span class={level}>{`${formatBytes(info.process)} · paused`}</span>;
  }
  if (info.spilled > 0) {
    return (
      <span class={level}>{`${formatBytes(info.process)} · spilling`}</span>
    );
  }
  return <span>{formatBytesOf(info.process, info.memory_limit)}</span>;
}

function describe(group: WorkerGroup, busy: number): string {
  const { info } = group;
  const lines = [`${group.name} · ${group.address}`];
  if (info) {
    if (info.host) lines.push(`on ${info.host}`);
    lines.push(`${info.threads} threads, ${info.status}`);
    if (Number.isFinite(busy)) {
      lines.push(`busy ${formatShare(busy)} of the time shown`);
    }
    lines.push(`memory ${formatBytesOf(info.process, info.memory_limit)}`);
    if (info.spilled > 0) lines.push(`spilled ${formatBytes(info.spilled)}`);
  } else {
    lines.push("has left the cluster");
  }
  lines.push("Click to isolate, Shift-click to add");
  return lines.join("\n");
}
