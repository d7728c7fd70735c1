// The view of a report: header, tabs, the panel of the open tab, footer.

import type { JSX } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { signal } from "@preact/signals";
import { someOf } from "../../base/bounds";
import { formatExact } from "../../base/format";
import type { PanelKind } from "../../panel/host";
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
        panels={state.panels}
        tab={tab}
        errors={state.erred.value}
        report={state.id}
        onTab={(next) => (state.tab.value = next)}
      />
      {state.panels.map((kind) => (
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

/** Paper has all panels one after another, except the task stream, which is not a table. */
const isPrinted = (kind: PanelKind, printing: boolean): boolean =>
  printing && kind.id !== "task-stream";

/** Mounts its panel in a layout effect, because printing does not wait for later effects. */
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

function someNames(names: readonly string[]): string {
  const { shown, more } = someOf(names);
  return shown.join(", ") + (more > 0 ? ` and ${formatExact(more)} more` : "");
}

/**
 * Shows the version and what is missing from the summary. Panels show what is missing
 * from the recording.
 */
function Footer(props: { state: ReportState }): JSX.Element {
  const { source, leftOut, summary } = props.state;
  const { daskscope, redacted } = summary;
  const has = source.summary !== undefined;
  return (
    <footer class="ds-report-foot">
      <p class="ds-foot-facts">
        {daskscope && <span>{`recorded with daskscope ${daskscope}`}</span>}
        {redacted && redacted.length > 0 && (
          <span>{`redacted: ${someNames(redacted)}`}</span>
        )}
        {!source.link && <span>works offline: makes no network requests</span>}
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
