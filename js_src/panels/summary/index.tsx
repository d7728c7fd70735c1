// The Summary panel: progress, figures of the run, where its time went, and findings.

import type { JSX } from "preact";
import { useMemo } from "preact/hooks";
import { formatExact } from "../../base/format";
import { panelIcon } from "../../panel/host";
import { MemoryChart } from "../../panel/memory_chart";
import { isWhole } from "../../panel/narrowing";
import { makePanel } from "../../panel/panel";
import type { PanelView } from "../../panel/panel_view";
import { droppedFact, erredFacts, isCut } from "../../panel/status_line";
import { Empty } from "../../panel/states";
import { Answer, answerWords } from "./answer";
import { BusyChart } from "./busy_chart";
import { Cluster, Code, Raised, Versions } from "./facts";
import { Figures, figuresOf, liveFigures } from "./figures";
import { NeedsALook } from "./needs_a_look";
import { Progress, ProgressBar } from "./progress";
import { checkSummary, raisedTo } from "./report_summary";
import { TimeBreakdown } from "./time_breakdown";

export const SUMMARY = makePanel(
  {
    id: "summary",
    title: "Summary",
    caption: "did it finish, what takes the time",
    icon: panelIcon(
      '<path d="M1 3h8v2H1zM1 7h6v2H1zM1 11h8v2H1zM11.8 5.2a2.8 2.8 0 1 1 0 5.6 2.8 2.8 0 0 1 0-5.6zm0 1.8a1 1 0 1 0 0 2 1 1 0 0 0 0-2z"/>',
    ),
    group: "Overview",
    tables: [
      "tasks",
      "errors",
      "workers",
      "gaps",
      "system",
      "summary",
      "cells",
      "computations",
    ],
  },
  {
    Body: Summary,
    facts: (view) => {
      const { captured, kept, erred } = view.counts.value;
      const { value: notices } = view.notices;
      // A truncated file lacks the number of captured tasks.
      const of = isCut(notices) ? "" : `of ${formatExact(captured)} `;
      return [
        {
          lead: formatExact(kept),
          text: `${of}${captured === 1 ? "task" : "tasks"}`,
          rank: 0,
        },
        ...erredFacts(erred),
        droppedFact(notices, captured - kept),
      ];
    },
    charts: true,
    gestures: ["Click a prefix to isolate it; Shift-click adds another."],
  },
);

const OVER = ["idle", "finished", "failed"];

function Summary(props: { view: PanelView }): JSX.Element {
  const { view } = props;
  const counts = view.counts.value;
  const cut = view.notices.value.find(({ code }) => code === "file-cut");
  const figures = view.summary.value;
  const checked = useMemo(() => checkSummary(figures).summary, [figures]);
  if (figures === null) {
    return (
      <Empty
        state={
          view.host.live
            ? {
                state: "waiting",
                title: "No figures yet",
                text: "They arrive with the first tasks.",
              }
            : {
                state: "stopped",
                title: "This recording has no summary",
                text: `${cut ? "The file is truncated, so its summary is missing" : "The file was written without one"}. The other tabs show the rest. \`daskscope.load(…).save(…)\` writes a file with a summary.`,
              }
        }
      />
    );
  }
  const { live } = view.host;
  const summary = live ? checked : raisedTo(counts, checked, cut);
  const { answer, progress } = summary;
  // An ended run needs no answer, since its figures have duration and errors.
  const says = live || (answer !== null && !OVER.includes(answer.state));
  const open = says && progress && progress.rows.length > 0 ? progress : null;
  const printing = view.printing.value;
  const { needs_a_look: looks, versions, code, exception } = summary;
  return (
    <>
      <header class="ds-summary-head">
        {says && <Answer words={answerWords(summary, live)} />}
        <Figures
          figures={live ? liveFigures(view, summary) : figuresOf(summary)}
        />
        {open && <ProgressBar view={view} progress={open} />}
      </header>
      <div class="ds-main-side">
        <div class="ds-main">
          {!isWhole(view.focus.value) && (
            <p class="ds-part-note ds-first">
              Figures cover the whole run, charts the selection.
            </p>
          )}
          {exception && <Raised exception={exception} printing={printing} />}
          {open && <Progress view={view} progress={open} />}
          <BusyChart view={view} summary={summary} legend={!open} />
          <TimeBreakdown view={view} summary={summary} />
          <div class="ds-pair ds-with-code">
            {code && (
              <Code code={code} source={summary.source} printing={printing} />
            )}
            <MemoryChart
              view={view}
              height_px={180}
              brief
              expected={(summary.memory?.peak ?? 0) > 0}
            />
          </div>
        </div>
        <aside class="ds-side" aria-label="What it ran on">
          {looks && <NeedsALook view={view} looks={looks} />}
          {versions && <Versions versions={versions} />}
          <Cluster summary={summary} />
        </aside>
      </div>
    </>
  );
}
