// Memory of each worker as a share of its limit, largest first.

import type { JSX } from "preact";
import { ACTION_COLOURS, MEMORY_COLOURS } from "../../base/palette";
import { formatBytes, formatBytesOf, NOTHING } from "../../base/format";
import { shareOf, usesOf, type WorkerUse } from "../../derive/memory";
import { percent, useFirst } from "../../panel/bars";
import { isolate } from "../../panel/narrowing";
import { fillCss } from "../../panel/line_chart";
import type { PanelView } from "../../panel/panel_view";
import { Part } from "../../panel/parts";
import { shortNames, workerNames } from "../../panel/worker_groups";
import { WORKER_STATUSES } from "../../schema";
import { barsPointed, barsShown, workerRows } from "./data";
import { useOrder } from "../../panel/order";

const SHOWN = 8;
const SPILL_SHARE = 0.7;

export function WorkerBars(props: { view: PanelView }): JSX.Element | null {
  const { view } = props;
  const rows = workerRows(view);
  const shown = barsPointed(view);
  const usual = usesOf(rows, barsShown(view).time);
  const pointed =
    view.crosshair.value !== null ? usesOf(rows, shown.time) : usual;
  const most = Math.max(...usual.map(({ process }) => process), 1);
  const sorted = [...usual].sort(
    (one, other) => shareOf(other, most) - shareOf(one, most),
  );
  const { ids, handlers } = useOrder(
    view,
    sorted.map(({ worker }) => worker),
  );
  const { count, more } = useFirst(view, ids.length, SHOWN);
  if (ids.length === 0) return null;
  const uses = new Map(pointed.map((use) => [use.worker, use]));
  const limited = usual.some(({ limit }) => limit > 0);
  return (
    <Part title="Workers" detail={shown.words}>
      <ul
        class="ds-bars ds-memory-bars"
        aria-label="Memory by worker"
        {...handlers}
      >
        {limited && <Scale />}
        {ids.slice(0, count).map((worker) => (
          <WorkerBar
            key={worker}
            {...{ view, worker, most, use: uses.get(worker) }}
          />
        ))}
      </ul>
      {limited && (
        <p class="ds-part-note">
          ticks: target, spill, pause, terminate (Dask’s defaults)
        </p>
      )}
      {more}
    </Part>
  );
}

const Scale = (): JSX.Element => (
  <li class="ds-bar-scale" aria-hidden="true">
    <span />
    <span>
      {[60, 70, 80, 95].map((percent) => (
        <i style={{ left: `${percent}%` }}>{percent}</i>
      ))}
    </span>
    <span>% of limit</span>
  </li>
);

function WorkerBar(props: {
  view: PanelView;
  worker: string;
  use: WorkerUse | undefined;
  most: number;
}): JSX.Element {
  const { view, worker, use, most } = props;
  const name = workerNames(view)(worker);
  const focus = view.focus.value;
  const isolated = focus.workers.includes(worker);
  const dimmed = focus.workers.length > 0 && !isolated;
  const near = use && use.process / use.limit >= SPILL_SHARE;
  const spilled = use?.spilled ?? 0;
  const paused = use && WORKER_STATUSES[use.status] === "paused";
  return (
    <li class={dimmed ? "ds-dimmed" : ""}>
      <button
        type="button"
        class="ds-prefix"
        aria-pressed={isolated}
        title={`${name}\nClick to isolate it in every panel, Shift-click to add it`}
        onClick={(event) =>
          view.setFocus({
            ...focus,
            workers: isolate(focus.workers, worker, event.shiftKey),
          })
        }
      >
        <span class="ds-prefix-name">{shortNames(view)(name)}</span>
      </button>
      <span class="ds-bar-and-note">
        {use && <Bar view={view} use={use} most={most} />}
        {(paused || spilled > 0) && (
          <span class={paused ? "ds-warn" : "ds-quiet"}>
            {[
              paused && "paused",
              spilled > 0 && `${formatBytes(spilled)} on disk`,
            ]
              .filter(Boolean)
              .join(", ")}
          </span>
        )}
      </span>
      <span class={near ? "ds-bar-value ds-warn" : "ds-bar-value"}>
        {use ? formatBytesOf(use.process, use.limit) : NOTHING}
      </span>
    </li>
  );
}

function Bar(props: {
  view: PanelView;
  use: WorkerUse;
  most: number;
}): JSX.Element {
  const { use } = props;
  const mode = props.view.theme.value.dark ? "dark" : "light";
  const whole = use.limit > 0 ? use.limit : props.most;
  const width = (bytes: number): string => percent(bytes / whole);
  const managed = Math.min(use.managed, use.process);
  const old = Math.min(use.optimistic, use.process) - managed;
  const unmanaged = use.process - managed;
  const parts = Number.isNaN(old)
    ? ([
        ["managed", managed, "managed"],
        ["unmanaged_recent", unmanaged, "unmanaged"],
      ] as const)
    : ([
        ["managed", managed, "managed"],
        ["unmanaged_old", old, "unmanaged, old"],
        ["unmanaged_recent", unmanaged - old, "unmanaged, recent"],
      ] as const);
  const words = [
    ...parts.map(([, bytes, name]) => `${name} ${formatBytes(bytes)}`),
    `spilled to disk ${formatBytes(use.spilled)}`,
  ];
  const disk = { colour: ACTION_COLOURS.disk[mode], hatched: true };
  return (
    <span
      class={use.limit > 0 ? "ds-bar ds-limited" : "ds-bar"}
      title={words.join("\n")}
    >
      {parts.map(([name, bytes]) =>
        bytes > 0 ? (
          <i
            style={{
              width: width(bytes),
              background: MEMORY_COLOURS[name][mode],
            }}
          />
        ) : null,
      )}
      {use.spilled > 0 && (
        <b style={{ width: width(use.spilled), background: fillCss(disk) }} />
      )}
    </span>
  );
}
