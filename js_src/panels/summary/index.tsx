// The first tab of a report: what the run was, where its time went, what to look at.

import type { JSX } from "preact";
import type { RecordingView } from "../../panel/recording_view";
import { MemoryChart } from "../system/memory_chart";
import { BusyChart } from "./busy_chart";
import { Cluster, Code, Raised, Versions } from "./facts";
import { Figures } from "./figures";
import { NeedsALook } from "./needs_a_look";
import type { ReportSummary } from "./report_summary";
import { TimeWent } from "./time_went";

export function Summary(props: {
  view: RecordingView;
  summary: ReportSummary;
}): JSX.Element {
  const { view, summary } = props;
  const printing = view.printing.value;
  const { needs_a_look: looks, versions, code, exception } = summary;
  return (
    <div class="ds-summary">
      <Figures summary={summary} />
      <div class="ds-summary-parts">
        <div class="ds-summary-main">
          {exception && <Raised exception={exception} printing={printing} />}
          <BusyChart view={view} summary={summary} />
          <TimeWent view={view} summary={summary} />
          <div class="ds-part-pair ds-with-code">
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
        <aside class="ds-summary-side" aria-label="What it ran on">
          {looks && <NeedsALook view={view} looks={looks} />}
          {versions && <Versions versions={versions} />}
          <Cluster summary={summary} />
        </aside>
      </div>
    </div>
  );
}
