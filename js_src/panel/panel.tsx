// The common frame of panels: toolbar, body and status line.

import type { ComponentChildren, JSX } from "preact";
import { formatMoment, plural } from "../base/format";
import { NO_FOCUS } from "../model/types";
import { Button, IconButton, Key } from "./button";
import { chooserCrowds, ChooserMenu, Toolbar } from "./toolbar";
import { ExportMenu } from "./export";
import { Crumbs } from "./crumbs";
import { beforeFirst, NO_CLIENT, bannerNotice, Notices, Empty } from "./states";
import { Help, type Shortcut } from "./help";
import type { EmptyState, PanelKind } from "./host";
import { HelpIcon, PauseIcon, PlayIcon } from "./icons";
import { mountPanel } from "./mount";
import { isWhole } from "./narrowing";
import {
  keptOf,
  stateShown,
  livenessFact,
  noticeFact,
  type Fact,
  StatusLine,
} from "./status_line";
import { PanelView } from "./panel_view";
import {
  pressTimeKey,
  WHOLE_AND_NOW,
  ZOOM_AND_MOVE,
} from "../timeline/keyboard";
import type { State } from "../schema";

type Kind = Omit<PanelKind, "mount">;

interface PanelParts {
  readonly Body: (props: { view: PanelView }) => JSX.Element | null;
  /** Whether `/` focuses a field that filters the panel's list. */
  readonly filters?: boolean;
  /** First facts of the status line: how much is shown. */
  readonly facts: (view: PanelView) => readonly Fact[];
  /** Whether it has charts over time, which share one window. */
  readonly charts?: boolean;
  /** Whether it currently shows a chart that can be saved as a picture. */
  readonly hasPicture?: (view: PanelView) => boolean;
  /** Controls in the toolbar if that is wide. */
  readonly Choices?: (props: { view: PanelView }) => JSX.Element | null;
  /** Controls in the toolbar, before the filters. */
  readonly Lead?: (props: { view: PanelView }) => JSX.Element | null;
  /** The panel's own keys, which take precedence over the common ones. */
  readonly press?: (view: PanelView, key: string, shift: boolean) => boolean;
  readonly shortcuts?: readonly Shortcut[];
  readonly gestures: readonly string[];
}

export function makePanel(kind: Kind, parts: PanelParts): PanelKind {
  return {
    ...kind,
    mount: (element, props) =>
      mountPanel(element, props, kind, (root, environment) => {
        const view = new PanelView(props, environment);
        const stop = view.followRun();
        const body = (): HTMLElement =>
          root.querySelector<HTMLElement>(".ds-panel-body") ?? root;
        return {
          content: <Panel view={view} kind={kind} parts={parts} />,
          use: () => (view.paused.value = null),
          press: (key, shift) =>
            parts.press?.(view, key, shift) ||
            press(view, root, key) ||
            (parts.charts === true && pressInChart(view, key, shift)),
          focusHome: () => body().focus({ preventScroll: true }),
          dispose: stop,
        };
      }),
  };
}

export function press(
  view: PanelView,
  root: HTMLElement,
  key: string,
): boolean {
  switch (key) {
    case "/":
      return focusSearch(root);
    case " ":
      view.togglePause();
      return view.host.live;
    case "?":
      view.helpOpen.value = !view.helpOpen.peek();
      return true;
    case "Escape":
      return escape(view);
    default:
      return false;
  }
}

const SCROLLING = /^(Arrow|Home$|End$)/;

/** Like the wheel, scroll keys scroll the page until the user clicks a chart. */
export function pressInChart(
  view: PanelView,
  key: string,
  shift: boolean,
): boolean {
  if (SCROLLING.test(key) && !view.timeline.engaged.peek()) return false;
  return pressTimeKey(key, shift, view);
}

function focusSearch(root: HTMLElement): boolean {
  const field = root.querySelector<HTMLElement>(".ds-search input");
  field?.focus();
  return field !== null;
}

function escape(view: PanelView): boolean {
  if (view.helpOpen.peek()) view.helpOpen.value = false;
  else if (!isWhole(view.focus.peek())) view.setFocus(NO_FOCUS);
  else return false;
  return true;
}

