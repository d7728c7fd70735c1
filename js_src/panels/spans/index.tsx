// The Spans panel: cells, spans and their functions, how long each took, and when it kept
// threads busy. A click on a row sets the focus of all panels.

import { useSignal, useSignalEffect } from "@preact/signals";
import type { JSX } from "preact";
import { useMemo, useState } from "preact/hooks";
import { formatExact, formatSeconds, plural } from "../../base/format";
import {
  cellsOfPanel,
  groupsOf,
  sendersOf,
  threadsOf,
} from "../../panel/cells";
import type { Focus } from "../../model/types";
import { hasWords, Kinds, SearchBox } from "../../panel/filter_tools";
import { panelIcon } from "../../panel/host";
import { metricRows } from "../../panel/metric_rows";
import { makePanel } from "../../panel/panel";
import type { PanelView } from "../../panel/panel_view";
import { isDefault } from "../../panel/span_chains";
import { NoRows } from "../../panel/states";
import { erredFacts, type Fact } from "../../panel/status_line";
import { Detail, namesAround } from "./detail";
import { TimeSpent } from "./spent";
import { TreeTable } from "./table";
import { type Mode, type Node, rowsShown, spansIn, treeOf } from "./tree";

export const SPANS = makePanel(
  {
    id: "spans",
    title: "Spans and cells",
    caption: "what each cell and span took",
    icon: panelIcon(
      '<path d="M1 2h9v2.5H1zM3 5.8h9v2.5H3zM5 9.6h4v2.5H5zM10 9.6h5v2.5h-5zM1 13.2h14v.9H1z"/>',
    ),
    group: "Tasks",
    tables: ["tasks", "cells", "computations", "span_times", "metrics"],
  },
  {
    Body: Spans,
    facts,
    filters: true,
    charts: true,
    gestures: [
      "Click a cell, a span or a function to select it in every panel; click it again to clear the selection.",
      "Click the number of a cell to go to it in the notebook.",
      "Up and Down select the next row, Left and Right close and open a row.",
    ],
  },
);

/** Minimum time between two rebuilds of the tree. */
const PACE_MS = 500;

const factsBefore = new WeakMap<
  PanelView,
  { readonly of: readonly unknown[]; readonly facts: Fact[] }
>();

/** Cached until data arrive, since the facts do not depend on the focus. */
function facts(view: PanelView): Fact[] {
  const of = [
    ...[view.session.value, view.dataVersion.value, view.namesVersion.value],
    ...[cellsOfPanel(view), view.table("span_times")],
    view.present.value ?? view.end.value,
  ];
  const before = factsBefore.get(view);
  if (before?.of.every((one, at) => one === of[at])) return before.facts;
  const found = factsOf(view);
  factsBefore.set(view, { of, facts: found });
  return found;
}

function factsOf(view: PanelView): Fact[] {
  const groups = view.session.value?.model.groups;
  const cells = cellsOfPanel(view);
  const all = [...(groups?.all ?? [])];
  const names = view.session.value?.spans ?? [];
  const spans = new Set([
    ...view.table("span_times").columns.span,
    ...all.map(({ span }) => span),
  ]);
  const named = [...spans].filter((one) => one > 0 && !isDefault(names[one]));
  const belong = groupsOf(cells, all).reduce((sum, one) => sum + one.tasks, 0);
  const erred = all.reduce((sum, one) => sum + one.erred, 0);
  const tasks = groups?.tasks ?? 0;
  const idle = idleBetween(view);
  return [
    cells.length > 0
      ? {
          lead: formatExact(belong),
          text: `of ${plural(tasks, "task")} belong to a cell`,
          rank: 0,
        }
      : { lead: formatExact(tasks), text: "tasks", rank: 0 },
    ...(cells.length > 0 ? [{ text: plural(cells.length, "cell") }] : []),
    { text: plural(named.length, "span") },
    ...(idle >= 0.1
      ? [
          {
            text: `${formatSeconds(idle)} between cells with nothing to do`,
            brief: `${formatSeconds(idle)} between cells`,
            rank: 4,
          },
        ]
      : []),
    ...erredFacts(erred),
  ];
}

/** Time since the first cell in which neither a cell nor a task ran. */
function idleBetween(view: PanelView): number {
  const cells = cellsOfPanel(view);
  if (cells.length === 0) return 0;
  const present = view.present.value ?? view.end.value;
  const ran: [number, number][] = [];
  for (const { start, stop } of cells) ran.push([start, stop]);
  for (const one of view.session.value?.model.groups.all ?? []) {
    ran.push([one.start, one.stop]);
  }
  ran.sort((one, other) => one[0] - other[0]);
  let idle = 0;
  let until = cells[0].start;
  for (const [start, stop] of ran) {
    if (start > until) idle += start - until;
    until = Math.max(until, Math.min(stop, present));
  }
  return idle;
}

