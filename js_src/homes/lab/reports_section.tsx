// The sidebar's list of the reports in the library: search, open, copy a link, delete.

import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { asProblem, type Problem } from "../../errors";
import { LinkButton, useCopied } from "../../panel/button";
import { SearchBox } from "../../panel/filter_tools";
import { WithCode } from "../../panel/states";
import { type Library, removeReport, type LibrarySource } from "./library";
import {
  countsOf,
  factsOf,
  type LibraryEntry,
  type LibraryList,
  matching,
  titleOf,
  tooltipOf,
} from "./library_entries";

export interface ReportsProps {
  readonly library: Library;
  open(report: LibraryEntry, source: LibrarySource): void;
  /** The address that opens a report. */
  linkOf(report: LibraryEntry): string;
  /** Ask the user whether to delete the copy. */
  confirmDelete(report: LibraryEntry): Promise<boolean>;
}

const MOST_SHOWN = 100;

export function ReportsSection(props: ReportsProps): JSX.Element {
  const { library } = props;
  return (
    <details
      class="ds-side-section ds-side-reports"
      onToggle={(event) => library.setOpen(event.currentTarget.open)}
    >
      <summary>Reports</summary>
      <Contents {...props} />
    </details>
  );
}

function Contents(props: ReportsProps): JSX.Element {
  const { library } = props;
  // State of the list, kept here while another kernel's list is loading.
  const [text, setText] = useState("");
  const [problem, setProblem] = useState<Problem | null>(null);
  const state = library.state.value;
  const retry = () => library.refresh();
  switch (state.kind) {
    case "closed": {
      const { title, text, actions } = state.why;
      return <Note title={title} text={text} actions={actions} />;
    }
    case "waiting":
      return (
        <Note
          title="Reading the library"
          text="A kernel without subshells answers only between cells."
        />
      );
    case "failed":
      return <Trouble problem={state.problem} retry={retry} />;
    case "listed":
      return (
        <>
          {state.problem && <Trouble problem={state.problem} retry={retry} />}
          <Reports
            {...props}
            list={state.list}
            source={state.source}
            text={text}
            onText={setText}
            problem={problem}
            onProblem={setProblem}
          />
        </>
      );
  }
}

function Note(props: {
  title?: string;
  text: string;
  actions?: readonly { label: string; run: () => void }[] | undefined;
  trouble?: boolean;
}): JSX.Element {
  const { title, text, actions = [], trouble = false } = props;
  return (
    <p
      class={trouble ? "ds-side-note ds-side-trouble" : "ds-side-note"}
      role={trouble ? "alert" : "status"}
    >
      {title && <b>{title}</b>}
      <WithCode text={text} />{" "}
      {actions.map(({ label, run }) => (
        <LinkButton onClick={run}>{label}</LinkButton>
      ))}
    </p>
  );
}

const Trouble = ({
  problem: { text, next },
  retry,
}: {
  problem: Problem;
  retry?: () => void;
}): JSX.Element => (
  <Note
    trouble
    text={`${text} ${next}`.trim()}
    actions={retry && [{ label: "Try again", run: retry }]}
  />
);

function Reports(
  props: ReportsProps & {
    list: LibraryList;
    source: LibrarySource;
    /** The text to search for. */
    text: string;
    onText: (text: string) => void;
    /** Why the last deletion failed; null if it did not. */
    problem: Problem | null;
    onProblem: (problem: Problem | null) => void;
  },
): JSX.Element {
  const { library, list, source, text, problem } = props;
  if (list.reports.length === 0) {
    return (
      <p class="ds-side-note">
        No report yet. Put <code>%%perfreport</code> on top of a cell and run
        it: its report is listed here.
      </p>
    );
  }
  const found = matching(list.reports, text);
  const shown = found.slice(0, MOST_SHOWN);
  const remove = async (report: LibraryEntry): Promise<void> => {
    try {
      if (await props.confirmDelete(report))
        await removeReport(source, report.filename);
      props.onProblem(null);
    } catch (error) {
      props.onProblem(asProblem(error));
    }
    library.refresh();
  };
  return (
    <>
      <div class="ds-side-search">
        <SearchBox
          placeholder="Search reports"
          text={text}
          onText={props.onText}
        />
        <LinkButton onClick={() => library.refresh()}>Refresh</LinkButton>
      </div>
      {problem && <Trouble problem={problem} />}
      <ul class="ds-side-list" aria-label="Reports">
        {shown.map((report) => (
          <Report
            key={report.filename}
            report={report}
            linkOf={() => props.linkOf(report)}
            onOpen={() => props.open(report, source)}
            onDelete={() => void remove(report)}
          />
        ))}
      </ul>
      <p class="ds-side-note" role="status">
        {countsOf(list, found.length, shown.length, text)}
      </p>
    </>
  );
}

/** Lines break only between facts. */
const unbroken = (facts: string): string =>
  facts
    .split(" · ")
    .map((fact) => fact.replaceAll(" ", "\u00a0"))
    .join(" · ");

function Report(props: {
  report: LibraryEntry;
  linkOf: () => string;
  onOpen: () => void;
  onDelete: () => void;
}): JSX.Element {
  const { report } = props;
  const title = titleOf(report);
  const [copied, copy] = useCopied("");
  return (
    <li class="ds-side-report">
      <button
        type="button"
        class="ds-side-report-open"
        title={tooltipOf(report)}
        onClick={props.onOpen}
      >
        <span class="ds-side-report-title">{title}</span>
        <span class="ds-client-fact">{unbroken(factsOf(report))}</span>
        {report.tags.length > 0 && (
          <span class="ds-client-fact">{report.tags.join(", ")}</span>
        )}
      </button>
      <span class="ds-side-report-tools">
        <LinkButton
          label={`Copy link: ${title}`}
          onClick={() => copy(props.linkOf())}
        >
          Copy link
        </LinkButton>
        <LinkButton label={`Delete: ${title}`} onClick={props.onDelete}>
          Delete
        </LinkButton>
        <span class="ds-side-report-copied" role="status">
          {copied}
        </span>
      </span>
    </li>
  );
}
