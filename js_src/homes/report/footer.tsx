// The last line of a report: who made it, and what is missing of its summary. What is
// missing of its recording, its panels say.

import type { JSX } from "preact";
import { someOf } from "../../base/bounds";
import { formatExact } from "../../base/format";
import type { ReportState } from "./report_state";

function someNames(names: readonly string[]): string {
  const { shown, more } = someOf(names);
  return shown.join(", ") + (more > 0 ? ` and ${formatExact(more)} more` : "");
}

export function Footer(props: { state: ReportState }): JSX.Element {
  const { source, leftOut, summary } = props.state;
  const { daskscope, redacted } = summary;
  const has = source.summary !== undefined;
  return (
    <footer class="ds-report-foot">
      <p class="ds-foot-facts">
        {daskscope && <span>{`recorded with daskscope ${daskscope}`}</span>}
        {redacted && redacted.length > 0 && (
          <span>{`left out on purpose: ${someNames(redacted)}`}</span>
        )}
        {!source.link && (
          <span>works offline: no request leaves this file</span>
        )}
      </p>
      {has && leftOut === null && (
        <p class="ds-error">
          The summary of this report cannot be read. The other tabs show its
          recording.
        </p>
      )}
      {leftOut && leftOut.length > 0 && (
        <p class="ds-warn">
          {`Parts of the summary cannot be read and are left out: ${leftOut.join(", ")}.`}
        </p>
      )}
    </footer>
  );
}
