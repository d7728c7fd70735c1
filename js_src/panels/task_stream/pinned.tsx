// The pinned task: its starts and stops, where and when it ran, and the
// traceback if it erred. Data on the page are shown at once; the rest is
// requested from the kernel, with a message if there is no answer.

import { FactList } from "../../panel/parts";
import type { JSX } from "preact";
import { textOn, toCss } from "../../base/colour";
import {
  formatBytes,
  formatClock,
  formatMoment,
  NOTHING,
  formatDuration,
} from "../../base/format";
import type { Theme } from "../../base/theme";
import type { Interval, TaskDetail } from "../../model/types";
import { STATUSES } from "../../schema";
import type { SessionStore } from "../../session/session";
import { Button, IconButton, useCopied } from "../../panel/button";
import { CloseIcon, CopyIcon } from "../../panel/icons";
import { keepScrolling } from "../../panel/help";
import { spanName } from "../../panel/narrowing";
import { rowsOf } from "../../session/tables";
import { KeyText, useKey } from "../../panel/key_text";
import { actionCss, actionRgb } from "../../panel/pixel_colours";
import { taskLabels } from "./cards";
import { zoomTo } from "./go_to_task";
import {
  type Asked,
  endsOf,
  type Part,
  useTaskDetail,
} from "../../panel/task_detail";
import { splitException, TracebackText } from "../../panel/traceback";
import type { PanelState } from "./panel_state";
import { placeOf } from "../../panel/worker_groups";

const ERROR = STATUSES[1];

export function Pinned(props: { view: PanelState }): JSX.Element | null {
  const { view } = props;
  const row = view.pinned.value;
  const session = view.session.value;
  if (!row || !session) return null;
  return (
    <PinnedTask
      key={`${session.id} ${row.task}`}
      view={view}
      session={session}
      row={row}
    />
  );
}

function PinnedTask(props: {
  view: PanelState;
  session: SessionStore;
  row: Interval;
}): JSX.Element {
  const { view, session, row } = props;
  const theme = view.environment.theme.value;
  const [copyLabel, copy] = useCopied("Copy the key");
  const localKey = useKey(session, row.task);
  const [asked, retry] = useTaskDetail(session, row.task);
  const detail = asked.state === "known" ? asked.detail : null;
  const labels = taskLabels(row, session, view);
  const { prefixColour } = labels;
  const key = detail?.key ?? localKey;
  const parts = detail?.startstops ?? partsOfPage(session, row);
  const span = detail?.span ?? session.spans[row.span]?.name ?? [];
  const erred = labels.erred || detail?.status === ERROR;
  const { prefixes } = view.focus.value;
  const alone = prefixes.length === 1 && prefixes[0] === labels.prefix;

  return (
    <aside
      class="ds-pinned"
      aria-label={`Task of ${labels.prefix}`}
      onKeyDown={keepScrolling}
    >
      <div class="ds-pinned-head">
        {erred && (
          <span class="ds-badge" style={badgeStyle(theme)}>
            Erred
          </span>
        )}
        <span class="ds-swatch" style={{ background: prefixColour }} />
        <b class="ds-pinned-title" title={labels.prefix}>
          {labels.prefix}
        </b>
        <IconButton
          label="Unpin"
          shortcut="Escape"
          onClick={() => {
            view.pinned.value = null;
          }}
        >
          <CloseIcon />
        </IconButton>
      </div>
      <div class="ds-pinned-body">
        <div class="ds-pinned-key">
          <KeyText text={key} longest={2000} />
          {typeof key === "string" && (
            <IconButton label={copyLabel} onClick={() => copy(key)}>
              <CopyIcon />
            </IconButton>
          )}
        </div>
        <ErrorOf
          taskKey={key ?? null}
          view={view}
          row={row}
          erred={erred}
          detail={detail}
        />
        {parts.length > 0 && (
          <StartStops
            parts={parts}
            erred={erred}
            colourOf={(action) =>
              actionCss(action, erred, prefixColour, theme.dark)
            }
          />
        )}
        <section>
          <h4>Where and when</h4>
          <FactList
            class="ds-facts"
            facts={[
              [
                "Worker",
                placeOf(view.placed.value, laneOf(session, row, detail)),
              ],
              ["Started", startedAt(parts, view.origin.value)],
              ["Result", formatResult(detail?.nbytes ?? row.nbytes, erred)],
              span.length > 0 && [
                "Span",
                <SpanOf
                  view={view}
                  id={session.spans[row.span]?.id ?? ""}
                  name={spanName(span)}
                />,
              ],
            ]}
          />
        </section>
        <Missing asked={asked} retry={retry} />
      </div>
      <div class="ds-pinned-foot">
        <Button
          onClick={() => view.isolateEntry("prefix", labels.prefix, false)}
        >
          {alone ? "All prefixes" : "Only this prefix"}
        </Button>
        {parts.length > 0 && (
          <Button onClick={() => zoomTo(view, endsOf(parts))}>
            Zoom to it
          </Button>
        )}
        {parts.length > 0 && <ProfileButton {...{ view, labels, parts }} />}
      </div>
    </aside>
  );
}

