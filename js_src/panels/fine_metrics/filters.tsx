// What figures are of: functions, spans and cells in every panel, activities in this one.

import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { formatExact } from "../../base/format";
import { IconButton } from "../../panel/button";
import { hasWords, Kinds, SearchBox, Select } from "../../panel/filter_tools";
import { ChevronIcon, TableIcon } from "../../panel/icons";
import { Menu, MenuItem } from "../../panel/menu";
import { isolate, spanName } from "../../panel/narrowing";
import type { PanelView } from "../../panel/panel_view";
import { rowsOf } from "../../session_tables";
import { choicesOf, metricRows, type Mode, namesOf, unitsOf } from "./data";
import { activityName, unitName } from "./words";

interface Option {
  readonly id: string;
  readonly text: string;
}

/** Nobody looks through more; the search finds the rest. */
const LISTED = 200;

function FilterMenu(props: {
  label: string;
  options: readonly Option[];
  chosen: readonly string[];
  onChoose: (ids: readonly string[]) => void;
}): JSX.Element {
  const { label, options, chosen, onChoose } = props;
  const first = options.find(({ id }) => id === chosen[0])?.text ?? chosen[0];
  const face =
    chosen.length === 0
      ? `all ${formatExact(options.length)}`
      : chosen.length === 1
        ? first
        : `${chosen.length} of ${formatExact(options.length)}`;
  return (
    <Menu
      class="ds-filter"
      label={`${label}: ${face}`}
      align="left"
      face={
        <>
          <span class="ds-quiet">{label}</span>
          <span class="ds-filter-face">{face}</span>
          <ChevronIcon />
        </>
      }
    >
      {() => <Options {...{ options, chosen, onChoose, label }} />}
    </Menu>
  );
}

function Options(props: {
  label: string;
  options: readonly Option[];
  chosen: readonly string[];
  onChoose: (ids: readonly string[]) => void;
}): JSX.Element {
  const { options, chosen, onChoose } = props;
  const [text, setText] = useState("");
  const has = hasWords(text);
  const found = options.filter((one) => !has || has(one.text));
  return (
    <>
      <SearchBox
        placeholder={`Find ${props.label.toLowerCase()}`}
        text={text}
        onText={setText}
      />
      <MenuItem checked={chosen.length === 0} onClick={() => onChoose([])}>
        All
      </MenuItem>
      {found.slice(0, LISTED).map((one) => (
        <MenuItem
          key={one.id}
          checked={chosen.includes(one.id)}
          onClick={() => onChoose(isolate(chosen, one.id, true))}
        >
          {one.text}
        </MenuItem>
      ))}
      {found.length > LISTED && (
        <p class="ds-quiet ds-part-note">{`and ${formatExact(found.length - LISTED)} more`}</p>
      )}
    </>
  );
}

/** Names that keys of metrics have, in the order in which they came. */
function used(view: PanelView, of: "prefix" | "activity" | "span"): number[] {
  const { keys } = metricRows(view);
  return [...new Set(keys[of].subarray(0, keys.size))].sort((a, b) => a - b);
}

/** What executed; other contexts know no function. */
export function functionsOf(view: PanelView): string[] {
  const prefixes = namesOf(view, "prefixes");
  return used(view, "prefix")
    .map((at) => prefixes[at] ?? "")
    .filter((name) => name !== "");
}

export function Filters(props: { view: PanelView }): JSX.Element {
  const { view } = props;
  const focus = view.focus.value;
  const choices = choicesOf(view);
  const activities = namesOf(view, "activities");
  const spans = view.session.value?.spans ?? [];
  const cells = [
    ...new Set([
      ...rowsOf(view.table("cells"), "time").map(({ cell }) => cell),
      ...rowsOf(view.table("computations"), "time").map(({ cell }) => cell),
    ]),
  ].filter((cell) => cell !== "");
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
        options={used(view, "activity")
          .map((at) => activities[at] ?? "")
          .map((id) => ({ id, text: activityName(id) }))}
        chosen={choices.activities.value}
        onChoose={(ids) => (choices.activities.value = ids)}
      />
      <FilterMenu
        label="Spans"
        options={used(view, "span").flatMap((at) =>
          spans[at]?.id
            ? [{ id: spans[at].id, text: spanName(spans[at].name) }]
            : [],
        )}
        chosen={focus.spans}
        onChoose={(ids) => view.setFocus({ ...focus, spans: [...ids] })}
      />
      <FilterMenu
        label="Cells"
        options={named(cells)}
        chosen={focus.cells}
        onChoose={(ids) => view.setFocus({ ...focus, cells: [...ids] })}
      />
    </div>
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
