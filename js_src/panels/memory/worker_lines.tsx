// One measure of memory by worker over time: lines for few, a band for many.

import type { JSX } from "preact";
import { useMemo, useState } from "preact/hooks";
import { slotColour } from "../../base/palette";
import { formatBytes } from "../../base/format";
import { bandOf, type KeyedRows } from "../../derive/keyed";
import { CLUSTER } from "../../derive/memory";
import { type Line, mostOf, Values } from "../../panel/line_chart";
import { FigureTable } from "../../panel/figure_table";
import type { PanelView } from "../../panel/panel_view";
import { Part } from "../../panel/parts";
import { TimeChart } from "../../panel/time_chart";
import { type NameOf, workerNames } from "../../panel/worker_groups";
import { MEASURES } from "../../schema";
import { paintStairBand } from "../../timeline/areas";
import { paintLine } from "../../timeline/lines";
import { valueAxis } from "../../timeline/value_axis";
import { workerRows } from "./data";

/** Palette slots; more workers are shown as a band. */
const SLOTS = [7, 3, 10, 9, 0, 4] as const;
const HEIGHT_PX = 132;

const byName = new Intl.Collator("en", { numeric: true });

type Measure = (typeof MEASURES)[number];

const NAMES: Record<Measure, string> = {
  process: "Process",
  managed: "Managed",
  managed_total: "Managed and spilled",
  spilled: "Spilled",
  unmanaged: "Unmanaged",
  unmanaged_old: "Unmanaged, old",
  unmanaged_recent: "Unmanaged, recent",
  optimistic: "Managed and unmanaged old",
};

export function WorkerLines(props: {
  view: PanelView;
  right_px: number | undefined;
}): JSX.Element {
  const { view } = props;
  const [measure, setMeasure] = useState<Measure>("process");
  const rows = workerRows(view);
  const nameOf = workerNames(view);
  const { workers } = view.focus.value;
  const { dark } = view.theme.value;
  const shown = useMemo(
    () => linesOf(rows, measure, workers, nameOf, dark),
    [rows, measure, workers, nameOf, dark],
  );
  const { lines, isBand } = shown;
  return (
    <Part
      title="By worker"
      detail={
        <select
          class="ds-select"
          aria-label="Measure"
          value={measure}
          onChange={({ currentTarget: { value } }) =>
            setMeasure(MEASURES.find((one) => one === value) ?? "process")
          }
        >
          {MEASURES.map((one) => (
            <option value={one}>{NAMES[one]}</option>
          ))}
        </select>
      }
      tools={<Values view={view} lines={lines} format={formatBytes} />}
    >
      <TimeChart
        view={view}
        label={`${NAMES[measure]} memory by worker over time; the figures are in the table below`}
        height_px={HEIGHT_PX}
        content={{
          right_px: props.right_px,
          axis: (range) => valueAxis("bytes", mostOf(lines, range)),
          paint(area) {
            lines.forEach(({ series, look }, at) => {
              if (isBand && at === 0)
                paintStairBand(area, series, `${look.colour}40`);
              const median = {
                ...series,
                least: series.values,
                most: series.values,
              };
              paintLine(area, isBand ? median : series, look);
            });
          },
        }}
      />
      <FigureTable
        view={view}
        caption={`${NAMES[measure]} memory by worker`}
        rows={lines.map((line) => ({ ...line, line, format: formatBytes }))}
      />
    </Part>
  );
}

function linesOf(
  rows: KeyedRows,
  measure: Measure,
  only: readonly string[],
  nameOf: NameOf,
  dark: boolean,
): { lines: Line[]; isBand: boolean } {
  const counts = (key: string | number): boolean =>
    key !== CLUSTER && (only.length === 0 || only.includes(String(key)));
  const workers = rows.keys.filter(counts).map(String);
  const look = (slot: number) => ({
    colour: slotColour(slot, dark),
    stair: true,
  });
  if (workers.length > SLOTS.length) {
    const series = bandOf(rows, measure, counts);
    const name = `median of ${workers.length} workers`;
    return { lines: [{ name, series, look: look(SLOTS[0]) }], isBand: true };
  }
  const named = workers
    .map((worker) => ({ worker, name: nameOf(worker) }))
    .sort((one, other) => byName.compare(one.name, other.name));
  const lines = named.map(({ worker, name }, at) => ({
    ...{ name, series: rows.line(worker, measure), look: look(SLOTS[at]) },
  }));
  return { lines, isBand: false };
}