/** Shows the profile of its function for its time, on all workers. */
function ProfileButton(props: {
  view: PanelState;
  labels: { readonly prefix: string };
  parts: readonly Part[];
}): JSX.Element | null {
  const { view, labels, parts } = props;
  const { show } = view;
  if (!show || !view.host.panels?.includes("profile")) return null;
  const focus = { ...view.focus.value, prefixes: [labels.prefix] };
  return (
    <Button
      hint={`What ${labels.prefix} did in that time`}
      onClick={() => show("profile", { ...focus, time: endsOf(parts) })}
    >
      Profile
    </Button>
  );
}

function badgeStyle(theme: Theme): JSX.CSSProperties {
  const colour = actionRgb("erred", theme);
  return { background: toCss(colour), color: textOn(colour) };
}

/** The span of a task; a click isolates it, a second click shows all spans. */
function SpanOf(props: {
  view: PanelState;
  /** Empty if the page has no row of the task. */
  id: string;
  name: string;
}): JSX.Element {
  const { view, id, name } = props;
  if (id === "") return <>{name}</>;
  const { spans } = view.focus.value;
  const alone = spans.length === 1 && spans[0] === id;
  return (
    <button
      type="button"
      class="ds-link"
      aria-pressed={alone}
      title={
        alone ? "Show all spans" : "Show only this span, Shift-click adds it"
      }
      onClick={(event) => view.isolateIn("spans", id, event.shiftKey)}
    >
      {name}
    </button>
  );
}

/** The lane from the kernel's answer, since the task's rows may not be on this page. */
function laneOf(
  session: SessionStore,
  row: Interval,
  detail: TaskDetail | null,
): number {
  const lane = session.lanes.findIndex(
    ({ worker, thread }) =>
      worker === detail?.worker && thread === detail.thread,
  );
  return lane < 0 ? row.lane : lane;
}

function startedAt(parts: readonly Part[], origin: number): string {
  if (parts.length === 0) return "no start was reported";
  const { start } = parts[0];
  return `+${formatMoment(start - origin, 3)}, ${formatClock(start)}`;
}

function formatResult(nbytes: number, erred: boolean): string {
  if (erred) return "none, it erred";
  return nbytes > 0 ? formatBytes(nbytes) : NOTHING;
}

function ErrorOf(props: {
  taskKey: string | null;
  view: PanelState;
  row: Interval;
  erred: boolean;
  detail: TaskDetail | null;
}): JSX.Element | null {
  if (!props.erred) return null;
  const { detail, view, row } = props;
  const errors = rowsOf(view.table("errors"), "time");
  const known = errors.find((error) => error.task === row.task);
  const exception = detail?.error?.exception ?? known?.exception ?? "";
  const traceback = detail?.error?.traceback ?? "";
  return (
    <section class="ds-pinned-error">
      {exception + traceback !== "" && (
        <TracebackText
          taskKey={props.taskKey}
          exception={splitException(exception)}
          traceback={traceback}
        />
      )}
      {detail && !detail.error && (
        <p class="ds-note">
          The traceback was dropped: only the newest errors keep theirs.
        </p>
      )}
    </section>
  );
}

function Missing(props: {
  asked: Asked;
  retry: () => void;
}): JSX.Element | null {
  const { asked } = props;
  if (asked.state === "known") return null;
  if (asked.state === "asking") {
    return <p class="ds-note">Loading details …</p>;
  }
  return (
    <div class="ds-note">
      <p class="ds-warn">{asked.problem.text}</p>
      <p>{`Details that this page already had are shown. ${asked.problem.next}`}</p>
      <Button onClick={props.retry}>Try again</Button>
    </div>
  );
}

function partsOfPage(session: SessionStore, row: Interval): Part[] {
  const rows = session.model.ofTask(row.lane, row.task);
  const all = rows.length > 0 ? rows : [row];
  return all
    .map((part) => ({
      action: session.actions[part.action] ?? "other",
      start: part.start,
      stop: part.start + part.duration,
    }))
    .sort((one, other) => one.start - other.start);
}

function StartStops(props: {
  parts: readonly Part[];
  erred: boolean;
  colourOf: (action: string) => string;
}): JSX.Element {
  const { parts, colourOf, erred } = props;
  const [start, stop] = endsOf(parts);
  const whole = Math.max(stop - start, 1e-9);
  return (
    <section>
      <h4>{`Start to stop, ${formatDuration(stop - start)}`}</h4>
      <div class="ds-startstops" aria-hidden="true">
        {parts.map((part) => (
          <span
            style={{
              left: `${((Math.min(part.start, part.stop) - start) / whole) * 100}%`,
              width: `max(1px, ${(Math.abs(part.stop - part.start) / whole) * 100}%)`,
              background: colourOf(part.action),
            }}
          />
        ))}
      </div>
      <ul class="ds-parts">
        {parts.map((part) => (
          <li>
            <span
              class="ds-swatch"
              style={{ background: colourOf(part.action) }}
            />
            <span>{part.action}</span>
            {erred && part.action === "compute" && (
              <span class="ds-quiet">ended in an error</span>
            )}
            {part.stop < part.start && (
              <span class="ds-warn">clocks disagree</span>
            )}
            <span class="ds-value">
              {formatDuration(part.stop - part.start)}
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}
