// What a run ran on: versions with their mismatches, the cluster, the code.

import type { JSX } from "preact";
import { formatBytes, formatExact, NOTHING, plural } from "../../base/format";
import { LinkButton, useCopied } from "../../panel/button";
import { TracebackText } from "../../panel/traceback";
import { AndMore, FactList, Part, Table } from "../../panel/parts";
import { cutText, MAX_CHARACTERS, someOf } from "../../base/bounds";
import type { ReportSummary } from "./report_summary";

/** Maximum number of versions of a package on workers that are listed. */
const MOST_VERSIONS = 5;

type Part<P extends keyof ReportSummary> = NonNullable<ReportSummary[P]>;

export function Versions(props: {
  versions: Part<"versions">;
}): JSX.Element | null {
  const { versions } = props;
  if (versions.length === 0) return null;
  const differing = versions.filter(({ differs }) => differs).length;
  // Differing packages first: users look for these.
  const { shown, more } = someOf(
    [...versions].sort(
      (one, other) => Number(other.differs) - Number(one.differs),
    ),
  );
  return (
    <Part
      title="Versions"
      tools={
        differing > 0 && (
          <span class="ds-warn">
            {differing === 1 ? "1 differs" : `${differing} differ`}
          </span>
        )
      }
    >
      <Table
        label="Versions"
        columns={["Package", "Client", "Scheduler", "Workers"]}
      >
        {shown.map((row) => (
          <tr class={row.differs ? "ds-differs" : ""}>
            <th scope="row">{row.package}</th>
            <td>{row.client || NOTHING}</td>
            <td>{row.scheduler || NOTHING}</td>
            <td>
              <VersionsOfWorkers versions={row.workers} />
            </td>
          </tr>
        ))}
      </Table>
      <AndMore count={more} />
    </Part>
  );
}

function VersionsOfWorkers(props: {
  versions: readonly string[];
}): JSX.Element {
  const { shown, more } = someOf(props.versions, MOST_VERSIONS);
  if (shown.length === 0) return <>{NOTHING}</>;
  return (
    <>
      {shown.map((one, at) => (
        <>
          {at > 0 && ", "}
          <bdi>{one}</bdi>
        </>
      ))}
      {more > 0 && ` and ${formatExact(more)} more`}
    </>
  );
}

export function Cluster(props: { summary: ReportSummary }): JSX.Element | null {
  const { cluster, scheduler, cluster_facts: facts, user } = props.summary;
  const rows: [string, string][] = [];
  const add = (name: string, text: string | null): void => {
    if (text) rows.push([name, text]);
  };
  add("Cluster", cluster);
  add("Scheduler", scheduler);
  if (facts) {
    const { workers, hosts, threads, memory_limit: limit } = facts;
    if (workers !== null) {
      const on = hosts ? `, on ${plural(hosts, "host")}` : "";
      add("Workers", formatExact(workers) + on);
    }
    const each = (sum: number): number => sum / Math.max(1, workers ?? 1);
    const several = workers !== null && workers > 1;
    if (threads !== null) {
      const whole = several && Number.isInteger(each(threads));
      add(
        "Threads",
        formatExact(threads) + (whole ? `, ${each(threads)} a worker` : ""),
      );
    }
    if (limit !== null && limit > 0) {
      const share = several ? `, ${formatBytes(each(limit))} a worker` : "";
      add("Memory limit", formatBytes(limit) + share);
    }
  }
  add("User", user);
  if (rows.length === 0) return null;
  return (
    <Part title="Cluster">
      <FactList class="ds-fact-list" facts={rows} />
    </Part>
  );
}

export function Code(props: {
  code: string;
  source: string | null;
  printing: boolean;
}): JSX.Element | null {
  const { code, source } = props;
  const [label, copy] = useCopied("Copy");
  if (code === "") return null;
  // Outside of a notebook, the user passed the code.
  const title = source ? "Code of the cell" : "Code";
  return (
    <Part
      title={title}
      tools={
        <>
          <span class="ds-quiet ds-part-detail">{source}</span>
          <LinkButton onClick={() => copy(code)}>{label}</LinkButton>
        </>
      }
    >
      <pre class="ds-code-block" tabIndex={0} role="group" aria-label={title}>
        {cutText(code)}
      </pre>
      {code.length > MAX_CHARACTERS && (
        <p class="ds-quiet ds-part-note">
          {props.printing
            ? `${formatExact(MAX_CHARACTERS)} of ${formatExact(code.length)} characters printed`
            : `Copy takes all ${formatExact(code.length)} characters.`}
        </p>
      )}
    </Part>
  );
}

export function Raised(props: {
  exception: Part<"exception">;
  printing: boolean;
}): JSX.Element {
  const { type, text, traceback } = props.exception;
  return (
    <Part
      class="ds-raised ds-first"
      title="The code raised an exception"
      detail="the report has what ran until then"
    >
      <TracebackText
        taskKey={null}
        exception={[type, text]}
        traceback={traceback}
        whole={props.printing}
      />
    </Part>
  );
}
