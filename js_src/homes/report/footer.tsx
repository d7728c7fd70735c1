// The last line of a report: how complete it is, in words, and what is missing.

import type { JSX } from "preact";
import { formatExact, plural } from "../../base/format";
import { WithCode } from "../../panel/states";
import { someOf } from "../../panels/summary/bounds";
import { isCutOff } from "../../panels/summary/report_summary";
import type { ReportState } from "./report_state";

export interface Missing {
  readonly level: "info" | "warn" | "error";
  readonly text: string;
}

/** What is not here, each with what to do about it. */
export function missingOf(state: ReportState): Missing[] {
  const { leftOut, hasSummary } = state;
  const session = state.session.value;
  const missing: Missing[] = [];
  // The task stream says it of itself.
  if (!state.onlyStream.value || session === null) {
    const told = state.figures.value.missing ?? [];
    const codes = new Set(told.map(({ code }) => code));
    const found = (session?.notices.value ?? []).filter(
      ({ code }) => !codes.has(code),
    );
    const { shown, more } = someOf([...told, ...found]);
    for (const { level, text, next } of shown) {
      missing.push({ level, text: `${text} ${next}`.trim() });
    }
    if (more > 0) {
      missing.push({ level: "warn", text: `and ${formatExact(more)} more` });
    }
  }
  const empty = state.emptyState.value;
  if (empty?.trouble) {
    missing.push({ level: "error", text: `${empty.title}. ${empty.text}` });
  }
  if (!hasSummary && state.source.summary !== undefined) {
    const text = "The summary of this report cannot be read. ";
    const next = "The other tabs show its recording.";
    missing.push({ level: "error", text: text + next });
  } else if (hasSummary && leftOut.length > 0) {
    const parts = leftOut.join(", ");
    missing.push({
      level: "warn",
      text: `Parts of the summary cannot be read and are left out: ${parts}.`,
    });
  }
  return missing;
}

function someNames(names: readonly string[]): string {
  const { shown, more } = someOf(names);
  return shown.join(", ") + (more > 0 ? ` and ${formatExact(more)} more` : "");
}

export function Footer(props: { state: ReportState }): JSX.Element {
  const { state } = props;
  const { tasks, daskscope, redacted } = state.figures.value;
  const dropped = tasks ? tasks.captured - tasks.kept : 0;
  const cut = isCutOff(state.figures.value);
  const facts: JSX.Element[] = [];
  if (tasks && !state.onlyStream.value) {
    const all = plural(tasks.captured, "task");
    facts.push(
      // How many a file has that was cut off, its summary does not know.
      <span>
        {cut ? all : [<b>{formatExact(tasks.kept)}</b>, ` of ${all}`]}
      </span>,
    );
    if (dropped > 0) {
      const text = `${formatExact(dropped)} dropped`;
      facts.push(<span class="ds-warn">{text}</span>);
    } else if (!cut) facts.push(<span>nothing dropped</span>);
    if (cut) facts.push(<span class="ds-warn">not all are here</span>);
  }
  if (daskscope)
    facts.push(<span>{`recorded with daskscope ${daskscope}`}</span>);
  if (redacted && redacted.length > 0) {
    facts.push(<span>{`left out on purpose: ${someNames(redacted)}`}</span>);
  }
  if (!state.source.link) {
    facts.push(<span>works offline: no request leaves this file</span>);
  }
  return (
    <footer class="ds-report-foot">
      <p class="ds-foot-facts">{facts}</p>
      {missingOf(state).map(({ level, text }) => (
        <p class={level === "info" ? "" : `ds-${level}`}>
          <WithCode text={text} />
        </p>
      ))}
    </footer>
  );
}
