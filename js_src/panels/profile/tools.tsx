// What of a profile is shown, and how.

import type { JSX } from "preact";
import { formatSeconds, formatShare } from "../../base/format";
import { Swatch } from "../../panel/card";
import { Kinds } from "../../panel/filter_tools";
import { CloseIcon, MoreIcon } from "../../panel/icons";
import { Menu, MenuItem } from "../../panel/menu";
import { moduleColour } from "./looks";
import { MODULE_NAMES, MODULES } from "./frames";
import { nodeOf, type ProfileState } from "./state";

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

export function Modes({ state }: { state: ProfileState }): JSX.Element {
  return (
    <Kinds
      label="View"
      chosen={state.mode.value}
      onChoose={(kind) => kind && (state.mode.value = kind)}
      kinds={[
        { kind: "flame", name: "Flame graph" },
        { kind: "sandwich", name: "Sandwich" },
      ]}
    />
  );
}

/** So many of the frames nearest to the one that is shown. */
const MOST_CRUMBS = 3;

/** The way from the root to what is zoomed to, and what is left out. */
export function Crumbs({ state }: { state: ProfileState }): JSX.Element | null {
  const frames = state.frames.value;
  const { root, hidden } = state;
  const chips = [
    ...(root.value === null
      ? []
      : [
          {
            text: `in ${frames.nameOf(root.value)}`,
            drop: () => (root.value = null),
          },
        ]),
    ...hidden.value.map((frame) => ({
      text: `without ${frames.nameOf(frame)}`,
      drop: () => (hidden.value = hidden.value.filter((one) => one !== frame)),
    })),
  ];
  const shown = state.shown.value;
  const zoom = state.mode.value === "flame" ? state.zoom.value : [];
  const { tree } = shown;
  const node = nodeOf(shown, zoom);
  const first = Math.max(0, zoom.length - MOST_CRUMBS);
  const way = zoom.slice(first).map((frame, at) => ({
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
      {way.map(({ name, path }, at) => (
        <span class="ds-crumb">
          <span class="ds-crumb-arrow" aria-hidden="true">
            ›
          </span>
          {at === way.length - 1 ? (
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
      {zoom.length > 0 && (
        <span class="ds-quiet">
          {`${formatSeconds(total * state.interval_s.value)}, ${formatShare(total / tree.total[0], 1)}`}
        </span>
      )}
    </nav>
  );
}

export function Legend({ state }: { state: ProfileState }): JSX.Element {
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

export function Tools({ state }: { state: ProfileState }): JSX.Element {
  const { order, inverted, recursion, libraries } = state;
  const roomy = state.view.environment.width.value >= 760;
  const switches = [
    { name: "Invert", is: inverted },
    { name: "Collapse libraries", is: libraries },
    { name: "Collapse recursion", is: recursion },
  ];
  return (
    <span class="ds-profile-tools">
      {roomy && (
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
      <Menu label="More of the graph" face={<MoreIcon />}>
        {() => (
          <>
            {!roomy && (
              <MenuItem
                checked={order.value === "weight"}
                onClick={() =>
                  (order.value = order.value === "name" ? "weight" : "name")
                }
              >
                Order by weight
              </MenuItem>
            )}
            {switches.map(({ name, is }) => (
              <MenuItem
                checked={is.value}
                onClick={() => (is.value = !is.value)}
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
