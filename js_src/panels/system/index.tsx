// The scheduler itself and the cluster as a whole, over time, on one axis.

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
import type { RecordTable } from "../../panel/record_tables";
import type { RecordingView } from "../../panel/recording_view";
import { WithTable } from "../../panel/table_wait";
import { LineChart, type Line } from "./line_chart";
import { memoryLines, MemoryChart } from "./memory_chart";
import { extremesOf, seriesOf } from "../../derive/series";

const HEIGHT_PX = 132;
/** Lines that are told apart by name: blue, red, … as look.md has them. */
const SLOT = { first: 7, second: 3, third: 10, fourth: 9 } as const;

const COUNTED = { format: formatExact, formatMean };

const percent = (value: number): string =>
  Number.isFinite(value) ? `${value.toFixed(0)} %` : NOTHING;

export function System(props: {
  view: RecordingView;
  /** Why samples may be missing, as the recording says it; empty for nothing. */
  why: (table: "scheduler" | "cluster") => string;
}): JSX.Element {
  const { view, why } = props;
  return (
    <div class="ds-system">
      <WithTable view={view} name="scheduler" noun="samples of the scheduler">
        {(table) => (
          <SchedulerCharts view={view} table={table} why={why("scheduler")} />
        )}
      </WithTable>
      <WithTable view={view} name="cluster" noun="samples of the cluster">
        {(table) => (
          <ClusterCharts view={view} table={table} why={why("cluster")} />
        )}
      </WithTable>
    </div>
  );
}

function NoSamples(props: { of: string; why: string }): JSX.Element {
  const why =
    props.why === ""
      ? "A recording that ends within a second may have none, and one whose scheduler refused the plugin."
      : props.why;
  return (
    <p class="ds-sentence">{`This recording has no samples of ${props.of}. ${why}`}</p>
  );
}

/** Makes lines of the columns of one table. */
function lineMaker(
  time: ArrayLike<number>,
  end: number,
  late: Parameters<typeof seriesOf>[3],
  dark: boolean,
) {
  return (
    name: string,
    values: ArrayLike<number>,
    slot: number,
    more: { stair?: boolean } = {},
  ): Line => ({
    name,
    series: seriesOf(time, values, end, late),
    look: { colour: slotColour(slot, dark), ...more },
  });
}

function SchedulerCharts(props: {
  view: RecordingView;
  table: RecordTable<"scheduler">;
  why: string;
}): JSX.Element {
  const { view, table } = props;
  const { dark } = view.theme.value;
  const [start, end] = view.range.value;
  const lines = useMemo(() => {
    const line = lineMaker(table.time, end, "left out", dark);
    return {
      cpu: line("CPU", table.cpu, SLOT.first),
      memory: line("memory", table.memory, SLOT.second),
      interval: line("tick", table.loop_interval, SLOT.third),
    };
  }, [table, end, dark]);
  // Of a run between two samples none may be inside.
  const none = Object.values(lines).every(({ series }) =>
    Number.isNaN(extremesOf(series, start, end).most),
  );
  if (none) {
    return <NoSamples of="the scheduler" why={props.why} />;
  }
  return (
    <>
      <div class="ds-charts">
        <LineChart
          view={view}
          title="Scheduler: CPU"
          detail="of one core"
          kind="percent"
          lines={[lines.cpu]}
          format={percent}
          height_px={HEIGHT_PX}
        />
        <LineChart
          view={view}
          title="Scheduler: memory"
          kind="bytes"
          lines={[lines.memory]}
          format={formatBytes}
          height_px={HEIGHT_PX}
        />
        <LineChart
          view={view}
          title="Scheduler: event loop"
          detail="time from tick to tick"
          kind="seconds"
          lines={[lines.interval]}
          format={formatDuration}
          height_px={HEIGHT_PX}
        />
      </div>
      <FigureTable
        view={view}
        caption="The scheduler"
        rows={[
          { name: "CPU, of one core", line: lines.cpu, format: percent },
          { name: "Memory", line: lines.memory, format: formatBytes },
          {
            name: "Event loop, tick to tick",
            line: lines.interval,
            format: formatDuration,
          },
        ]}
      />
    </>
  );
}

function ClusterCharts(props: {
  view: RecordingView;
  table: RecordTable<"cluster">;
  why: string;
}): JSX.Element {
  const { view, table } = props;
  const { dark } = view.theme.value;
  const [, end] = view.range.value;
  const lines = useMemo(() => {
    const line = lineMaker(table.time, end, "of the end", dark);
    return {
      workers: line("workers", table.workers, SLOT.first, { stair: true }),
      threads: line("threads", table.threads, SLOT.fourth, { stair: true }),
      memory: memoryLines(table, end, dark),
    };
  }, [table, end, dark]);
  if (table.rows === 0) return <NoSamples of="the cluster" why={props.why} />;
  const [process, managed, spilled] = lines.memory;
  return (
    <>
      <div class="ds-charts">
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

/** The same as numbers: of the time in focus. */
function FigureTable(props: {
  view: RecordingView;
  caption: string;
  rows: readonly {
    name: string;
    line: Line;
    format: (value: number) => string;
    /** Of a mean, where it may be between what can be counted. */
    formatMean?: (value: number) => string;
  }[];
}): JSX.Element {
  const { view } = props;
  const { time } = view.focus.value;
  const [start, stop] = time ?? view.range.value;
  return (
    <table class="ds-fact-table ds-numbers">
      <caption>
        {`${props.caption}, ${time ? "in the time selected" : "in the whole run"}`}
      </caption>
      <thead>
        <tr>
          <th scope="col">Figure</th>
          <th scope="col">Least</th>
          <th scope="col">Mean</th>
          <th scope="col">Most</th>
        </tr>
      </thead>
      <tbody>
        {props.rows.map(({ name, line, format, formatMean = format }) => {
          const { least, mean, most } = extremesOf(line.series, start, stop);
          return (
            <tr>
              <th scope="row">{name}</th>
              <td>{format(least)}</td>
              <td>{formatMean(mean)}</td>
              <td>{format(most)}</td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}
