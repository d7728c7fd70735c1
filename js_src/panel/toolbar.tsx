// The toolbar of a panel: its name, its state in one word, and tools.

import type { ComponentChildren, JSX } from "preact";
import type { State } from "../schema";
import { CloseIcon, PauseIcon, WarningIcon, ChevronIcon } from "./icons";
import { Menu } from "./menu";
import type { PanelEnvironment } from "./environment";
import type { Choice, Chooser, PanelHost } from "./host";

const WORDS: Record<State, string> = {
  live: "Live",
  waiting: "Waiting",
  lost: "Lost",
  partly: "Partly",
  stopped: "Stopped",
  "no-client": "No client",
};

function StateWord(props: {
  state: State;
  /** Text such as "at 21.0 s" while the panel is paused; else null. */
  paused: string | null;
}): JSX.Element {
  if (props.paused !== null) {
    return (
      <span class="ds-state" role="status">
        <PauseIcon />
        {`Paused ${props.paused}`}
      </span>
    );
  }
  return (
    <span class={`ds-state ds-state-${props.state}`} role="status">
      <StateMark state={props.state} />
      {WORDS[props.state]}
    </span>
  );
}

function StateMark(props: { state: State }): JSX.Element | null {
  if (props.state === "no-client") return null;
  if (props.state === "lost") return <CloseIcon />;
  if (props.state === "partly") return <WarningIcon />;
  return <span class="ds-dot" />;
}

export function Toolbar(props: {
  title: string;
  state: State | null;
  paused: string | null;
  brief?: boolean;
  /** Shown beside the state: the filters. */
  children?: ComponentChildren;
  tools: ComponentChildren;
}): JSX.Element {
  return (
    <div
      class={`ds-toolbar ${props.brief ? "ds-brief" : ""}`}
      role="toolbar"
      aria-label={props.title}
    >
      <h2 class="ds-title">{props.title}</h2>
      {props.state && <StateWord state={props.state} paused={props.paused} />}
      <div class="ds-toolbar-middle">{props.children}</div>
      <div class="ds-tools">{props.tools}</div>
    </div>
  );
}

interface Chosen {
  readonly host: PanelHost;
  readonly environment: PanelEnvironment;
}

const CROWDED_PX = 440;

const chooserOf = (view: Chosen): Chooser | null => {
  const chooser = view.host.chooser?.value;
  return chooser && chooser.sessions.length > 1 ? chooser : null;
};

export const isChosen = (view: Chosen): boolean => chooserOf(view) !== null;

/** In narrow panels the chosen name replaces the panel's, which is also on its tab. */
export function chooserCrowds(view: Chosen): boolean {
  const { value: width } = view.environment.width;
  return width < CROWDED_PX && isChosen(view);
}

export function ChooserMenu(props: { view: Chosen }): JSX.Element | null {
  const { view } = props;
  const chooser = chooserOf(view);
  if (!chooser) return null;
  const at = chooser.sessions.findIndex(({ id }) => id === chooser.chosen);
  const chosen = chooser.sessions[at];
  const place = `${at + 1} of ${chooser.sessions.length}`;
  return (
    <Menu
      label="Choose a client"
      title={
        chosen && `${chosen.name}, ${chosen.detail} (${place})\nChoose a client`
      }
      class="ds-chooser"
      face={
        <>
          {chosen?.state && <Mark {...chosen} />}
          <span class="ds-chooser-name">
            {chosen?.name ?? "Choose a client"}
          </span>
          <ChevronIcon />
        </>
      }
    >
      {(close) =>
        chooser.sessions.map((choice) => (
          <button
            type="button"
            class="ds-menu-item"
            aria-pressed={choice.id === chooser.chosen}
            onClick={() => {
              close();
              chooser.choose(choice.id);
            }}
          >
            {choice.state && <Mark {...choice} />}
            <span class="ds-chooser-words">
              <span class="ds-menu-item-name">{choice.name}</span>
              {choice.detail !== "" && (
                <span class="ds-menu-item-detail">{choice.detail}</span>
              )}
            </span>
          </button>
        ))
      }
    </Menu>
  );
}

/** A dot in the colour of the state, with a ring while tasks run. */
export const Mark = (props: Pick<Choice, "state" | "active">): JSX.Element => (
  <span class={`ds-state-${props.state}`} aria-hidden="true">
    <span class={props.active ? "ds-dot ds-active" : "ds-dot"} />
  </span>
);
