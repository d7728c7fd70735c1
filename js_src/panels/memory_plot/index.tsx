// What `ms.plot()` shows: the samples of a MemorySampler, a line for each label.

import type { JSX } from "preact";
import { formatBytes, formatDuration, plural } from "../../base/format";
import { IconButton } from "../../panel/button";
import { Kinds, Select } from "../../panel/filter_tools";
import { type EmptyState, panelIcon, type PanelKind } from "../../panel/host";
import { ExportIcon, FitIcon, TableIcon } from "../../panel/icons";
import { Menu, MenuItem } from "../../panel/menu";
import { mountPanel } from "../../panel/mount";
import {
  CHART_SHORTCUTS,
  exportTable,
  GoToNow,
  HelpButton,
  PanelFrame,
  PauseButton,
  press,
  pressInChart,
  SHORTCUTS,
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
import type { By } from "./runs";
import { PlotView } from "./view";

const TITLE = "MemorySampler";

export const MEMORY_PLOT: PanelKind = {
  id: "memory-plot",
  title: TITLE,
  caption: "samples of memory",
  icon: panelIcon('<path d="M1 2h1.5v11.5H15V15H1zM4 11l3-5 3 2.5L14 3v8z"/>'),
  group: "Memory",
  tables: ["samples"],
  mount: (element, props) =>
    mountPanel(element, props, MEMORY_PLOT, (root, environment) => {
      const view = new PlotView(props, environment);
      const stop = view.followRun();
      return {
        content: <MemoryPlot view={view} />,
        use: () => (view.paused.value = null),
        press: (key, shift) =>
          press(view, root, key) ||
          pressHere(view, key) ||
          pressInChart(view, key, shift),
        focusHome: () =>
          (root.querySelector<HTMLElement>(".ds-panel-body") ?? root).focus({
            preventScroll: true,
          }),
        dispose: stop,
      };
    }),
};

function pressHere(view: PlotView, key: string): boolean {
  if (key === "t" || key === "T") {
    view.tableOpen.value = !view.tableOpen.peek();
    return true;
  }
  if (key !== "Escape" || view.isolated.peek().size === 0) return false;
  view.isolated.value = new Set();
  return true;
}

const GESTURES: readonly string[] = [
  "Point at the plot for the values at that time. Drag on it to zoom to a time; double-click for the whole of it.",
  "Ctrl or ⌘ and the wheel zooms at the pointer; once you clicked the plot the wheel alone does. Arrow keys, Home and End, too, need that click.",
  "While zoomed: drag or Shift+wheel moves.",
  "Click a label to show it alone, Shift-click to add another.",
  "A ring is the peak, a tick on the axis the mean. The band lies between the least and the most of any worker.",
];

function MemoryPlot({ view }: { view: PlotView }): JSX.Element {
  const empty = whyEmpty(view);
  const { value: breadth } = view.breadth;
  const roomy = breadth === "wide" || breadth === "medium";
  return (
    <PanelFrame
      view={view}
      title={TITLE}
      empty={empty}
      brief={false}
      middle={
        !empty && (
          <>
            {roomy && <Choices view={view} />}
            {view.sampled.value && <GoToNow view={view} />}
          </>
        )
      }
      tools={<Tools view={view} empty={empty !== null} />}
      facts={() => factsOf(view)}
      shortcuts={[
        ...CHART_SHORTCUTS.filter(({ keys }) => keys[0] !== "Z"),
        { keys: ["T"], does: "Numbers as a table" },
        ...SHORTCUTS,
      ]}
      gestures={GESTURES}
    >
      {!roomy && (
        <div class="ds-row2 ds-memory-choices">
          <Choices view={view} />
        </div>
      )}
      <Legend view={view} />
      <div
        class="ds-panel-body ds-memory-plot"
        role="region"
        aria-label={TITLE}
        tabIndex={0}
      >
        <Chart view={view} />
        <FigureTable view={view} />
      </div>
    </PanelFrame>
  );
}

function whyEmpty(view: PlotView): EmptyState | null {
  const said = view.host.emptyState.value;
  if (!view.session.value) return said ?? NO_CLIENT;
  if (view.table("samples").rings.some(({ rows }) => rows > 0)) return null;
  if (said) return said;
  return {
    state: "waiting",
    title: "No samples yet",
    text: 'Run `with ms.sample("label"): …` and the samples of that block appear here.',
    status: "No samples",
  };
}

function Choices({ view }: { view: PlotView }): JSX.Element {
  const names = MEASURES.map((value) => ({
    value,
    text: value.replace("_", " "),
  }));
  const bys: readonly { kind: By; name: string }[] = [
    { kind: "cluster", name: "Cluster" },
    { kind: "worker", name: "Per worker" },
  ];
  return (
    <>
      <Select
        label="Measure"
        value={view.measure.value}
        options={names}
        onChange={(measure) => (view.measure.value = measure)}
      />
      <Kinds
        label="What a line shows"
        chosen={view.by.value}
        kinds={bys}
        onChoose={(by) => (view.by.value = by ?? "cluster")}
      />
      <Kinds
        label="Where time begins"
        chosen={view.aligned.value ? "aligned" : "clock"}
        kinds={[
          { kind: "aligned", name: "Aligned" },
          { kind: "clock", name: "By clock" },
        ]}
        onChoose={(kind) => view.align(kind === "aligned")}
      />
    </>
  );
}

function Tools(props: { view: PlotView; empty: boolean }): JSX.Element {
  const { view } = props;
  if (props.empty) return <HelpButton view={view} />;
  return (
    <>
      <PauseButton view={view} />
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
      <Menu label="Export" face={<ExportIcon />}>
        {(close) => (
          <MenuItem
            detail="all measures"
            onClick={() => {
              close();
              exportTable(view, "samples");
            }}
          >
            CSV of samples
          </MenuItem>
        )}
      </Menu>
      <HelpButton view={view} />
    </>
  );
}

/** With more of them a label is one line. */
const MOST_TALL = 4;

function Legend({ view }: { view: PlotView }): JSX.Element {
  const { value: lines } = view.all;
  const { value: isolated } = view.isolated;
  const { value: breadth } = view.breadth;
  const roomy = breadth === "wide" || breadth === "medium";
  const compact = !roomy || lines.length > MOST_TALL;
  return (
    <div
      class={`ds-legend ds-memory-legend ${compact ? "ds-compact" : ""}`}
      role="group"
      aria-label="Labels: choose what to show alone"
    >
      {lines.map(({ run, colour, figures }) => {
        const on = isolated.has(run.label);
        const peak = `peak ${formatBytes(figures.peak)}`;
        const mean = `mean ${formatBytes(figures.mean)}`;
        const lasted = formatDuration(run.stop - run.start);
        const detail = compact ? peak : `${lasted} · ${peak} · ${mean}`;
        return (
          <button
            type="button"
            class={`ds-legend-entry ${isolated.size > 0 && !on ? "ds-dimmed" : ""}`}
            aria-pressed={on}
            title={`${run.label}\n${lasted} · ${peak} · ${mean}\nClick to show it alone, Shift-click to add`}
            onClick={(event) => view.toggle(run.label, event.shiftKey)}
            onPointerEnter={() => (view.pointedAt.value = run.label)}
            onPointerLeave={() => (view.pointedAt.value = null)}
          >
            <span class="ds-line-swatch" style={{ color: colour }} />
            <span class="ds-legend-words">
              <span class="ds-legend-name">{run.label}</span>
              <span class="ds-legend-detail">{detail}</span>
            </span>
          </button>
        );
      })}
      {breadth === "wide" && !compact && (
        <span class="ds-legend-detail ds-memory-key">{keyOf(view)}</span>
      )}
    </div>
  );
}

const keyOf = (view: PlotView): string =>
  view.by.value === "cluster"
    ? "line: all workers; ring: peak; tick on the axis: mean"
    : "line: median worker; band: least to most; tick on the axis: mean";

function FigureTable({ view }: { view: PlotView }): JSX.Element {
  const { value: lines } = view.lines;
  return (
    <div class={view.tableOpen.value ? "ds-memory-figures" : "ds-unseen"}>
      <Table
        class="ds-fact-table ds-numbers"
        caption={`${view.measure.value.replace("_", " ")}, ${view.by.value === "cluster" ? "all workers together" : "of a worker"}`}
        columns={["Label", "Least", "Mean", "Peak", "Duration"]}
      >
        {lines.map(({ run, figures }) => (
          <tr>
            <th scope="row">{run.label}</th>
            <td>{formatBytes(figures.least)}</td>
            <td>{formatBytes(figures.mean)}</td>
            <td>{formatBytes(figures.peak)}</td>
            <td>{formatDuration(run.stop - run.start)}</td>
          </tr>
        ))}
      </Table>
    </div>
  );
}

function factsOf(view: PlotView): readonly Fact[] {
  const { value: lines } = view.lines;
  const { value: limit } = view.limit;
  const { part } = view;
  const facts: Fact[] = [countFact(lines.length, "run")];
  const peaks = lines.filter(({ figures }) => figures.peak >= 0);
  peaks.sort((one, other) => other.figures.peak - one.figures.peak);
  if (peaks.length > 0) {
    const [{ run, figures }] = peaks;
    const brief = `peak ${formatBytes(figures.peak)}`;
    facts.push({ text: `${brief} in ${run.label}`, brief, rank: 1 });
  }
  if (limit > 0) facts.push({ text: `limit ${formatBytes(limit)}` });
  if (part !== null) facts.push({ text: `shown: ${part}` });
  const samples = lines.reduce((sum, { run }) => sum + run.samples, 0);
  facts.push({ text: plural(samples, "sample"), rank: 4 });
  const { dropped } = view.table("samples");
  if (dropped > 0) facts.push(droppedFact([], dropped));
  if (view.sampled.value) {
    facts.push({ text: "sampling", rank: 3 });
  }
  return [...facts, ...view.notices.value.map(noticeFact)];
}
