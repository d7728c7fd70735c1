// What a panel shows when it has nothing to draw, and the banner over what it
// still has: what happened, and the next step.

import type { JSX } from "preact";
import type { EmptyState, PanelAction } from "./host";
import { Button, LinkButton } from "./button";
import { CloseIcon, InfoIcon, TasksIcon, WarningIcon } from "./icons";

/** Parts between back-ticks as code. Text only: nothing of it is markup. */
export function WithCode(props: { text: string }): JSX.Element {
  const parts = props.text.split("`");
  return (
    <>
      {parts.map((part, index) =>
        index % 2 === 1 && index < parts.length - 1 ? (
          <code class="ds-code">{part}</code>
        ) : (
          part
        ),
      )}
    </>
  );
}

export function Empty(props: { state: EmptyState }): JSX.Element {
  const { state } = props;
  const trouble = state.trouble === true;
  return (
    <div class="ds-empty">
      <div class="ds-empty-inside">
        <div class={trouble ? "ds-empty-icon ds-error" : "ds-empty-icon"}>
          {trouble ? <WarningIcon /> : <TasksIcon />}
        </div>
        <h3>{state.title}</h3>
        <p>
          <WithCode text={state.text} />
        </p>
        <div class="ds-empty-actions">
          {state.actions?.slice(0, 2).map((action) => (
            <Button primary={action.primary ?? false} onClick={action.run}>
              {action.label}
            </Button>
          ))}
        </div>
      </div>
    </div>
  );
}

/** Only what is wrong interrupts whoever listens to the page. */
export function Banner(props: {
  level: "info" | "warn" | "error";
  title: string;
  text: string;
  actions: readonly PanelAction[];
  onClose?: () => void;
}): JSX.Element {
  const info = props.level === "info";
  return (
    <div
      class={`ds-banner ds-banner-${props.level}`}
      role={info ? "status" : "alert"}
    >
      <span class={info ? "ds-quiet" : `ds-${props.level}`}>
        {info ? <InfoIcon /> : <WarningIcon />}
      </span>
      <div class="ds-banner-text">
        <div class="ds-banner-title" title={props.title}>
          <WithCode text={props.title} />
        </div>
        <div class="ds-banner-next" title={props.text}>
          <WithCode text={props.text} />
        </div>
      </div>
      {props.actions.map((action) =>
        props.level === "error" ? (
          <Button onClick={action.run}>{action.label}</Button>
        ) : (
          <LinkButton onClick={action.run}>{action.label}</LinkButton>
        ),
      )}
      {props.onClose && (
        <button
          type="button"
          class="ds-icon-button"
          aria-label="Hide this message"
          onClick={props.onClose}
        >
          <CloseIcon />
        </button>
      )}
    </div>
  );
}
