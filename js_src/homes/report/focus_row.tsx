// What all tabs are filtered to, and the way back: as the task stream has it in its
// toolbar.

import type { JSX } from "preact";
import { NO_FOCUS } from "../../model/types";
import { Crumbs } from "../../panel/crumbs";
import { isWhole, spanNames } from "../../panel/narrowing";
import { workerNames } from "../../panel/worker_names";
import type { ReportState } from "./report_state";

export function FocusRow(props: { state: ReportState }): JSX.Element | null {
  const { state } = props;
  const focus = state.focus.value;
  if (isWhole(focus)) return null;
  const nameOf = workerNames(state);
  const narrowing = {
    ...focus,
    workers: focus.workers.map(nameOf),
    spans: spanNames(state.session.value, focus.spans),
    actions: [],
  };
  return (
    <div class="ds-focus-row">
      <Crumbs
        narrowing={narrowing}
        origin_s={state.origin.value}
        short={false}
        part={null}
        onRemove={(part) =>
          state.setFocus({ ...focus, [part]: part === "time" ? null : [] })
        }
        onWhole={() => state.setFocus(NO_FOCUS)}
      />
      {(state.tab.value === "summary" || state.printing.value) && (
        <span class="ds-quiet">
          The figures of the summary are of the whole run.
        </span>
      )}
    </div>
  );
}
