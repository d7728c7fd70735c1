// The Memory panel: memory over time with its limit, by worker and by prefix.

import type { JSX } from "preact";
import { useMemo, useState } from "preact/hooks";
import {
  formatBytes,
  formatBytesOf,
  formatMoment,
  plural,
} from "../../base/format";
import type { MEMORY_COLOURS } from "../../base/palette";
import { mostOf } from "../../panel/line_chart";
import { FigureTable } from "../../panel/figure_table";
import { panelIcon } from "../../panel/host";
import {
  limitShown,
  memoryLine,
  type MemoryParts,
  MemoryOverTime,
  spilledLine,
  type Threshold,
} from "../../panel/memory_chart";
import { RunOverview } from "../../panel/run_overview";
import { makePanel } from "../../panel/panel";
import type { PanelView } from "../../panel/panel_view";
import { countFact, droppedFact, type Fact } from "../../panel/status_line";
import { NoRows, whyNone, WithTable } from "../../panel/states";
import { workerNames } from "../../panel/worker_groups";
import { paintArea } from "../../timeline/areas";
import type { WorkerItem } from "../../panel/worker_marks";
import { MarkRow } from "../../timeline/marks";
import type { PlotArea } from "../../timeline/time_plot";
import { isAgeKnown, memoryPeak, totalLine } from "./data";
import {
  EventTable,
  MARKS_PX,
  changesIn,
  paintChanges,
} from "./worker_changes";
import { heldAreas, HeldBars } from "./held";
import { WorkerBars } from "./worker_bars";
import { WorkerLines } from "./worker_lines";

export const MEMORY = makePanel(
  {
    id: "memory",
    title: "Memory",
    caption: "cluster and workers, under the limit",
    icon: panelIcon(
      '<path d="M1 2h1.5v10.5H15V14H1z"/><path d="M3.6 10.2 6.4 6l2.5 2.4 4-5.6 1.2.9-5 7-2.5-2.4-1.8 2.8z"/>',
    ),
    group: "Cluster",
    tables: ["memory", "held", "system", "workers", "cells", "computations"],
  },
  {
    Body: Memory,
    facts,
    charts: true,
    gestures: [
      "Click a worker or a prefix to isolate it in every panel; Shift-click adds another.",
      "In the overview: drag the window or its edges, or drag a new one beside it.",
    ],
  },
);

function facts(view: PanelView): Fact[] {
  const peak = memoryPeak(view);
  const { rows, dropped } = view.table("memory");
  const more = [
    { ...countFact(rows, "sample"), rank: 4 },
    droppedFact(view.notices.value, dropped),
  ];
  if (!peak) return more;
  const { value, limit, time, worker, alone, mostly, spilled } = peak;
  const [most, of] = formatBytesOf(value, limit).split(" / ");
  const when = `at ${formatMoment(time - view.origin.value, 1)}`;
  const who =
    worker && `${alone ? "" : ", most"} on ${workerNames(view)(worker)}`;
  const what = mostly && `, mostly ${mostly}`;
  const head = of === undefined ? when : `of ${of} ${when}`;
  return [
    { lead: `peak ${most}`, text: `${head}${who}${what}`, rank: 0 },
    ...(spilled > 0
      ? [
          {
            text: `${formatBytes(spilled)} on disk`,
            level: "warn" as const,
            rank: 1,
          },
        ]
      : []),
    ...more,
  ];
}

/** Defaults of distributed, highest first. */
const THRESHOLDS: readonly Threshold[] = [
  { name: "limit", share: 1, colour: "text" },
  { name: "terminate", share: 0.95, colour: "error", dash_px: [1, 2] },
  { name: "pause", share: 0.8, colour: "warn", dash_px: [4, 2] },
  { name: "spill", share: 0.7, colour: "text2", dash_px: [4, 2] },
  { name: "target", share: 0.6, colour: "text2", dash_px: [1, 2] },
];
/** For narrow panels. */
const FEW = THRESHOLDS.filter(({ name }) => !/terminate|target/.test(name));

const HEIGHT_PX = 280;
/** Width beside the plots for names of thresholds. */
const BESIDE_PX = 100;

function Memory(props: { view: PanelView }): JSX.Element {
  return (
    <WithTable view={props.view} name="memory" noun="memory samples">
      {() => <Charts view={props.view} />}
    </WithTable>
  );
}