/** Increases when data arrive, at most every `PACE_MS`. */
function usePace(view: PanelView): number {
  const beat = useSignal(0);
  useSignalEffect(() => {
    const read = [
      view.session.value?.model.groups,
      view.dataVersion.value,
      view.namesVersion.value,
      view.table("cells"),
      view.table("computations"),
      view.table("span_times"),
    ];
    // Do not delay the first picture.
    const wait = beat.peek() === 0 && read.length > 0 ? 0 : PACE_MS;
    pace.next ??= setTimeout(() => {
      pace.next = undefined;
      beat.value += 1;
    }, wait);
  });
  const [pace] = useState<{ next?: ReturnType<typeof setTimeout> }>({});
  useSignalEffect(() => () => clearTimeout(pace.next));
  return beat.value;
}

/** The clicked row, and the focus that it set; null if it sets none. */
interface Chosen {
  readonly id: string;
  readonly focus: string | null;
}

const partsOf = ({ cells, spans, prefixes }: Focus): string =>
  JSON.stringify([cells, spans, prefixes]);

function Spans(props: { view: PanelView }): JSX.Element {
  const { view } = props;
  const [wanted, setMode] = useState<Mode>("cells");
  const [text, setText] = useState("");
  const [toggled, setToggled] = useState<ReadonlySet<string>>(new Set());
  const [chosen, setChosen] = useState<Chosen | null>(null);
  const beat = usePace(view);
  const store = view.session.value;
  const cells = cellsOfPanel(view);
  // Outside of notebooks there are no cells.
  const mode = cells.length > 0 ? wanted : "spans";
  const roots = useMemo(
    () =>
      store
        ? treeOf({
            ...{ mode, cells },
            senderOf: sendersOf(
              view.table("cells"),
              view.table("computations"),
            ),
            groups: store.model.groups.all,
            spans: store.spans,
            prefixes: store.prefixes,
            spanTimes: view.table("span_times"),
          })
        : [],
    [store, mode, beat],
  );
  const rows = useMemo(
    () => rowsShown(roots, toggled, hasWords(text)),
    [roots, toggled, text],
  );
  const metrics = metricRows(view);
  const spent = useMemo(() => new TimeSpent(metrics), [metrics, beat]);
  // The choice ends when another panel changes the focus.
  const isChosen = !chosen?.focus || chosen.focus === partsOf(view.focus.value);
  const selected = isChosen ? (chosen?.id ?? null) : null;
  const node = rows.find(({ id }) => id === selected) ?? null;
  const threads = threadsOf(view);

  const toggle = (id: string): void => {
    const next = new Set(toggled);
    if (!next.delete(id)) next.add(id);
    setToggled(next);
  };
  const choose = (one: Node): void => {
    const deselects = one.id === selected;
    if (!store || !one.focus) {
      setChosen(deselects ? null : { id: one.id, focus: null });
      return;
    }
    const none = { cells: [], spans: [], prefixes: [] };
    const inside = one.focus.spans.length > 0 ? spansIn(one, store.spans) : [];
    const { time, workers } = view.focus.peek();
    const focus = {
      ...{ time, workers },
      ...(deselects ? none : { ...one.focus, spans: inside }),
    };
    setChosen(deselects ? null : { id: one.id, focus: partsOf(focus) });
    view.setFocus(focus);
  };
  const codeOf = (one: Node): string => {
    const { span, code } = view.table("span_times").columns;
    return code[span.indexOf(one.span)] ?? "";
  };

  if (roots.length === 0) {
    const noun = "cells, spans or tasks";
    return (
      <NoRows
        view={view}
        table="cells"
        {...{ noun, live: NAMING, stored: NAMING }}
      />
    );
  }
  return (
    <>
      <div class="ds-tool-row">
        {cells.length > 0 && (
          <Kinds
            label="How tasks are grouped"
            chosen={mode}
            kinds={[
              { kind: "cells", name: "By cell" },
              { kind: "spans", name: "By span" },
            ]}
            onChoose={(kind) => setMode(kind ?? "cells")}
          />
        )}
        <SearchBox
          placeholder="Search code or span"
          text={text}
          onText={setText}
        />
      </div>
      {rows.length === 0 ? (
        <p class="ds-sentence">No cell or span matches the search.</p>
      ) : (
        <div class="ds-spans-parts">
          <TreeTable
            {...{ view, rows, toggled, selected, spent, threads }}
            version={beat}
            hasDetail={node !== null}
            onToggle={toggle}
            onChoose={choose}
          />
          {node && (
            <Detail
              {...{ view, node, threads }}
              within={namesAround(node, rows).reverse()}
              spent={spent.of(node.groups)}
              code={node.span > 0 ? codeOf(node) : ""}
              onClose={() => setChosen(null)}
            />
          )}
        </div>
      )}
    </>
  );
}

const NAMING =
  'To name a part of your work, write `with distributed.span("load"):`';
