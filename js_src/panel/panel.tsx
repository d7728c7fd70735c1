// A panel of toolbar, body and status line, made of what differs from panel to panel.

import type { JSX } from "preact";
import { formatMoment, plural } from "../base/format";
import { NO_FOCUS } from "../model/types";
import { Button, IconButton } from "./button";
import { chooserCrowds, ChooserMenu } from "./chooser";
import { Crumbs } from "./crumbs";
import { beforeFirst, NO_CLIENT } from "./empty_states";
import { exportable, exportTable } from "./export_tables";
import { Help } from "./help";
import type { EmptyState } from "./host";
import { ExportIcon, HelpIcon, PauseIcon, PlayIcon } from "./icons";
import type { PanelKind } from "./kind";
import { Menu, MenuItem } from "./menu";
import { mountPanel } from "./mount";
import { isWhole, spanNames } from "./narrowing";
import { bannerNotice, Notices } from "./notices";
import { isAlarming, stateShown } from "./panel_state";
import { PanelView } from "./panel_view";
import { livenessFact, noticeFact } from "./session_facts";
import { Empty } from "./states";
import { type Fact, StatusLine } from "./status_line";
import { Toolbar } from "./toolbar";
import { workerNames } from "./worker_names";

type Kind = Omit<PanelKind, "mount">;

interface PanelParts {
  readonly Body: (props: { view: PanelView }) => JSX.Element | null;
  /** What the status line says first: how much is shown of what there is. */
  readonly facts: (view: PanelView) => readonly Fact[];
  /** What one can do in it with the mouse. */
  readonly gestures: readonly string[];
}

export function makePanel(kind: Kind, parts: PanelParts): PanelKind {
  return {
    ...kind,
    mount: (element, props) =>
      mountPanel(element, props, kind, (root, environment) => {
        const view = new PanelView(props, environment);
        const body = (): HTMLElement =>
          root.querySelector<HTMLElement>(".ds-panel-body") ?? root;
        return {
          content: <Panel view={view} kind={kind} parts={parts} />,
          use: () => (view.paused.value = null),
          press: (key) => press(view, root, key),
          focusHome: () => body().focus({ preventScroll: true }),
        };
      }),
  };
}

