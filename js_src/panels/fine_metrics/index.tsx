// The Fine Metrics panel: threads × time by function and activity, idle by cause.

import type { JSX } from "preact";
import { formatExact, plural } from "../../base/format";
import { panelIcon } from "../../panel/host";
import { makePanel } from "../../panel/panel";
import { isWhole } from "../../panel/narrowing";
import type { PanelView } from "../../panel/panel_view";
import type { Fact } from "../../panel/status_line";
import { droppedFact } from "../../panel/status_line";
import { NoRows, WithTable } from "../../panel/states";
import { AccountBar, IdleTable } from "./account";
import { ByActivity, ByFunction } from "./bars";
import { choicesOf, scopeOf } from "./data";
import {
  activitiesOf,
  Choices,
  Filters,
  functionsOf,
  Modes,
  spansOf,
} from "./filters";
import { WorthKnowing } from "./worth_knowing";
import { OverTime } from "./over_time";
import { MetricTable } from "./table";

export const FINE_METRICS = makePanel(
  {
    id: "fine-metrics",
    title: "Fine performance metrics",
    caption: "where the time went, by function and activity",
    icon: panelIcon(
      '<path d="M1 1.5h1.5v11.5H15V14.5H1z"/><path d="M4 9h2.4v3H4zM7.8 6h2.4v6H7.8zM11.6 3H14v9h-2.4z"/>',
    ),
    group: "Performance",
    tables: [
      ...["tasks", "metrics", "states", "computations", "cells"],
      ...["system", "workers", "span_times"],
    ],
  },
  {
    Body: FineMetrics,
    Choices,
    facts,
    charts: true,
    hasPicture: (view) => {
      const { mode, table } = choicesOf(view);
      return mode.value === "time" && !table.value;
    },
    gestures: [
      "Click a function to isolate it in every panel; Shift-click adds another. The activity filter applies to this panel only.",
      "Idle is thread time without a task; its texture shows the cause. The gap at the top of the chart is unaccounted time.",
    ],
  },
);

/** Which parts of the focus filter the figures, in words. */
function dimensions(view: PanelView): string {
  const { workers } = view.focus.value;
  const follows = "by time, function, span and cell";
  return workers.length > 0 ? `${follows}, of all workers` : follows;
}

function facts(view: PanelView): Fact[] {
  const { captured } = view.counts.value;
  const tasks = view.totals.value.prefixes.reduce(
    (sum, one) => sum + one.tasks,
    0,
  );
  // The kernel's counts for a focus may arrive later than the tasks.
  const shown = isWhole(view.focus.value) ? tasks || captured : tasks;
  return [
    {
      lead: formatExact(Math.min(shown, captured)),
      text: `of ${plural(captured, "task")}`,
      rank: 0,
    },
    { text: plural(functionsOf(view).length, "function"), rank: 4 },
    {
      text: plural(activitiesOf(view).length, "activity", "activities"),
      rank: 4,
    },
    { text: plural(spansOf(view).length, "span"), rank: 5 },
    {
      text: dimensions(view),
      title:
        "Metrics are not recorded by worker. A cell selects the time that its tasks took.",
    },
    ...(view.table("metrics").dropped > 0
      ? [droppedFact(view.notices.value, view.table("metrics").dropped)]
      : []),
  ];
}

function FineMetrics(props: { view: PanelView }): JSX.Element {
  const { view } = props;
  const partly = view.state.value === "partly";
  return (
    <WithTable view={view} name="metrics" noun="metrics">
      {(table) =>
        table.rows + table.rings.reduce((all, { rows }) => all + rows, 0) >
        0 ? (
          <Content view={view} />
        ) : (
          <NoRows
            view={view}
            table="metrics"
            noun="metrics"
            live="They arrive when tasks finish."
            stored={partly ? "" : AGENT}
            more={partly ? AGENT : ""}
          />
        )
      }
    </WithTable>
  );
}

function Content({ view }: { view: PanelView }): JSX.Element {
  const { mode, table } = choicesOf(view);
  const scope = scopeOf(view);
  const Main = table.value ? MetricTable : MAIN[mode.value];
  return (
    <>
      <div class="ds-tool-row">
        <Filters view={view} />
        {view.breadth.value !== "wide" && <Choices view={view} />}
        <Modes view={view} />
      </div>
      <AccountBar view={view} scope={scope} />
      <div class="ds-fine-causes">
        <IdleTable view={view} scope={scope} />
        <WorthKnowing view={view} scope={scope} />
      </div>
      <div class="ds-fine-main">
        <Main view={view} scope={scope} />
      </div>
    </>
  );
}

const MAIN = {
  function: ByFunction,
  activity: ByActivity,
  time: OverTime,
} as const;

const AGENT = "Metrics need Daskscope’s agent on the scheduler.";
