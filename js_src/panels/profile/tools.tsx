// The toolbar of the Profile panel: scope, view and options.

import type { JSX } from "preact";
import { formatSeconds, formatShare } from "../../base/format";
import { IconButton } from "../../panel/button";
import { Swatch } from "../../panel/card";
import { FilterMenu } from "../../panel/filter_menu";
import { Kinds } from "../../panel/filter_tools";
import { CloseIcon, MoreIcon, TableIcon } from "../../panel/icons";
import { Menu, MenuItem } from "../../panel/menu";
import { workerNames } from "../../panel/worker_groups";
import { moduleColour } from "./looks";
import { MODULES } from "../../derive/profile_modules";
import { MODULE_NAMES } from "./frames";
import { nodeOf, type ProfileState, type Scope, type Split } from "./state";

export function Scopes({ state }: { state: ProfileState }): JSX.Element {
  return (
    <Kinds
      label="What is sampled"
      chosen={state.scope.value}
      onChoose={(kind) => kind && state.setScope(kind)}
      kinds={[
        { kind: "compute", name: "Tasks" },
        { kind: "worker", name: "Workers" },
        { kind: "scheduler", name: "Scheduler" },
      ]}
    />
  );
}

export function Filters({ state }: { state: ProfileState }): JSX.Element {
  const { view } = state;
  const focus = view.focus.value;
  void view.namesVersion.value;
  const prefixes = view.session.value?.prefixes ?? [];
  const nameOf = workerNames(view);
  const roomy =
    view.breadth.value === "wide" || view.breadth.value === "medium";
  return (
    <>
      {state.scope.value === "compute" && (
        <FilterMenu
          label="Prefixes"
          options={prefixes
            .filter((name) => name !== "")
            .map((name) => ({ id: name, text: name }))}
          chosen={focus.prefixes}
          onChoose={(ids) => view.setFocus({ ...focus, prefixes: [...ids] })}
        />
      )}
      {state.scope.value !== "scheduler" && roomy && (
        <FilterMenu
          label="Workers"
          options={state.workers.value.map((id) => ({ id, text: nameOf(id) }))}
          chosen={focus.workers}
          onChoose={(ids) => view.setFocus({ ...focus, workers: [...ids] })}
        />
      )}
    </>
  );
}

const MODES = [
  { kind: "flame", name: "Flame graph" },
  { kind: "sandwich", name: "Sandwich" },
  { kind: "compare", name: "Compare" },
] as const;

export function Modes({ state }: { state: ProfileState }): JSX.Element {
  const narrow = state.view.environment.width.value < 620;
  return (
    <Kinds
      label="View"
      chosen={state.mode.value}
      onChoose={(kind) => kind && state.setMode(kind)}
      kinds={MODES.map((mode) =>
        narrow && mode.kind === "flame" ? { ...mode, name: "Flame" } : mode,
      )}
    />
  );
}

/** Number of crumbs: the frames nearest to the zoomed one. */
const MOST_CRUMBS = 3;

/** The path from the root to the zoomed frame, and the hidden frames. */
export function Crumbs({ state }: { state: ProfileState }): JSX.Element | null {
  const frames = state.frames.value;
  const { root, hidden } = state;
  const chips = [
    ...(root.value === null
      ? []
      : [
          {
            text: `in ${frames.nameOf(root.value)}`,
            drop: () => state.changeTree(() => (root.value = null)),
          },
        ]),
    ...hidden.value.map((frame) => ({
      text: `without ${frames.nameOf(frame)}`,
      drop: () =>
        state.changeTree(() => {
          hidden.value = hidden.value.filter((one) => one !== frame);
        }),
    })),
  ];
  const width = state.view.environment.width.value;
  const shown = state.graph.value;
  const zoom = state.mode.value !== "sandwich" ? state.zoom.value : [];
  const { tree } = shown;
  const node = nodeOf(shown, zoom);
  if (zoom.length === 0 && chips.length === 0) return null;
  const crumbs = width < 620 ? 1 : MOST_CRUMBS;
  const first = Math.max(0, zoom.length - crumbs);
  const ancestors = zoom.slice(first).map((frame, at) => ({
    name: frames.nameOf(frame),
    path: zoom.slice(0, first + at + 1),
  }));
  const total = tree.total[node];
  return (
    <nav class="ds-crumbs ds-profile-crumbs" aria-label="Zoomed to">
      {chips.map(({ text, drop }) => (
        <span class="ds-chip" title={text}>
          <span class="ds-chip-text">{text}</span>
          <button
            type="button"
            class="ds-chip-close"
            aria-label={`Show again: ${text}`}
            onClick={drop}
          >
            <CloseIcon />
          </button>
        </span>
      ))}
      {zoom.length > 0 && (
        <button
          type="button"
          class="ds-crumb-home"
          onClick={() => (state.zoom.value = [])}
        >
          {frames.nameOf(0)}
        </button>
      )}
      {first > 0 && <span class="ds-quiet">{" › …"}</span>}
      {ancestors.map(({ name, path }, at) => (
        <span class="ds-crumb">
          <span class="ds-crumb-arrow" aria-hidden="true">
            ›
          </span>
          {at === ancestors.length - 1 ? (
            <b>{name}</b>
          ) : (
            <button
              type="button"
              class="ds-crumb-home"
              onClick={() => (state.zoom.value = path)}
            >
              {name}
            </button>
          )}
        </span>
      ))}
      {zoom.length > 0 && !state.compared.value && (
        <span class="ds-quiet">
          {`${formatSeconds(total * state.interval_s.value)}, ${formatShare(total / tree.total[0], 1)}`}
        </span>
      )}
    </nav>
  );
}

