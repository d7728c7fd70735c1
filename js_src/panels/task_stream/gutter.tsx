// The left column: which lanes belong to which worker, and how that one is.

import type { JSX } from "preact";
import { formatBytes, formatBytesOf, formatShare } from "../../base/format";
import { shortenMiddle } from "../../base/text_width";
import type { Band } from "./bands";
import { plainAddress, type WorkerGroup } from "../../panel/worker_groups";

/** Share of the shown time that the worker's threads were busy; NaN unknown. */
export type BusyOf = (group: WorkerGroup) => number;

export function Gutter(props: {
  bands: readonly Band[];
  /** Height of a line of text. */
  line_px: number;
  /** Full: name, address, busy, memory. Else the name, or two letters. */
  size: "full" | "names" | "short";
  /** For a name, in CSS pixels. */
  room_px: number;
  widthOf: (name: string) => number;
  busyOf: BusyOf;
  /** What is said of memory is so now. */
  live: boolean;
  isolated: readonly string[];
  onIsolate: (address: string, adds: boolean) => void;
}): JSX.Element {
  return (
    <div
      class={`ds-gutter-rows ds-gutter-${props.size}`}
      style={{ "--ds-gutter-line": `${props.line_px}px` }}
    >
      {props.bands.map(
        (band) =>
          band.rule !== null && (
            <div
              class="ds-worker-rule"
              style={{ transform: `translateY(${band.rule}px)` }}
            />
          ),
      )}
      {props.bands.map((band) => (
        <button
          type="button"
          key={band.group.address}
          class="ds-worker"
          style={{
            transform: `translateY(${band.top}px)`,
            height: `${Math.max(band.height, props.line_px)}px`,
          }}
          aria-pressed={props.isolated.includes(band.group.address)}
          title={describe(band.group, props.busyOf(band.group))}
          onClick={(event) =>
            props.onIsolate(band.group.address, event.shiftKey)
          }
        >
          <span class="ds-worker-name">{nameOf(band.group, props)}</span>
          {props.size === "full" && (
            <Details
              band={band}
              busy={props.busyOf(band.group)}
              live={props.live}
              line_px={props.line_px}
            />
          )}
        </button>
      ))}
    </div>
  );
}

function nameOf(
  group: WorkerGroup,
  room: {
    size: "full" | "names" | "short";
    room_px: number;
    widthOf: (name: string) => number;
  },
): string {
  const { room_px, widthOf } = room;
  if (room.size !== "short") return shortenMiddle(group.name, room_px, widthOf);
  const { short } = group;
  if (widthOf(short) <= room_px) return short;
  return shortenMiddle(short.slice(1), room_px, widthOf);
}

function Details(props: {
  band: Band;
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
  // In the order of what may be left out.
  return (
    <span class="ds-worker-lines">
      {lines.slice(Math.max(0, lines.length - Math.max(0, room)))}
    </span>
  );
}

/** Trouble of a cluster that is not seen any more is no alarm. */
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
  lines.push("Click to isolate, shift-click to add");
  return lines.join("\n");
}
