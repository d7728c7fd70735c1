// What stands in place of a table that is not unpacked yet, or cannot be.

import type { ComponentChildren, JSX } from "preact";
import type { RecordTable, TableName } from "./record_tables";
import type { RecordingView } from "./recording_view";
import { WithCode } from "./states";

export function WithTable<N extends TableName>(props: {
  view: RecordingView;
  name: N;
  /** Such as "the log". */
  noun: string;
  children: (table: RecordTable<N>) => ComponentChildren;
}): JSX.Element {
  const { view, noun } = props;
  const state = view.tables.get(props.name).value;
  if (state.kind === "ready") return <>{props.children(state.table)}</>;
  // Without a recording there is no table either: the recording's problem says more.
  const empty = view.emptyState.value;
  if (empty?.trouble) {
    return (
      <p class="ds-sentence ds-warn" role="status">
        <WithCode text={`${empty.title}. ${empty.text}`} />
      </p>
    );
  }
  if (state.kind === "failed") {
    return (
      <p class="ds-sentence ds-warn" role="status">
        <WithCode text={`${state.problem.text} ${state.problem.next}`} />
      </p>
    );
  }
  return <p class="ds-sentence" role="status">{`Unpacking ${noun} …`}</p>;
}
