// The plot of a MemorySampler, `ms.plot()`: a line for each label.

import type { JSX } from "preact";
import { formatBytes, formatDuration, plural } from "../../base/format";
import { IconButton } from "../../panel/button";
import { Kinds, Select } from "../../panel/filter_tools";
import { type EmptyState, panelIcon, type PanelKind } from "../../panel/host";
import { FitIcon, TableIcon } from "../../panel/icons";
import { mountPanel } from "../../panel/mount";
import {
  CHART_SHORTCUTS,
  GoToNow,
  PanelFrame,
  press,
  pressInChart,
  SHORTCUTS,
  Tools,
} from "../../panel/panel";
import { Table } from "../../panel/parts";
import { NO_CLIENT } from "../../panel/states";
import {
  countFact,
  droppedFact,
  type Fact,
  noticeFact,
} from "../../panel/status_line";
import { MEASURES } from "../../schema";
import { Chart } from "./chart";
import { type Drawn, PlotView } from "./view";

export const MEMORY_PLOT: PanelKind = {
  id: "memory-plot",
  title: "MemorySampler",
  caption: "samples of memory",
  icon: panelIcon('<path d="M1 2h1.5v11.5H15V15H1zM4 11l3-5 3 2.5L14 3v8z"/>'),
  group: "Memory",
  tables: ["samples"],
  mount: (element, props) =>
    mountPanel(element, props, MEMORY_PLOT, (root, environment) => {
      const view = new PlotView(props, environment);
      return {
        content: <MemoryPlot view={view} />,
        use: () => (view.paused.value = null),
        press: (key, shift) =>
          press(view, root, key) ||
          pressHere(view, key) ||
          pressInChart(view, key, shift),
        focusHome: () =>
          root
            .querySelector<HTMLElement>(".ds-panel-body")
            ?.focus({ preventScroll: true }),
        dispose: view.followRun(),
      };
    }),
};

function pressHere({ tableOpen, isolated }: PlotView, key: string): boolean {
  if (key === "t" || key === "T") tableOpen.value = !tableOpen.peek();
  else if (key !== "Escape" || isolated.peek().size === 0) return false;
  else isolated.value = new Set();
  return true;
}

const GESTURES: readonly string[] = [
  "Point at the plot to see its values. Drag on it to zoom in; double-click to fit.",
  "Ctrl or ⌘ with the wheel zooms at the pointer. Click the plot first to use the wheel alone, arrow keys, Home or End.",
  "While zoomed: drag or Shift+wheel moves.",
  "Click a label to show it alone, Shift-click to add another.",
  "A ring marks the peak, a tick on the axis the mean. The band spans the workers from least to most.",
];

/** Minimum width of a panel whose toolbar has room for the choices. */
const CHOICES_EM = 72;

function MemoryPlot({ view }: { view: PlotView }): JSX.Element {
  const empty = whyEmpty(view);
  const isLive = view.sampled.value !== null || view.paused.value !== null;
  const roomy = widthInEm(view) >= CHOICES_EM;
  const choices = <Choices view={view} />;
  return (
    <PanelFrame
      view={view}
      title={MEMORY_PLOT.title}
      empty={empty}
      state={isLive ? "live" : null}
      brief={isLive && view.breadth.value === "tiny"}
      middle={
        <>
          {!empty && roomy && choices}
          {isLive && <GoToNow view={view} />}
        </>
      }
      tools={
        <>
          {!empty && <PlotTools view={view} />}
          <Tools view={view} kind={MEMORY_PLOT} charts />
        </>
      }
      facts={() => factsOf(view)}
      shortcuts={[
        ...CHART_SHORTCUTS.filter(({ keys }) => keys[0] !== "Z"),
        { keys: ["T"], does: "Numbers as a table" },
        ...SHORTCUTS,
      ]}
      gestures={GESTURES}
    >
      {!roomy && <div class="ds-tool-row ds-memory-choices">{choices}</div>}
      <div class="ds-part ds-memory-part">
        <Legend view={view} />
        <div
          class="ds-panel-body ds-memory-plot"
          role="region"
          aria-label={MEMORY_PLOT.title}
          tabIndex={0}
        >
          {view.lines.value.length > 0 ? (
            <Chart view={view} />
          ) : (
            <p class="ds-sentence">{`No samples of ${titleOf(view)}.`}</p>
          )}
          <FigureTable view={view} />
        </div>
      </div>
    </PanelFrame>
  );
}

/** In multiples of the text size, which users can change. */
const widthInEm = ({ environment, theme }: PlotView): number =>
  environment.width.value / theme.value.size_px;

function whyEmpty(view: PlotView): EmptyState | null {
  const hostState = view.host.emptyState.value;
  if (!view.session.value) return hostState ?? NO_CLIENT;
  if (view.table("samples").rings.some(({ rows }) => rows > 0)) return null;
  return {
    state: "waiting",
    title: "No samples yet",
    text: 'Run `with ms.sample("label"): …` and the samples of that block appear here.',
    status: "No samples",
    ...hostState,
  };
}

/** A readable form of the names that Dask uses. */
const measureWords = (measure: string): string =>
  measure.replace(/_(old|recent|total)$/, ", $1");

const titleOf = ({ measure, perWorker }: PlotView): string =>
  `${measureWords(measure.value)} memory, ${perWorker.value ? "by worker" : "all workers together"}`;