export function Legend({ state }: { state: ProfileState }): JSX.Element | null {
  if (state.mode.value === "compare") return null;
  const { dark } = state.view.theme.value;
  const used = state.modulesUsed.value;
  return (
    <span class="ds-profile-legend">
      {MODULES.filter((_, at) => used[at] === 1).map((module) => (
        <span class="ds-line-value" key={module}>
          <Swatch colour={moduleColour(module, dark)} />
          {MODULE_NAMES[module]}
        </span>
      ))}
    </span>
  );
}

const TABLE = "Table of functions";

const SPLITS: readonly { by: Split; name: string; scopes: Scope[] }[] = [
  { by: "worker", name: "Split by worker", scopes: ["compute", "worker"] },
  { by: "prefix", name: "Split by prefix", scopes: ["compute"] },
];

export function Tools(props: {
  state: ProfileState;
  beside: boolean;
  /** Include the choice of the view. */
  modes?: boolean;
}): JSX.Element {
  const { state } = props;
  const { order, inverted, recursion, libraries, mode } = state;
  const width = state.view.environment.width.value;
  const switches = [
    ...(mode.value === "flame"
      ? [{ name: "Invert", is: inverted, roomy: width >= 960 }]
      : []),
    { name: "Collapse libraries", is: libraries, roomy: width >= 1100 },
    { name: "Collapse recursion", is: recursion, roomy: false },
  ];
  const table = state.table.value ?? props.beside;
  const toggle = (): void => void (state.table.value = !table);
  const orders = width >= 760;
  return (
    <span class="ds-profile-tools">
      {orders && (
        <Kinds
          label="Order"
          chosen={order.value}
          onChoose={(kind) => kind && (order.value = kind)}
          kinds={[
            { kind: "name", name: "By name" },
            { kind: "weight", name: "By weight" },
          ]}
        />
      )}
      {switches
        .filter(({ roomy }) => roomy)
        .map(({ name, is }) => (
          <span class="ds-kinds">
            <button
              type="button"
              aria-pressed={is.value}
              onClick={() => state.changeTree(() => (is.value = !is.value))}
            >
              {name}
            </button>
          </span>
        ))}
      {width >= 620 && (
        <IconButton label={TABLE} pressed={table} onClick={toggle}>
          <TableIcon />
        </IconButton>
      )}
      <Menu label="More of the graph" face={<MoreIcon />}>
        {() => (
          <>
            {props.modes &&
              MODES.map(({ kind, name }) => (
                <MenuItem
                  checked={mode.value === kind}
                  onClick={() => state.setMode(kind)}
                >
                  {name}
                </MenuItem>
              ))}
            {width < 620 && (
              <MenuItem checked={table} onClick={toggle}>
                {TABLE}
              </MenuItem>
            )}
            {!orders && (
              <MenuItem
                checked={order.value === "weight"}
                onClick={() =>
                  (order.value = order.value === "name" ? "weight" : "name")
                }
              >
                Order by weight
              </MenuItem>
            )}
            {SPLITS.filter(
              ({ scopes }) =>
                mode.value !== "compare" && scopes.includes(state.scope.value),
            ).map(({ by, name }) => (
              <MenuItem
                checked={state.split.value === by}
                onClick={() => state.splitBy(by)}
              >
                {name}
              </MenuItem>
            ))}
            {switches
              .filter(({ roomy }) => !roomy)
              .map(({ name, is }) => (
                <MenuItem
                  checked={is.value}
                  onClick={() => state.changeTree(() => (is.value = !is.value))}
                >
                  {name}
                </MenuItem>
              ))}
          </>
        )}
      </Menu>
    </span>
  );
}
