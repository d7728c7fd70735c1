// The System panel: the scheduler, and the cluster as a whole, over time.

import type { JSX } from "preact";
import { useMemo } from "preact/hooks";
import { slotColour } from "../../base/palette";
import {
  formatBytes,
  formatDuration,
  formatExact,
  formatMean,
  NOTHING,
} from "../../base/format";
import { countFact } from "../../panel/status_line";
import { extremesOf, type Series } from "../../derive/series";
import { panelIcon } from "../../panel/host";
import { FigureTable } from "../../panel/figure_table";
import { LineChart, type Line } from "../../panel/line_chart";
import {
  MemoryChart,
  systemMemory,
  systemLines,
} from "../../panel/memory_chart";
import { makePanel } from "../../panel/panel";
import type { PanelView } from "../../panel/panel_view";
import { NoRows, whyNone, WithTable } from "../../panel/states";
import type { TableView } from "../../session/tables";

export const SYSTEM = makePanel(
  {
    id: "system",
    title: "System",
    caption: "scheduler, threads, event loop",
    icon: panelIcon(
      '<path d="M6.9 1h2.2l.4 1.9 1.2.5 1.6-1.1 1.5 1.6-1 1.6.5 1.2 1.7.4v2.2l-1.8.4-.5 1.2 1.1 1.6-1.5 1.5-1.7-1-1.1.5L9.1 15H6.9l-.4-1.8-1.2-.5-1.6 1.1-1.5-1.5 1-1.7-.5-1.1L1 9.1V6.9l1.8-.4.5-1.2-1-1.6 1.4-1.5 1.7 1 1.1-.5zM8 5.2a2.8 2.8 0 1 0 0 5.6 2.8 2.8 0 0 0 0-5.6z"/>',
    ),
    group: "Cluster",
    tables: ["system", "cells", "computations"],
  },
  {
    Body: System,
    facts: (view) => {
      const { rows } = view.table("system");
      return [countFact(rows, "sample")];
    },
    charts: true,
    gestures: [],
  },
);

const HEIGHT_PX = 132;
/** Palette slots of the lines. */
const SLOT = { first: 7, second: 3, third: 10, fourth: 9 } as const;

const COUNTED = { format: formatExact, formatMean };

const percent = (value: number): string =>
  Number.isFinite(value) ? `${value.toFixed(0)} %` : NOTHING;

function System(props: { view: PanelView }): JSX.Element {
  const { view } = props;
  return (
    <WithTable view={view} name="system" noun="samples">
      {(table) =>
        table.rings.some(({ rows }) => rows > 0) ? (
          <>
            <SchedulerCharts view={view} table={table} />
            <ClusterCharts view={view} table={table} />
          </>
        ) : (
          <NoRows
            view={view}
            table="system"
            noun="samples"
            live={ARRIVE}
            stored={SHORT}
          />
        )
      }
    </WithTable>
  );
}

const ARRIVE =
  "They arrive with the heartbeats of the workers, if the scheduler allows plugins.";
const SHORT =
  "Recordings shorter than a second may have none, nor do those of a scheduler that refuses plugins.";

function NoSamples(props: { view: PanelView; of: string }): JSX.Element {
  const { view } = props;
  const why = whyNone(view, "system") || (view.host.live ? ARRIVE : SHORT);
  const none = view.host.live
    ? `No samples of ${props.of} yet.`
    : `This recording has no samples of ${props.of}.`;
  return <p class="ds-sentence">{`${none} ${why}`}</p>;
}

interface Samples {
  view: PanelView;
  table: TableView<"system">;
}

/** Whether no sample is in the run: a short run may lie between two samples. */
const isNone = (view: PanelView, all: readonly Series[]): boolean =>
  all.every((series) =>
    Number.isNaN(extremesOf(series, ...view.whole.value).most),
  );

function SchedulerCharts({ view, table }: Samples): JSX.Element {
  const { dark } = view.theme.value;
  const end = view.end.value;
  const lines = useMemo(() => {
    const names = ["cpu", "memory", "loop_interval"] as const;
    const samples = systemLines(table, names, end, "left out");
    const line = lineMaker(samples, dark);
    return {
      cpu: line("cpu", "CPU", SLOT.first),
      memory: line("memory", "memory", SLOT.second),
      interval: line("loop_interval", "tick", SLOT.third),
    };
  }, [table, end, dark]);
  const all = Object.values(lines).map(({ series }) => series);
  if (isNone(view, all)) return <NoSamples view={view} of="the scheduler" />;
  const charts = [
    {
      ...{ title: "Scheduler: CPU", detail: "of one core" },
      kind: "percent",
      ...{ name: "CPU, of one core", line: lines.cpu, format: percent },
    },
    {
      title: "Scheduler: memory",
      kind: "bytes",
      ...{ name: "Memory", line: lines.memory, format: formatBytes },
    },
    {
      ...{ title: "Scheduler: event loop", detail: "time from tick to tick" },
      kind: "seconds",
      ...{ name: "Event loop, tick to tick", line: lines.interval },
      format: formatDuration,
    },
  ] as const;
  return (
    <>
      <div class="ds-pair">
        {charts.map(({ line, name, ...chart }) => (
          <LineChart
            key={name}
            {...chart}
            view={view}
            lines={[line]}
            height_px={HEIGHT_PX}
          />
        ))}
      </div>
      <FigureTable view={view} caption="The scheduler" rows={charts} />
    </>
  );
}

const lineMaker =
  <K extends string>(samples: Record<K, Series>, dark: boolean) =>
  (
    of: K,
    name: string,
    slot: number,
    more: { stair?: boolean } = {},
  ): Line => ({
    name,
    series: samples[of],
    look: { colour: slotColour(slot, dark), ...more },
  });

function ClusterCharts({ view, table }: Samples): JSX.Element {
  const { dark } = view.theme.value;
  const end = view.end.value;
  const lines = useMemo(() => {
    const names = ["workers", "threads"] as const;
    const samples = systemLines(table, names, end, "of the end");
    const line = lineMaker(samples, dark);
    return {
      workers: line("workers", "workers", SLOT.first, { stair: true }),
      threads: line("threads", "threads", SLOT.fourth, { stair: true }),
      memory: systemMemory(table, end, dark),
    };
  }, [table, end, dark]);
  if (lines.workers.series.time.length === 0) {
    return <NoSamples view={view} of="the cluster" />;
  }
  const { areas, spilled } = lines.memory;
  const [process, managed] = areas;
  return (
    <>
      <div class="ds-pair">
        <MemoryChart view={view} height_px={HEIGHT_PX} />
        <LineChart
          view={view}
          title="Cluster"
          kind="count"
          lines={[lines.threads, lines.workers]}
          format={formatExact}
          height_px={HEIGHT_PX}
        />
      </div>
      <FigureTable
        view={view}
        caption="The cluster"
        rows={[
          { name: "Memory of processes", line: process, format: formatBytes },
          { name: "Managed memory", line: managed, format: formatBytes },
          { name: "Spilled to disk", line: spilled, format: formatBytes },
          { name: "Workers", line: lines.workers, ...COUNTED },
          { name: "Threads", line: lines.threads, ...COUNTED },
        ]}
      />
    </>
  );
}