const MEASURE_NAMES = MEASURES.map((value) => ({
  ...{ value, text: measureWords(value) },
}));

const named = (...names: string[]) =>
  names.map((name) => ({ kind: name, name }));

function Choices({ view }: { view: PlotView }): JSX.Element {
  const { measure, perWorker, aligned } = view;
  return (
    <>
      <Select
        label="Measure"
        value={measure.value}
        options={MEASURE_NAMES}
        onChange={(chosen) => (measure.value = chosen)}
      />
      <Kinds
        label="Lines"
        chosen={perWorker.value ? "Per worker" : "Cluster"}
        kinds={named("Cluster", "Per worker")}
        onChoose={(name) => (perWorker.value = name === "Per worker")}
      />
      <Kinds
        label="Time"
        chosen={aligned.value ? "Aligned" : "One timeline"}
        kinds={named("Aligned", "One timeline")}
        onChoose={(name) => view.align(name === "Aligned")}
      />
    </>
  );
}

const PlotTools = ({ view }: { view: PlotView }): JSX.Element => (
  <>
    <IconButton
      label="Fit the whole time"
      shortcut="F"
      onClick={() => view.timeline.window.fit()}
    >
      <FitIcon />
    </IconButton>
    <IconButton
      label="Numbers as a table"
      shortcut="T"
      pressed={view.tableOpen.value}
      onClick={() => (view.tableOpen.value = !view.tableOpen.peek())}
    >
      <TableIcon />
    </IconButton>
  </>
);

/** Widths of a label with its figures, and of the text beside all labels. */
const ENTRY_EM = 20;
const KEY_EM = 30;

const lastedOf = ({ run }: Drawn): string =>
  formatDuration(run.stop - run.start);

function Legend({ view }: { view: PlotView }): JSX.Element {
  const { value: lines } = view.all;
  const { value: isolated } = view.isolated;
  const room = widthInEm(view) - lines.length * ENTRY_EM;
  return (
    <div
      class={`ds-part-head ds-legend ds-memory-legend ${room < 0 ? "ds-compact" : ""}`}
      role="group"
      aria-label="Labels: choose what to show alone"
    >
      <h3 class="ds-unseen">{titleOf(view)}</h3>
      {lines.map((line) => {
        const { label } = line.run;
        const on = isolated.has(label);
        const peak = `peak ${formatBytes(line.figures.peak)}`;
        const mean = `mean ${formatBytes(line.figures.mean)}`;
        const figures = `${lastedOf(line)} · ${peak} · ${mean}`;
        return (
          <button
            type="button"
            class={`ds-legend-entry ${isolated.size > 0 && !on ? "ds-dimmed" : ""}`}
            aria-pressed={on}
            title={`${label}\n${figures}\nClick to show it alone, Shift-click to add`}
            onClick={({ shiftKey }) => view.isolate(label, shiftKey)}
            onPointerEnter={() => (view.pointedAt.value = label)}
            onPointerLeave={() => (view.pointedAt.value = null)}
          >
            <span class="ds-line-value">
              <span
                class="ds-swatch ds-line-swatch"
                style={{ color: line.colour }}
              />
              <span class="ds-legend-name">{label}</span>
            </span>
            <span class="ds-legend-detail">{room < 0 ? peak : figures}</span>
          </button>
        );
      })}
      {room > KEY_EM && (
        <span class="ds-legend-detail ds-memory-key">
          {view.perWorker.value
            ? "line: median worker; band: least to most; tick on the axis: mean"
            : "line: all workers; tick on the axis: mean"}
        </span>
      )}
    </div>
  );
}

const FigureTable = ({ view }: { view: PlotView }): JSX.Element => (
  <div class={view.tableOpen.value ? "ds-memory-figures" : "ds-unseen"}>
    <Table
      class="ds-numbers"
      caption={titleOf(view)}
      columns={["Label", "Least", "Mean", "Peak", "Duration"]}
    >
      {view.lines.value.map((line) => (
        <tr>
          <th scope="row">{line.run.label}</th>
          {(["least", "mean", "peak"] as const).map((name) => (
            <td>{formatBytes(line.figures[name])}</td>
          ))}
          <td>{lastedOf(line)}</td>
        </tr>
      ))}
    </Table>
  </div>
);

function factsOf(view: PlotView): readonly Fact[] {
  const { value: lines } = view.lines;
  const { dropped } = view.table("samples");
  const peaks = lines.map(({ figures }) => figures.peak || 0);
  const most = Math.max(0, ...peaks);
  const brief = `peak ${formatBytes(most)}`;
  const label = lines[peaks.indexOf(most)]?.run.label ?? "";
  const samples = lines.reduce((sum, { run }) => sum + run.samples, 0);
  return [
    countFact(lines.length, "run"),
    ...(samples > 0 ? [{ text: `${brief} in ${label}`, brief, rank: 1 }] : []),
    ...(view.limit.value > 0
      ? [{ text: `limit ${formatBytes(view.limit.value)}` }]
      : []),
    ...(view.part === null ? [] : [{ text: `shown: ${view.part}` }]),
    { text: plural(samples, "sample"), rank: 4 },
    ...(dropped > 0 ? [droppedFact([], dropped)] : []),
    ...view.notices.value.map(noticeFact),
  ];
}
