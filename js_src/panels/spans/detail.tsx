// Details of the selected row: its figures, where its time went, its code.

import type { JSX } from "preact";
import {
  formatBytes,
  formatClock,
  formatDuration,
  formatExact,
  formatMean,
  formatMoment,
  formatSeconds,
  NOTHING,
  plural,
} from "../../base/format";
import { Bars, Named } from "../../panel/bars";
import { IconButton, LinkButton } from "../../panel/button";
import { badgeOf, hasFailed } from "../../panel/cells";
import { goToCell } from "../../panel/cells_lane";
import { CloseIcon } from "../../panel/icons";
import { activityName } from "../../panel/action_words";
import { activityFills, namesOf } from "../../panel/metric_rows";
import type { PanelView } from "../../panel/panel_view";
import { FactList } from "../../panel/parts";
import type { Spent } from "./spent";
import type { Node } from "./tree";

const SHOWN = 12;

export function Detail(props: {
  view: PanelView;
  node: Node;
  /** Names of the nodes around it, innermost first. */
  within: readonly string[];
  spent: readonly Spent[];
  /** Code that Dask recorded for the span, shown if no cell is known. */
  code: string;
  threads: number;
  onClose: () => void;
}): JSX.Element {
  const { view, node, within, spent, threads } = props;
  const { cell, kind } = node;
  const goes = cell && goToCell(view, cell);
  const code = cell?.code || props.code;
  const title = kind === "cell" && cell ? cell.name : node.name;
  const what = within.length > 0 ? `${kind} in ${within.join(", ")}` : kind;
  return (
    <aside class="ds-pinned ds-spans-detail" aria-label="Selected">
      <div class="ds-pinned-head">
        <b class="ds-pinned-title" title={title}>
          {title} {kind !== "rest" && <span class="ds-quiet">{what}</span>}
        </b>
        <IconButton label="Close" onClick={props.onClose}>
          <CloseIcon />
        </IconButton>
      </div>
      <div class="ds-pinned-body">
        <section>
          <FactList class="ds-facts" facts={factsOf(view, node, threads)} />
        </section>
        {spent.length > 0 && <TimeSpent view={view} spent={spent} />}
        {code !== "" && (
          <section>
            <div class="ds-spans-code-head">
              <h4>Code</h4>
              {goes && <LinkButton onClick={goes}>Go to cell</LinkButton>}
            </div>
            <Code code={code} span={kind === "span" ? node.name : ""} />
          </section>
        )}
      </div>
    </aside>
  );
}

function factsOf(
  view: PanelView,
  node: Node,
  threads: number,
): Parameters<typeof FactList>[0]["facts"] {
  const { start, cell, kind, tasks } = node;
  const present = view.present.value ?? view.end.value;
  const stop = Math.min(node.stop, present);
  const length = stop - start;
  const begun = node.groups.reduce(
    (all, one) => Math.min(all, one.start),
    stop,
  );
  const ended = node.groups.reduce((all, one) => Math.max(all, one.stop), 0);
  const isCell = kind === "cell" && cell !== null;
  const sent = cell?.graphs.reduce((sum, graph) => sum + graph.tasks, 0) ?? 0;
  const busy = node.seconds / (ended - begun);
  return [
    ["Duration", length >= 0 ? formatDuration(length) : NOTHING],
    Number.isFinite(start) && [
      "Started",
      `+${formatMoment(start - view.origin.value, 2)}, ${formatClock(start)}`,
    ],
    isCell &&
      (hasFailed(cell) || cell.status === "running") && [
        "Status",
        <span class={hasFailed(cell) ? "ds-error" : ""}>{cell.status}</span>,
      ],
    [
      "Tasks",
      isCell && sent > 0
        ? `${formatExact(Math.min(tasks, sent))} of ${formatExact(sent)} done`
        : tasks > 0
          ? `${formatExact(tasks)} done`
          : NOTHING,
    ],
    node.erred > 0 && [
      "Erred",
      <span class="ds-error">{plural(node.erred, "task")}</span>,
    ],
    ["Results", node.nbytes > 0 ? formatBytes(node.nbytes) : NOTHING],
    busy > 0 &&
      Number.isFinite(busy) && [
        "Threads",
        `${formatMean(busy)} of ${formatExact(threads)} busy`,
      ],
  ];
}

function TimeSpent(props: {
  view: PanelView;
  spent: readonly Spent[];
}): JSX.Element {
  const { view, spent } = props;
  const colour = activityFills(view);
  const names = namesOf(view, "activities");
  const total = spent.reduce((sum, { seconds }) => sum + seconds, 0);
  return (
    <section>
      <div class="ds-spans-code-head">
        <h4>Time spent</h4>
        <span class="ds-quiet">{`${formatSeconds(total)} of threads`}</span>
      </div>
      <Bars
        view={view}
        class="ds-spans-spent"
        label="Time spent by activity"
        first={SHOWN}
        bars={spent}
        make={(one) => {
          const id = names[one.activity] ?? "";
          const background = colour(id);
          return {
            id,
            name: <Named colour={background}>{activityName(id)}</Named>,
            parts: [{ width: one.seconds / spent[0].seconds, background }],
            value: formatSeconds(one.seconds),
          };
        }}
      />
    </section>
  );
}

const MOST_LINES = 400;

/** Marks the lines that open the span, and the block inside. */
function Code(props: { code: string; span: string }): JSX.Element {
  const lines = props.code.split("\n").slice(0, MOST_LINES);
  const marked = linesOfSpan(lines, props.span);
  return (
    <pre class="ds-spans-code" tabIndex={0}>
      {lines.map((line, at) => (
        <div class={marked.has(at) ? "ds-spans-marked" : ""}>{line || " "}</div>
      ))}
    </pre>
  );
}

const indentOf = (line: string): number =>
  line.length - line.trimStart().length;

export function linesOfSpan(
  lines: readonly string[],
  span: string,
): ReadonlySet<number> {
  const marked = new Set<number>();
  if (span === "") return marked;
  lines.forEach((line, at) => {
    const opens = /\bspan\(/.test(line);
    const named = [`"${span}"`, `'${span}'`].some((one) => line.includes(one));
    if (!opens || !named) return;
    marked.add(at);
    for (let next = at + 1; next < lines.length; next++) {
      const within = indentOf(lines[next]) > indentOf(line);
      if (lines[next].trim() !== "" && !within) break;
      marked.add(next);
    }
  });
  return marked;
}

/** Names of the nodes around a node, outermost first; a cell as `In [7]`. */
export const namesAround = (node: Node, all: readonly Node[]): string[] =>
  all
    .filter(({ id }) => node.id.startsWith(`${id}/`))
    .map((one) =>
      one.kind === "cell" && one.cell ? `In ${badgeOf(one.cell)}` : one.name,
    );
