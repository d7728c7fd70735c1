// What a run ran on: versions with their mismatches, the cluster, the code.

import type { JSX } from "preact";
import { formatBytes, formatExact, NOTHING, plural } from "../../base/format";
import { LinkButton } from "../../panel/button";
import { useCopied } from "../../panel/copied";
import { TracebackText } from "../../panel/traceback_text";
import { AndMore } from "../../panel/and_more";
import { cutText, MAX_CHARACTERS, someOf } from "../../base/bounds";
import type { ReportSummary } from "./report_summary";

/** Of one package, on different workers. */
const MOST_VERSIONS = 5;

type Part<P extends keyof ReportSummary> = NonNullable<ReportSummary[P]>;

export function Versions(props: {
  versions: Part<"versions">;
}): JSX.Element | null {
  const { versions } = props;
  if (versions.length === 0) return null;
  const differing = versions.filter(({ differs }) => differs).length;
  // What differs is what somebody looks for.
  const { shown, more } = someOf(
    [...versions].sort(
      (one, other) => Number(other.differs) - Number(one.differs),
    ),
  );
  return (
    <section class="ds-part">
      <header class="ds-part-head">
        <h3>Versions</h3>
        {differing > 0 && (
          <span class="ds-warn">
            {differing === 1 ? "1 differs" : `${differing} differ`}
          </span>
        )}
      </header>
      <table class="ds-fact-table" aria-label="Versions">
        <thead>
          <tr>
            <th scope="col">Package</th>
            <th scope="col">Client</th>
            <th scope="col">Scheduler</th>
            <th scope="col">Workers</th>
          </tr>
        </thead>
        <tbody>
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
        </tbody>
      </table>
      <AndMore count={more} />
    </section>
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
    <section class="ds-part">
      <header class="ds-part-head">
        <h3>Cluster</h3>
      </header>
      <dl class="ds-fact-list">
        {rows.map(([name, text]) => (
          <>
            <dt>{name}</dt>
            <dd>{text}</dd>
          </>
        ))}
      </dl>
    </section>
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
  // Outside of a notebook somebody gave it.
  const title = source ? "Code of the cell" : "Code";
  return (
    <section class="ds-part">
      <header class="ds-part-head">
        <h3>{title}</h3>
        <span class="ds-quiet ds-part-detail">{source}</span>
        <LinkButton onClick={() => copy(code)}>{label}</LinkButton>
      </header>
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
    </section>
  );
}

/** What ended the block, if anything did. */
export function Raised(props: {
  exception: Part<"exception">;
  printing: boolean;
}): JSX.Element {
  const { type, text, traceback } = props.exception;
  return (
    <section class="ds-part ds-raised ds-first">
      <header class="ds-part-head">
        <h3>The code raised an exception</h3>
        <span class="ds-quiet">the report holds what ran until then</span>
      </header>
      <TracebackText
        taskKey={null}
        exception={[type, text]}
        traceback={traceback}
        whole={props.printing}
      />
    </section>
  );
}
