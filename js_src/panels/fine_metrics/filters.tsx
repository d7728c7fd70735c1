// Filters: functions, spans and cells for all panels, activities for this one.

import type { JSX } from "preact";
import { activityName } from "../../panel/action_words";
import { IconButton } from "../../panel/button";
import { cellsOfPanel } from "../../panel/cells";
import { FilterMenu, type Option } from "../../panel/filter_menu";
import { Kinds, Select } from "../../panel/filter_tools";
import { TableIcon } from "../../panel/icons";
import { spanName } from "../../panel/narrowing";
import { metricRows, namesOf, SYNTHETIC } from "../../panel/metric_rows";
import type { PanelView } from "../../panel/panel_view";
import { chainsOf } from "../../panel/span_chains";
import { choicesOf, type Mode, unitsOf } from "./data";
import { unitName } from "./words";

/** Functions with metrics; only the execute context has any. */
export function functionsOf(view: PanelView): string[] {
  const prefixes = namesOf(view, "prefixes");
  return metricRows(view)
    .keys.used("prefix")
    .indexes.map((at) => prefixes[at] ?? "")
    .filter((name) => name !== "");
}

export function activitiesOf(view: PanelView): string[] {
  const activities = namesOf(view, "activities");
  return metricRows(view)
    .keys.used("activity")
    .indexes.map((at) => activities[at] ?? "")
    .filter((name) => name !== SYNTHETIC);
}

function spanChains(view: PanelView): ReturnType<typeof chainsOf> {
  void view.namesVersion.value;
  const spans = view.session.value?.spans ?? [];
  return chainsOf(spans, view.table("span_times"));
}

/** Spans with metrics, and the spans around them. */
export function spansOf(view: PanelView): number[] {
  const chainOf = spanChains(view);
  return [
    ...new Set(metricRows(view).keys.used("span").indexes.flatMap(chainOf)),
  ].sort((one, other) => one - other);
}

export function Filters(props: { view: PanelView }): JSX.Element {
  const { view } = props;
  const focus = view.focus.value;
  const choices = choicesOf(view);
  const cells = cellsOfPanel(view).map(({ name }) => name);
  const named = (names: readonly string[]): Option[] =>
    names.map((id) => ({ id, text: id }));
  return (
    <div class="ds-fine-filters">
      <FilterMenu
        label="Functions"
        options={named(functionsOf(view))}
        chosen={focus.prefixes}
        onChoose={(ids) => view.setFocus({ ...focus, prefixes: [...ids] })}
      />
      <FilterMenu
        label="Activities"
        options={activitiesOf(view).map((id) => ({
          id,
          text: activityName(id),
        }))}
        chosen={choices.activities.value}
        onChoose={(ids) => (choices.activities.value = ids)}
      />
      <SpanMenu view={view} />
      <FilterMenu
        label="Cells"
        options={named(cells)}
        chosen={focus.cells}
        onChoose={(ids) => view.setFocus({ ...focus, cells: [...ids] })}
      />
    </div>
  );
}

/** Choosing a span includes the spans inside, as in all panels. */
function SpanMenu({ view }: { view: PanelView }): JSX.Element {
  const focus = view.focus.value;
  const spans = view.session.value?.spans ?? [];
  const chainOf = spanChains(view);
  const inside = (id: string): string[] =>
    spans.flatMap((span, at) =>
      chainOf(at).some((around) => spans[around].id === id) ? span.id : [],
    );
  const chosen = new Set(focus.spans);
  // Do not list spans as chosen that another chosen span includes.
  const outermost = focus.spans.filter((id) => {
    const chain = chainOf(spans.findIndex((span) => span.id === id));
    return !chain.slice(0, -1).some((around) => chosen.has(spans[around].id));
  });
  return (
    <FilterMenu
      label="Spans"
      options={spansOf(view).map((at) => ({
        id: spans[at].id,
        text: spanName(spans[at].name),
      }))}
      chosen={outermost}
      implied={chosen}
      onChoose={(ids) =>
        view.setFocus({ ...focus, spans: [...new Set(ids.flatMap(inside))] })
      }
    />
  );
}

export function Modes(props: { view: PanelView }): JSX.Element {
  const { mode, table } = choicesOf(props.view);
  return (
    <Kinds<Mode>
      label="View"
      chosen={table.value ? null : mode.value}
      onChoose={(kind) => {
        table.value = false;
        if (kind) mode.value = kind;
      }}
      kinds={[
        { kind: "function", name: "By function" },
        { kind: "activity", name: "By activity" },
        { kind: "time", name: "Over time" },
      ]}
    />
  );
}

const MOST_BUTTONS = 4;

export function Choices(props: { view: PanelView }): JSX.Element {
  const { view } = props;
  const { unit, share, table } = choicesOf(view);
  const units = unitsOf(view);
  const roomy = ["wide", "medium"].includes(view.breadth.value);
  return (
    <span class="ds-fine-choices">
      {roomy && units.length <= MOST_BUTTONS ? (
        <Kinds
          label="Unit"
          chosen={unit.value}
          onChoose={(kind) => (unit.value = kind ?? "")}
          kinds={units.map((kind) => ({ kind, name: unitName(kind) }))}
        />
      ) : (
        <Select
          label="Unit"
          value={unit.value}
          options={units.map((value) => ({ value, text: unitName(value) }))}
          onChange={(value) => (unit.value = value)}
        />
      )}
      <Kinds
        label="Amount"
        chosen={share.value ? "share" : "absolute"}
        onChoose={(kind) => (share.value = kind === "share")}
        kinds={[
          { kind: "absolute", name: "Absolute" },
          { kind: "share", name: "Share" },
        ]}
      />
      <IconButton
        label="Table"
        pressed={table.value}
        onClick={() => (table.value = !table.value)}
      >
        <TableIcon />
      </IconButton>
    </span>
  );
}
