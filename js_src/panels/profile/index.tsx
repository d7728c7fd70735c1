// The Profile panel: a graph of the stacks that Dask samples, for any time, task function
// and worker.

import type { JSX } from "preact";
import { useMemo } from "preact/hooks";
import {
  formatExact,
  formatMoment,
  formatSeconds,
  formatShare,
  plural,
} from "../../base/format";
import { SearchBox } from "../../panel/filter_tools";
import { panelIcon } from "../../panel/host";
import { makePanel } from "../../panel/panel";
import type { PanelView } from "../../panel/panel_view";
import { droppedFact, type Fact } from "../../panel/status_line";
import { WithTable } from "../../panel/states";
import { ActivityChart } from "./activity";
import { Compare, DifferenceTable } from "./compare";
import { Detail } from "./detail";
import { Flame } from "./flame";
import { moduleLooks, modulePaints } from "./looks";
import { NoProfile } from "./none";
import { press } from "./keys";
import { Sandwich } from "./sandwich";
import { FunctionTable } from "./table";
import { nodeOf, type ProfileState, stateOf } from "./state";
import { Crumbs, Filters, Legend, Modes, Scopes, Tools } from "./tools";

export const PROFILE = makePanel(
  {
    id: "profile",
    title: "Profile",
    caption: "which functions workers are in",
    icon: panelIcon(
      '<path d="M1 2h14v2.6H1zM1 5.4h9v2.6H1zM1 8.8h5v2.6H1zM1 12.2h3v2.3H1zM11 5.4h3v2.6h-3zM11 8.8h2v2.6h-2z"/>',
    ),
    group: "Performance",
    tables: [
      ...["profile_counts", "profiled"],
      ...["cells", "computations", "span_times"],
    ],
  },
  {
    Body: Profile,
    Lead: ({ view }) => <Scopes state={stateOf(view)} />,
    Choices: ({ view }) => <Search state={stateOf(view)} />,
    press: (view, key, shift) => press(stateOf(view), key, shift),
    facts,
    charts: true,
    shortcuts: [
      { keys: ["← ↑ → ↓"], does: "From frame to frame" },
      { keys: ["Enter"], does: "Zoom to the frame" },
      { keys: ["Esc"], does: "One step back: search, zoom, chosen frame" },
      { keys: ["C"], does: "Callers and callees of the frame" },
      { keys: ["R"], does: "Show only what the function calls" },
      { keys: ["H"], does: "Hide the function" },
      { keys: ["P"], does: "Pin: freeze the graph" },
      { keys: ["I"], does: "Invert: show leaf functions first" },
      { keys: ["O"], does: "Order by name, or by weight" },
      { keys: ["/"], does: "Search functions and files" },
    ],
    gestures: [
      "Click a frame to zoom to it, Shift-click to pin it. The graph does not change while a frame is pinned or the pointer is on it.",
      "The width of a frame is the time its function was on the stack. Line numbers show where it was sampled and are estimates.",
    ],
  },
);

function facts(view: PanelView): Fact[] {
  const state = stateOf(view);
  const samples = state.tree.value.total[0];
  const all = state.samples.value;
  const { behind_s, lost } = state.reading.value;
  const found = state.found.value;
  const behind: Fact[] =
    view.growing.value && Number.isFinite(behind_s)
      ? [
          {
            text: `profile ${formatMoment(Math.max(0, behind_s), 1)} behind`,
            rank: 3,
            ...(behind_s > LATE_S && { level: "warn" as const }),
          },
        ]
      : [];
  if (all === 0) return [{ lead: "0", text: "samples", rank: 0 }, ...behind];
  return [
    {
      lead: formatExact(samples),
      text: `of ${plural(Math.round(all), "sample")}`,
      rank: 0,
    },
    { text: `one each ${formatSeconds(state.interval_s.value)}`, rank: 4 },
    ...(found
      ? [
          {
            text: `${found.text} in ${formatShare(found.share, 1)}`,
            rank: 3,
          },
        ]
      : []),
    ...(state.reading.value.byRoutes
      ? [
          {
            level: "warn" as const,
            text: "without prefixes",
            title:
              "This scheduler refuses plugins. Dask’s own profiles have no prefixes and no workers that have left.",
          },
        ]
      : []),
    ...(state.pinned.value ? [{ text: "the graph is pinned", rank: 1 }] : []),
    ...behind,
    {
      text: "by time, function and worker",
      rank: 5,
      title:
        "Samples have no spans or cells: these filter by the time and functions of their tasks.",
    },
    lost > 0
      ? {
          level: "warn" as const,
          text: `${plural(lost, "cycle")} missed`,
          title:
            "Workers keep 1,000 cycles and send nothing when they are killed, so these were lost before they were read.",
        }
      : droppedFact(view.notices.value, view.table("profile_counts").dropped),
  ];
}