function Charts({ view }: { view: PanelView }): JSX.Element {
  const [by, setBy] = useState<"parts" | "prefixes">("parts");
  const { dark } = view.theme.value;
  const end = view.end.value;
  const { workers, prefixes } = view.focus.value;
  const [memory, held] = [view.table("memory"), view.table("held")];
  const parts = useMemo(() => totals(view, dark), [memory, workers, dark]);
  const names = view.namesVersion.value;
  const stacked = useMemo(
    () => ({ ...parts, areas: by === "parts" ? parts.areas : heldAreas(view) }),
    [parts, by, held, prefixes, names, view.whole.value],
  );
  const changes = view.table("workers");
  const nameOf = workerNames(view);
  const marks = useMemo(
    () => changesIn(changes, nameOf, workers),
    [changes, nameOf, workers],
  );
  const row = useMemo(() => new MarkRow<WorkerItem>(), []);
  row.items = marks;
  const paint = useMemo(
    () => (area: PlotArea) => {
      for (const { series, look } of parts.areas) paintArea(area, series, look);
    },
    [parts],
  );
  if (parts.areas[0].series.time.length === 0) {
    return (
      <NoRows
        view={view}
        table="memory"
        noun="memory samples"
        live="They arrive with the first worker."
        stored="They are recorded while workers are connected."
      />
    );
  }
  const roomy = ["wide", "medium"].includes(view.breadth.value);
  const limited = limitShown(parts, view.whole.value) > 0;
  const beside_px = roomy && limited ? BESIDE_PX : undefined;
  const present = view.present.value ?? end;
  const most = mostOf(parts.areas, view.whole.value);
  const areas = [...parts.areas].reverse();
  return (
    <div class="ds-main-side">
      <div class="ds-main">
        <RunOverview {...{ view, most, paint }} />
        <MemoryOverTime
          {...{ view, beside_px, parts: stacked, height_px: HEIGHT_PX }}
          title={
            workers.length > 0 ? plural(workers.length, "worker") : "Cluster"
          }
          detail={
            held.rows > 0 && (
              <span class="ds-kinds">
                {(["parts", "prefixes"] as const).map((one) => (
                  <button
                    type="button"
                    aria-pressed={by === one}
                    onClick={() => setBy(one)}
                  >
                    {one === "parts" ? "Parts" : "Prefixes"}
                  </button>
                ))}
              </span>
            )
          }
          label="Memory over time; the figures are in the tables below"
          thresholds={roomy ? THRESHOLDS : FEW}
          above={{
            px: MARKS_PX,
            paint: (area) => paintChanges(area, row, present),
          }}
        />
        <WorkerLines view={view} right_px={beside_px} />
        {!isAgeKnown(view) && <NoAgent view={view} />}
      </div>
      <aside class="ds-side" aria-label="By worker and by prefix">
        <WorkerBars view={view} />
        <HeldBars view={view} />
        <EventTable view={view} all={marks} />
        <FigureTable
          view={view}
          caption="All together"
          rows={[...areas, parts.spilled].map((line) => ({
            ...{ name: LONG_NAMES.get(line.name) ?? line.name },
            format: formatBytes,
            line: { series: line.own ?? line.series },
          }))}
        />
      </aside>
    </div>
  );
}

/** Names for the table; charts use shorter ones. */
const LONG_NAMES: ReadonlyMap<string, string> = new Map([
  ["old", "unmanaged, old"],
  ["recent", "unmanaged, recent"],
]);

function totals(view: PanelView, dark: boolean): MemoryParts {
  const line = (column: string) => totalLine(view, column);
  const part = (name: string, to: string, of: keyof typeof MEMORY_COLOURS) =>
    memoryLine(name, line(to), of, dark, line(of));
  const whole = memoryLine(
    "unmanaged",
    line("process"),
    "unmanaged_recent",
    dark,
    line("unmanaged"),
  );
  return {
    areas: [
      ...(isAgeKnown(view)
        ? [
            part("recent", "process", "unmanaged_recent"),
            part("old", "optimistic", "unmanaged_old"),
          ]
        : [whole]),
      part("managed", "managed", "managed"),
    ],
    spilled: spilledLine(line("spilled"), dark),
    limit: line("limit"),
  };
}

function NoAgent(props: { view: PanelView }): JSX.Element | null {
  const { view } = props;
  const why = whyNone(view, "memory");
  // The first samples may still arrive.
  if (view.host.live && why === "") return null;
  return (
    <p class="ds-sentence">
      {`Memory by prefix and the age of unmanaged memory need Daskscope’s agent on the scheduler. ${why}`}
    </p>
  );
}