function whyEmpty(view: PanelView): EmptyState | null {
  const hostState = view.host.emptyState.value;
  if (!view.session.value) return hostState ?? NO_CLIENT;
  if (view.now.value > 0 || view.summary.value !== null) return null;
  return hostState ?? beforeFirst(view.host.live, view.notices.value);
}

export function PanelFrame(props: {
  view: PanelView;
  title: string;
  empty: EmptyState | null;
  /** Overrides the session's state; null shows none. */
  state?: State | null;
  brief: boolean;
  middle: ComponentChildren;
  tools: ComponentChildren;
  facts: () => readonly Fact[];
  shortcuts: readonly Shortcut[];
  gestures: readonly string[];
  children: ComponentChildren;
}): JSX.Element {
  const { view, title, empty } = props;
  const { host } = view;
  const state = view.session.value ? view.state.value : null;
  const { state: shown = stateShown(state, host, empty) } = props;
  return (
    <>
      <Toolbar
        title={title}
        state={shown}
        paused={pausedText(view)}
        brief={props.brief}
        tools={props.tools}
      >
        {props.middle}
      </Toolbar>
      <Notices
        host={host}
        notices={view.notices.value}
        dismissed={view.dismissed}
        state={state}
        now={view.now.value}
        shows={!empty}
      />
      {empty ? <Empty state={empty} /> : props.children}
      <StatusLine
        facts={empty ? emptyFacts(empty) : props.facts()}
        width_px={view.printing.value ? Infinity : view.environment.width.value}
        theme={view.theme.value}
      />
      {view.helpOpen.value && (
        <Help
          title={`${title}: keys and gestures`}
          shortcuts={props.shortcuts}
          notes={props.gestures}
          onClose={() => (view.helpOpen.value = false)}
        />
      )}
    </>
  );
}

const CHART_GESTURES: readonly string[] = [
  "Point at a chart to see its values. Drag on a chart to select a time in every panel; double-click to clear it.",
  "Ctrl or ⌘ with the wheel zooms all charts at the pointer. After a click on a chart, or if nothing can scroll, the wheel alone zooms. The arrow keys, Home and End also need that click.",
  "While zoomed: drag or Shift+wheel moves, Shift-drag selects time, a double-click fits the whole run.",
];

export const CHART_SHORTCUTS: readonly Shortcut[] = [
  ...ZOOM_AND_MOVE,
  ...WHOLE_AND_NOW,
  { keys: ["Z"], does: "Zoom to the selected time" },
];

const FILTER: Shortcut = { keys: ["/"], does: "Filter the list" };
export const SHORTCUTS: readonly Shortcut[] = [
  { keys: ["Space"], does: "Pause, resume" },
  { keys: ["Esc"], does: "Close, clear the filters" },
  { keys: ["?"], does: "This help" },
];

function Panel(props: {
  view: PanelView;
  kind: Kind;
  parts: PanelParts;
}): JSX.Element {
  const { view, kind, parts } = props;
  const empty = whyEmpty(view);
  const { value: breadth } = view.breadth;
  const roomy = breadth === "wide" || breadth === "medium";
  const crumbs = empty ? null : <FocusCrumbs view={view} />;
  const shows = view.part !== null || !isWhole(view.focus.value);
  return (
    <PanelFrame
      view={view}
      title={kind.title}
      empty={empty}
      brief={chooserCrowds(view) || goCrowds(view)}
      middle={
        <>
          {!empty && parts.Lead && breadth === "wide" && (
            <parts.Lead view={view} />
          )}
          {roomy && crumbs}
          {!empty && <GoToNow view={view} />}
        </>
      }
      tools={
        <>
          {!empty && parts.Choices && breadth === "wide" && (
            <parts.Choices view={view} />
          )}
          <Tools
            view={view}
            kind={kind}
            charts={parts.hasPicture?.(view) ?? parts.charts === true}
          />
        </>
      }
      facts={() => factsOf(view, parts)}
      shortcuts={[
        ...(parts.shortcuts ?? []),
        ...(parts.charts ? CHART_SHORTCUTS : []),
        ...(parts.filters ? [FILTER] : []),
        ...SHORTCUTS,
      ]}
      gestures={[...(parts.charts ? CHART_GESTURES : []), ...parts.gestures]}
    >
      {!roomy && crumbs && shows && <div class="ds-tool-row">{crumbs}</div>}
      <div
        class={`ds-panel-body ds-${kind.id}`}
        role="region"
        aria-label={kind.title}
        tabIndex={0}
      >
        <parts.Body view={view} />
      </div>
    </PanelFrame>
  );
}