/** Warn beyond this delay; a worker's cycle and its reading take less. */
const LATE_S = 10;

function Search({ state }: { state: ProfileState }): JSX.Element {
  const found = state.found.value;
  return (
    <span class="ds-profile-search">
      <SearchBox
        placeholder="Search"
        text={state.text.value}
        onText={(text) => (state.text.value = text)}
        found={
          found
            ? `${plural(found.functions, "match", "matches")}, ${formatShare(found.share)}`
            : ""
        }
        onStep={(by) => state.stepToMatch(by)}
      />
    </span>
  );
}

function Profile(props: { view: PanelView }): JSX.Element {
  return (
    <WithTable view={props.view} name="profile_counts" noun="samples">
      {() => <Content state={stateOf(props.view)} />}
    </WithTable>
  );
}

/** In narrower panels the view is chosen in the menu. */
const ROOMY_PX = 400;

/** In panels at least this wide the table is beside the graph, unless the user hides it. */
const BESIDE_PX = 1000;

function Content({ state }: { state: ProfileState }): JSX.Element {
  const { view } = state;
  const wide = view.breadth.value === "wide";
  const roomy = view.environment.width.value >= ROOMY_PX;
  const beside = view.environment.width.value >= BESIDE_PX;
  const none = state.samples.value === 0;
  const compared = state.compared.value;
  const View = VIEWS[state.mode.value];
  return (
    <>
      {!wide && (
        <div class="ds-profile-row">
          <Scopes state={state} />
          <Search state={state} />
          {!none && !roomy && <Tools {...{ state, beside }} modes />}
        </div>
      )}
      {none ? (
        <NoProfile state={state} />
      ) : (
        <>
          {roomy && (
            <div class="ds-profile-row">
              <Modes state={state} />
              <Filters state={state} />
              <Tools {...{ state, beside }} />
            </div>
          )}
          <div class={`ds-profile-parts ${beside ? "" : "ds-below"}`}>
            <div class="ds-profile-main">
              <div class="ds-profile-head">
                <Crumbs state={state} />
                <Legend state={state} />
              </div>
              <View state={state} />
              <Detail state={state} />
            </div>
            {(view.printing.value || (state.table.value ?? beside)) &&
              (compared ? (
                <DifferenceTable state={state} of={compared} />
              ) : (
                <FunctionTable state={state} />
              ))}
          </div>
          <ActivityChart state={state} />
        </>
      )}
    </>
  );
}

const VIEWS = { flame: Graph, sandwich: Sandwich, compare: Compare } as const;

function Graph({ state }: { state: ProfileState }): JSX.Element {
  const shown = state.shown.value;
  const found = state.found.value;
  const frames = state.frames.value;
  const theme = state.view.theme.value;
  const looks = useMemo(
    () => moduleLooks(theme, found !== null),
    [theme, found !== null],
  );
  const paints = useMemo(
    () => modulePaints(shown, frames, (node) => found?.hits[node] === 1),
    [shown, found, frames],
  );
  if (shown.tree.total[0] === 0) {
    return (
      <p class="ds-sentence ds-profile-none">No samples in the selection.</p>
    );
  }
  return (
    <Flame
      {...{ state, shown, paints, looks, zooms: true }}
      label={`Flame graph, ${frames.nameOf(shown.tree.frame[nodeOf(shown, state.zoom.value)])}; the table has the figures`}
      detailOf={(node) => frames.placeOf(shown.tree.frame[node])}
      chosen={state.chosen.value}
      onChoose={(path, pins) => state.choose(path, pins)}
    />
  );
}
