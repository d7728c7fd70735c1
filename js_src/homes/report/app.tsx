// A report on the screen: header, tabs, the panel of the tab that is open, footer.

import type { JSX } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { signal } from "@preact/signals";
import type { PanelKind } from "../../panel/kind";
import { PANELS } from "../../panels";
import { Footer } from "./footer";
import { Header } from "./header";
import type { ReportState } from "./report_state";
import { panelElement, tabElement, Tabs } from "./tabs";

export function Report(props: { state: ReportState }): JSX.Element {
  const { state } = props;
  const tab = state.tab.value;
  const visited = state.visited.value;
  const printing = state.printing.value;
  return (
    <>
      <Header state={state} />
      <Tabs
        tab={tab}
        errors={state.erred.value}
        report={state.id}
        onTab={(next) => (state.tab.value = next)}
      />
      {PANELS.map((kind) => (
        <div
          key={kind.id}
          class={`ds-tabpanel ds-tabpanel-of-${kind.id}`}
          role="tabpanel"
          id={panelElement(kind.id, state.id)}
          aria-labelledby={tabElement(kind.id, state.id)}
          hidden={kind.id !== tab && !isPrinted(kind, printing)}
        >
          {(visited.has(kind.id) || isPrinted(kind, printing)) && (
            <Tab state={state} kind={kind} />
          )}
        </div>
      ))}
      <Footer state={state} />
    </>
  );
}

/** On paper all tables follow each other; a task stream is no table. */
const isPrinted = (kind: PanelKind, printing: boolean): boolean =>
  printing && kind.id !== "task-stream";

/** Mounted at once: for paper there is no later. */
function Tab(props: { state: ReportState; kind: PanelKind }): JSX.Element {
  const { state, kind } = props;
  const place = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    if (!place.current) return;
    const session = signal(state.session);
    return kind.mount(place.current, { session, host: state.hostOf(kind.id) });
  }, [state, kind]);
  return <div ref={place} class="ds-report-panel" />;
}
