// The first line of a panel: its name, its state in one word, and tools.

import type { ComponentChildren, JSX } from "preact";
import type { State } from "../schema";
import { CloseIcon, PauseIcon, WarningIcon } from "./icons";

const WORDS: Record<State, string> = {
  live: "Live",
  waiting: "Waiting",
  lost: "Lost",
  partly: "Partly",
  stopped: "Stopped",
  "no-client": "No client",
};

export function StateWord(props: {
  state: State;
  /** Text such as "at 21.0 s" while the panel is paused, else null. */
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
  /** Null of a recording, which is over. */
  state: State | null;
  paused: string | null;
  /** Another needs the room of the title. */
  brief?: boolean;
  /** Beside the state: what the panel is filtered to. */
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
