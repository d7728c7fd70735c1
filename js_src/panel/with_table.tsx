// What stands in place of a table that has not arrived yet, or cannot be read.

import type { ComponentChildren, JSX } from "preact";
import type { TableName } from "../schema";
import type { TableView } from "../session_tables";
import type { PanelView } from "./panel_view";
import { WithCode } from "./states";

export function WithTable<N extends TableName>(props: {
  view: PanelView;
  name: N;
  /** Such as "the log". */
  noun: string;
  children: (table: TableView<N>) => ComponentChildren;
}): JSX.Element {
  const { view, noun } = props;
  const table = view.table(props.name);
  if (table.state === "ready") return <>{props.children(table)}</>;
  if (table.problem) {
    const { text, next } = table.problem;
    return (
      <p class="ds-sentence ds-warn" role="status">
        <WithCode text={`${text} ${next}`.trim()} />
      </p>
    );
  }
  const verb = view.host.live ? "Waiting for" : "Unpacking";
  return <p class="ds-sentence" role="status">{`${verb} ${noun} …`}</p>;
}

/**
 * Why a table may have no rows, in the words of the notices; what the bounds of a
 * recording cost another table, or names, is no reason.
 */
export function whyNone(view: PanelView, table: TableName): string {
  const isReason = (code: string): boolean =>
    !code.endsWith("-merged") &&
    (!code.endsWith("-dropped") || code === `${table}-dropped`);
  return view.notices.value
    .filter(({ code, level }) => level !== "info" && isReason(code))
    .map(({ text }) => text)
    .join(" ");
}
