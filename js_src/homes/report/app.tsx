// A report on the screen: header, tabs, the tab that is open, footer.

import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { Notice } from "../../model/types";
import { Events } from "../../panels/events";
import { Logs } from "../../panels/logs";
import type { EmptyState } from "../../panel/host";
import { Guarded } from "../../panel/guarded";
import type { TableName } from "../../panel/record_tables";
import { TABS, type TabId } from "../../panel/recording_view";
import { Empty } from "../../panel/states";
import { Summary } from "../../panels/summary";
import { System } from "../../panels/system";
import { FocusRow } from "./focus_row";
import { Footer } from "./footer";
import { Header, type Note } from "./header";
import type { ReportState } from "./report_state";
import { panelElement, TAB_NAMES, tabElement, Tabs } from "./tabs";
import { TaskStreamTab } from "./task_stream_tab";

const noSummary = (cut: boolean): EmptyState => ({
  state: "stopped",
  title: "This recording has no summary",
  text: `${cut ? "It was cut off before its end, where that stands" : "It was written without one"}. The other tabs show what is here, and \`daskscope.load(…).save(…)\` writes a file with a summary of that.`,
});

export function Report(props: { state: ReportState }): JSX.Element {
  const { state } = props;
  const [note, setNote] = useState<Note | null>(null);
  const tab = state.tab.value;
  const visited = state.visited.value;
  const printing = state.printing.value;
  return (
    <>
      <Header state={state} note={note} onNote={setNote} />
      <Tabs
        tab={tab}
        errors={state.erred.value}
        report={state.id}
        onTab={(next) => state.show(next)}
      />
      {!state.onlyStream.value && <FocusRow state={state} />}
      {TABS.map((one) => (
        <div
          class={`ds-tabpanel ds-tabpanel-of-${one}`}
          role="tabpanel"
          id={panelElement(one, state.id)}
          aria-labelledby={tabElement(one, state.id)}
          tabIndex={one === "task-stream" ? -1 : 0}
          hidden={one !== tab && !isPrinted(one, printing)}
        >
          {(visited.has(one) || isPrinted(one, printing)) && (
            <Guarded name={TAB_NAMES[one]}>
              <Panel
                tab={one}
                state={state}
                onRefused={(text) => setNote({ kind: "text", text })}
              />
            </Guarded>
          )}
        </div>
      ))}
      <Footer state={state} />
    </>
  );
}

/** Why a table may have no rows; what the bounds of a recording cost another one, or names, is not. */
const whyNone = (table: TableName, missing: readonly Notice[]): string =>
  missing
    .filter(({ code, level }) => {
      const ofAnother =
        code.endsWith("-merged") ||
        (code.endsWith("-dropped") && code !== `${table}-dropped`);
      return level !== "info" && !ofAnother;
    })
    .map(({ text }) => text)
    .join(" ");

/** On paper all tables follow each other; a task stream is no table. */
const isPrinted = (tab: TabId, printing: boolean): boolean =>
  printing && tab !== "task-stream";

function Panel(props: {
  tab: TabId;
  state: ReportState;
  /** Says what the page may not do. */
  onRefused: (text: string) => void;
}): JSX.Element {
  const { tab, state } = props;
  const cut = state.cut.value !== null;
  const missing = state.figures.value.missing ?? [];
  return (
    <>
      <h2 class="ds-unseen ds-printed-title">{TAB_NAMES[tab]}</h2>
      {tab === "summary" &&
        (state.source.summary === undefined ? (
          <Empty state={state.emptyState.value ?? noSummary(cut)} />
        ) : (
          <Summary view={state} summary={state.figures.value} />
        ))}
      {tab === "task-stream" && (
        <TaskStreamTab state={state} onRefused={props.onRefused} />
      )}
      {tab === "events" && (
        <Events view={state} erred={state.erred.value} cut={cut} />
      )}
      {tab === "logs" && <Logs view={state} why={whyNone("logs", missing)} />}
      {tab === "system" && (
        <System view={state} why={(table) => whyNone(table, missing)} />
      )}
    </>
  );
}