/** Scrolling is the browser's. */
function press(view: PanelView, root: HTMLElement, key: string): boolean {
  switch (key) {
    case "/":
      root.querySelector<HTMLElement>(".ds-search input")?.focus();
      return true;
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

/** The innermost thing first. */
function escape(view: PanelView): boolean {
  if (view.helpOpen.peek()) view.helpOpen.value = false;
  else if (!isWhole(view.focus.peek())) view.setFocus(NO_FOCUS);
  else return false;
  return true;
}

function whyEmpty(view: PanelView): EmptyState | null {
  const said = view.host.emptyState.value;
  if (!view.session.value) return said ?? NO_CLIENT;
  if (view.now.value > 0 || view.summary.value !== null) return null;
  return said ?? beforeFirst(view.host.live, view.notices.value);
}

function Panel(props: {
  view: PanelView;
  kind: Kind;
  parts: PanelParts;
}): JSX.Element {
  const { view, kind, parts } = props;
  const { host } = view;
  const empty = whyEmpty(view);
  const state = view.session.value ? view.state.value : null;
  const { value: breadth } = view.breadth;
  const roomy = breadth === "wide" || breadth === "medium";
  const crumbs = empty ? null : <FocusCrumbs view={view} />;
  const paused = pausedText(view);
  return (
    <>
      <Toolbar
        title={kind.title}
        state={stateShown(state, host, empty)}
        paused={paused}
        brief={chooserCrowds(view)}
        tools={<Tools view={view} tables={kind.tables} />}
      >
        {roomy && crumbs}
        {paused !== null && (
          <Button primary onClick={() => view.togglePause()}>
            Resume
          </Button>
        )}
      </Toolbar>
      {!roomy && crumbs && !isWhole(view.focus.value) && (
        <div class="ds-row2">{crumbs}</div>
      )}
      <Notices
        host={host}
        notices={view.notices.value}
        dismissed={view.dismissed}
        state={state}
        now={view.now.value}
        shows={!empty}
      />
      {empty ? (
        <Empty state={empty} />
      ) : (
        <div class={`ds-panel-body ds-${kind.id}`} tabIndex={0}>
          <parts.Body view={view} />
        </div>
      )}
      <StatusLine
        facts={empty ? emptyFacts(empty) : factsOf(view, parts)}
        width_px={view.printing.value ? Infinity : view.environment.width.value}
        theme={view.theme.value}
      />
      {view.helpOpen.value && (
        <Help
          title={`${kind.title}: keys and gestures`}
          shortcuts={[
            { keys: ["/"], does: "Filter the list" },
            { keys: ["Space"], does: "Pause, resume" },
            { keys: ["Esc"], does: "Close, drop the filters" },
            { keys: ["?"], does: "This sheet" },
          ]}
          notes={parts.gestures}
          onClose={() => (view.helpOpen.value = false)}
        />
      )}
    </>
  );
}

function pausedText({ paused, origin }: PanelView): string | null {
  if (paused.value === null) return null;
  return `at ${formatMoment(paused.value - origin.value, 1)}`;
}

function Tools(props: {
  view: PanelView;
  tables: readonly string[];
}): JSX.Element {
  const { view } = props;
  const paused = view.paused.value !== null;
  const grows = ["live", "partly", "waiting"].includes(view.state.value);
  const exports = exportable(view, props.tables);
  return (
    <>
      <ChooserMenu view={view} />
      {view.host.live && (paused || (grows && view.now.value > 0)) && (
        <IconButton
          label={paused ? "Resume" : "Pause"}
          shortcut="Space"
          pressed={paused}
          onClick={() => view.togglePause()}
        >
          {paused ? <PlayIcon /> : <PauseIcon />}
        </IconButton>
      )}
      {exports.length > 0 && (
        <Menu label="Export" face={<ExportIcon />}>
          {(close) =>
            exports.map((name) => (
              <MenuItem
                detail={plural(view.table(name).rows, "row")}
                onClick={() => {
                  close();
                  exportTable(view, name);
                }}
              >
                {`CSV of ${name}`}
              </MenuItem>
            ))
          }
        </Menu>
      )}
      <IconButton
        label="Keys and gestures"
        shortcut="?"
        pressed={view.helpOpen.value}
        onClick={() => (view.helpOpen.value = !view.helpOpen.peek())}
      >
        <HelpIcon />
      </IconButton>
    </>
  );
}

/** What the panel is filtered to, and the way back. */
function FocusCrumbs(props: { view: PanelView }): JSX.Element {
  const { view } = props;
  const focus = view.focus.value;
  void view.namesVersion.value;
  return (
    <Crumbs
      narrowing={{
        ...focus,
        workers: focus.workers.map(workerNames(view)),
        spans: spanNames(view.session.value, focus.spans),
        actions: [],
      }}
      origin_s={view.origin.value}
      short={view.breadth.value === "tiny"}
      part={null}
      onRemove={(part) =>
        view.setFocus({ ...focus, [part]: part === "time" ? null : [] })
      }
      onWhole={() => view.setFocus(NO_FOCUS)}
    />
  );
}

const emptyFacts = ({ status }: EmptyState): Fact[] =>
  (status ?? "").split(" · ").map((text) => ({ text }));

function factsOf(view: PanelView, parts: PanelParts): Fact[] {
  const said = view.host.emptyState.value;
  const told = bannerNotice(view.notices.value, view.dismissed.value);
  const others = view.notices.value.filter((notice) => notice !== told);
  return [
    ...parts.facts(view),
    ...(view.host.live
      ? [
          { text: plural(view.workers.value.length, "worker"), rank: 5 },
          livenessFact({
            state: view.state.value,
            behind_s: view.behind_s.value,
            now: view.now.value,
            kept: said?.status
              ? { text: said.status, trouble: isAlarming(said) }
              : null,
            paused: view.paused.value !== null,
          }),
        ]
      : []),
    ...others.map(noticeFact),
  ];
}
