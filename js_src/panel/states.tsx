// Empty states and banners of a panel: what happened, and the next step.

import type { JSX, ComponentChildren } from "preact";
import type { Signal } from "@preact/signals";
import type { EmptyState, PanelAction, PanelHost } from "./host";
import { Button, LinkButton } from "./button";
import { CloseIcon, InfoIcon, TasksIcon, WarningIcon } from "./icons";
import { formatClock } from "../base/format";
import type { Notice } from "../model/types";
import type { State, TableName } from "../schema";
import { isAlarming } from "./status_line";
import type { TableView } from "../session/tables";
import type { PanelView } from "./panel_view";

/** Shows parts between back-ticks as code. Plain text only, never markup. */
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

/** Screen readers announce only problems at once. */
function Banner(props: {
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

/** The notice for the banner; the status line omits it. */
export function bannerNotice(
  all: readonly Notice[],
  dismissed: ReadonlySet<string>,
): Notice | null {
  const notices = all.filter(({ code }) => !dismissed.has(code));
  return (
    notices.find(({ level }) => level === "error") ??
    notices.find(({ level }) => level === "warn") ??
    null
  );
}

export function Notices(props: {
  host: PanelHost;
  notices: readonly Notice[];
  dismissed: Signal<ReadonlySet<string>>;
  state: State | null;
  /** The scheduler's time at the last status. */
  now: number;
  shows: boolean;
}): JSX.Element | null {
  const { host, dismissed, state } = props;
  const notice = bannerNotice(props.notices, dismissed.value);
  if (notice) {
    return (
      <Banner
        level={notice.level === "error" ? "error" : "warn"}
        title={notice.text}
        text={notice.next}
        actions={host.actionsFor?.(notice.code) ?? []}
        onClose={() => {
          dismissed.value = new Set([...dismissed.peek(), notice.code]);
        }}
      />
    );
  }
  // The host knows why a session ended.
  const why = host.emptyState.value;
  if (why && (state === "lost" || state === "stopped") && props.shows) {
    return (
      <Banner
        level={isAlarming(why) ? "error" : "info"}
        title={why.title}
        text={why.text}
        actions={why.actions ?? []}
      />
    );
  }
  if (state !== "lost") return null;
  return (
    <Banner
      level="error"
      title="The connection was lost"
      text={`Data until ${formatClock(props.now, 0)} is kept. Reconnecting …`}
      actions={host.actionsFor?.("lost") ?? []}
    />
  );
}

export const NO_CLIENT: EmptyState = {
  state: "waiting",
  title: "Waiting for a Dask client",
  text: "Run `Client()`, and this panel starts automatically.",
};

/** The empty state before the first message of a session; `notices`: problems so far. */
export function beforeFirst(
  live: boolean,
  notices: readonly Notice[],
): EmptyState {
  if (live) {
    return {
      state: "waiting",
      title: "Connecting",
      text: "The data of this client arrives in a moment.",
    };
  }
  const failed = notices.find(({ level }) => level === "error");
  if (failed) {
    const { text: title, next: text } = failed;
    return { state: "stopped", trouble: true, title, text };
  }
  return {
    state: "waiting",
    title: "Reading the recording",
    text: "A large file takes a few seconds.",
  };
}

export function WithTable<N extends TableName>(props: {
  view: PanelView;
  name: N;
  noun: string;
  children: (table: TableView<N>) => ComponentChildren;
}): JSX.Element {
  const { view, noun } = props;
  const table = view.table(props.name);
  if (table.state === "ready") return <>{props.children(table)}</>;
  const problem = table.problem ?? whyUnread(view);
  if (problem) {
    const { text, next } = problem;
    return (
      <p class="ds-sentence ds-warn" role="status">
        <WithCode text={`${text.replace(/\.$/, "")}. ${next}`.trim()} />
      </p>
    );
  }
  const verb = view.host.live ? "Waiting for" : "Unpacking";
  return <p class="ds-sentence" role="status">{`${verb} ${noun} …`}</p>;
}

/** Empty state of a panel without rows; `live` and `stored` are reasons if no notice is. */
export function NoRows(props: {
  view: PanelView;
  table: TableName;
  noun: string;
  live: string;
  stored: string;
  more?: string;
}): JSX.Element {
  const { view, table, noun, more = "" } = props;
  const { live } = view.host;
  const why = whyNone(view, table) || (live ? props.live : props.stored);
  const title = live ? `No ${noun} yet` : `This recording has no ${noun}`;
  const text = `${why} ${more}`.trim();
  return <Empty state={{ state: "waiting", title, text }} />;
}

const whyUnread = ({ host, notices }: PanelView): Notice | undefined =>
  host.live ? undefined : notices.value.find(({ level }) => level === "error");

/**
 * Why a table may have no rows, from the texts of notices. Notices about limits of other
 * tables, or about merged names, are no reason.
 */
export function whyNone(view: PanelView, table: TableName): string {
  const isReason = (code: string): boolean =>
    !code.endsWith("-merged") &&
    (!code.endsWith("-dropped") || code === `${table}-dropped`);
  return view.notices.value
    .filter(({ code, level }) => level !== "info" && isReason(code))
    .map(({ text }) => text)
    .join(" ");
}