const CROWDED_PX = 310;

export function goCrowds(view: PanelView): boolean {
  const goes =
    view.paused.value !== null || view.timeline.anchor.value === "free";
  return goes && view.environment.width.value < CROWDED_PX;
}

export function GoToNow(props: { view: PanelView }): JSX.Element | null {
  const { view } = props;
  if (view.paused.value !== null) return <Resume view={view} />;
  if (view.timeline.anchor.value !== "free") return null;
  const live = view.growing.value;
  const breadth = view.breadth.value;
  const brief = breadth !== "wide" && breadth !== "medium";
  return (
    <Button
      onClick={() => view.goToNow()}
      hint={live ? "Follow the newest tasks" : "To the end of the recording"}
    >
      <span class="ds-go">
        {brief ? "Now" : live ? "Go to now" : "Go to the end"}
        {!brief && <Key>L</Key>}
      </span>
    </Button>
  );
}

const Resume = ({ view }: { view: PanelView }): JSX.Element => (
  <Button primary onClick={() => view.togglePause()}>
    Resume
  </Button>
);

function pausedText({ paused, origin }: PanelView): string | null {
  if (paused.value === null) return null;
  return `at ${formatMoment(paused.value - origin.value, 1)}`;
}

export function PauseButton(props: { view: PanelView }): JSX.Element | null {
  const { view } = props;
  const paused = view.paused.value !== null;
  if (!view.host.live) return null;
  if (!paused && !(view.growing.value && view.now.value > 0)) return null;
  return (
    <IconButton
      label={paused ? "Resume" : "Pause"}
      shortcut="Space"
      pressed={paused}
      onClick={() => view.togglePause()}
    >
      {paused ? <PlayIcon /> : <PauseIcon />}
    </IconButton>
  );
}

export const HelpButton = ({ view }: { view: PanelView }): JSX.Element => (
  <IconButton
    label="Keys and gestures"
    shortcut="?"
    pressed={view.helpOpen.value}
    onClick={() => (view.helpOpen.value = !view.helpOpen.peek())}
  >
    <HelpIcon />
  </IconButton>
);

export const Tools = (props: {
  view: PanelView;
  kind: Pick<Kind, "id" | "tables">;
  charts: boolean;
}): JSX.Element => (
  <>
    <ChooserMenu view={props.view} />
    <PauseButton view={props.view} />
    <ExportMenu {...props} />
    <HelpButton view={props.view} />
  </>
);

/** A short message shown above the plot for a moment. */
export function Hint({ view }: { view: PanelView }): JSX.Element | null {
  const { value: words } = view.hint;
  if (words === "") return null;
  return (
    <div class="ds-stage-note" role="status">
      {words}
    </div>
  );
}

export const FocusCrumbs = ({ view }: { view: PanelView }): JSX.Element => (
  <Crumbs
    narrowing={view.narrowing.value}
    origin_s={view.origin.value}
    short={view.breadth.value === "tiny"}
    part={view.part}
    onRemove={(part) => view.widen(part)}
    onWhole={() => view.showWhole()}
  />
);

const emptyFacts = ({ status }: EmptyState): Fact[] =>
  (status ?? "").split(" · ").map((text) => ({ text }));

function factsOf(view: PanelView, parts: PanelParts): Fact[] {
  const hostState = view.host.emptyState.value;
  const inBanner = bannerNotice(view.notices.value, view.dismissed.value);
  const others = view.notices.value.filter((notice) => notice !== inBanner);
  return [
    ...parts.facts(view),
    ...(view.host.live
      ? [
          { text: plural(view.workers.value.length, "worker"), rank: 5 },
          livenessFact({
            state: view.state.value,
            behind_s: view.behind_s.value,
            now: view.now.value,
            kept: keptOf(hostState),
            paused: view.paused.value !== null,
          }),
        ]
      : []),
    ...others.map(noticeFact),
  ];
}
