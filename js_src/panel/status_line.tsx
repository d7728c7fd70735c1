// The status line of a panel: how much is shown, and what was dropped or lost. If there is
// little room, the least important facts are hidden first.

import type { JSX } from "preact";
import type { Theme } from "../base/theme";
import { textWidth } from "../base/text_width";
import { LinkButton } from "./button";
import {
  formatClock,
  formatDuration,
  formatExact,
  formatMoment,
} from "../base/format";
import type { Notice, Worker } from "../model/types";
import type { State } from "../schema";
import type { EmptyState, PanelHost } from "./host";

export interface Fact {
  readonly text: string;
  /** Shown in bold before the text: the "N" of "N of N". */
  readonly lead?: string;
  /** Shorter text, used if there is little room. */
  readonly brief?: string;
  readonly level?: "warn" | "error";
  readonly title?: string;
  readonly run?: () => void;
  /** The highest rank is hidden first, 0 never. Default: 2. */
  readonly rank?: number;
}

interface FittedFact {
  readonly fact: Fact;
  readonly text: string;
  /** The last fact, which may be cut with an ellipsis. */
  readonly shrinks: boolean;
}

interface FittedLine {
  readonly shown: readonly FittedFact[];
  readonly hidden: readonly Fact[];
}

const PADDING_PX = 24;
const BETWEEN_PX = 17;
const SHORTEST_PX = 96;
const MORE_PX = 24;
const DEFAULT_RANK = 2;

export const factWords = ({ lead, text }: Fact, words = text): string =>
  lead === undefined ? words : `${lead} ${words}`;

/** The facts that fit into `room_px`; `widthOf` measures text. */
export function fitFacts(
  facts: readonly Fact[],
  room_px: number,
  widthOf: (text: string) => number,
): FittedLine {
  const line = (brief: boolean): { fact: Fact; text: string; px: number }[] =>
    facts.map((fact) => {
      const text = brief ? (fact.brief ?? fact.text) : fact.text;
      return { fact, text, px: widthOf(factWords(fact, text)) + BETWEEN_PX };
    });
  const sum = (all: { px: number }[]): number =>
    all.reduce((px, one) => px + one.px, -BETWEEN_PX);
  const full = line(false);
  if (sum(full) <= room_px) {
    const shown = full.map((one) => ({ ...one, shrinks: false }));
    return { shown, hidden: [] };
  }
  const brief = line(true);
  let left = room_px + BETWEEN_PX - (sum(brief) > room_px ? MORE_PX : 0);
  const fitted = new Map<Fact, FittedFact>();
  const byRank = [...brief].sort((a, b) => rankOf(a.fact) - rankOf(b.fact));
  for (const { fact, text, px } of byRank) {
    const shrinks = px > left;
    if (shrinks && rankOf(fact) > 0) {
      // Hide unimportant facts rather than cut them.
      if (rankOf(fact) > DEFAULT_RANK) continue;
      // A less important fact must not replace one that did not fit.
      if (left - BETWEEN_PX < SHORTEST_PX) break;
    }
    fitted.set(fact, { fact, text, shrinks });
    left -= Math.min(px, left);
  }
  return {
    shown: facts.flatMap((fact) => fitted.get(fact) ?? []),
    hidden: facts.filter((fact) => !fitted.has(fact)),
  };
}

const rankOf = (fact: Fact): number => fact.rank ?? DEFAULT_RANK;

export function StatusLine(props: {
  facts: readonly Fact[];
  width_px: number;
  theme: Theme;
}): JSX.Element {
  const { facts } = props;
  const font = `${props.theme.small_px}px ${props.theme.font}`;
  const { shown, hidden } = fitFacts(
    facts,
    props.width_px - PADDING_PX,
    // Bold text and rounding make it slightly wider than measured.
    (text) => textWidth(text, font) * 1.04 + 1,
  );
  const trouble = hidden.filter((fact) => fact.level !== undefined);
  return (
    <div
      class="ds-status"
      role="status"
      aria-live="off"
      title={facts.map((fact) => factWords(fact)).join(" · ")}
    >
      {shown.map((one, index) => (
        <>
          {index > 0 && (
            <span class="ds-status-dot" aria-hidden="true">
              ·
            </span>
          )}
          <FactText {...one} />
        </>
      ))}
      {trouble.length > 0 && (
        <span
          class="ds-fact ds-warn"
          title={trouble.map((fact) => factWords(fact)).join("\n")}
        >
          {`+${trouble.length} more`}
        </span>
      )}
    </div>
  );
}

function FactText(props: FittedFact): JSX.Element {
  const { fact, text, shrinks } = props;
  const classes = ["ds-fact"];
  if (fact.level) classes.push(`ds-${fact.level}`);
  if (shrinks) classes.push("ds-shrinks");
  return (
    <span class={classes.join(" ")} title={fact.title ?? fact.text}>
      {fact.lead !== undefined && <b>{fact.lead}</b>}
      {fact.lead !== undefined && " "}
      {fact.run ? <LinkButton onClick={fact.run}>{text}</LinkButton> : text}
    </span>
  );
}

interface Liveness {
  readonly state: State;
  readonly behind_s: number;
  readonly now: number;
  /** Why the picture no longer updates, in the host's words; null if it does. */
  readonly kept: { readonly text: string; readonly trouble: boolean } | null;
  readonly paused: boolean;
  /** For a saved picture, which needs absolute times. */
  readonly pictured?: boolean;
}

export function livenessFact(input: Liveness): Fact {
  const rank = 3;
  if (input.kept) {
    const { text, trouble } = input.kept;
    const words = text.charAt(0).toLowerCase() + text.slice(1);
    return { text: words, ...(trouble ? { level: "error", rank: 1 } : {}) };
  }
  switch (input.state) {
    case "live":
    case "partly": {
      if (input.paused) {
        return { text: "paused, still recording", brief: "paused", rank };
      }
      if (input.pictured) {
        return { text: `live at ${formatClock(input.now, 0)}`, rank };
      }
      if (!(input.behind_s >= 0)) return { text: "live", rank };
      const text = `live, ${formatBehind(input.behind_s)} behind`;
      // Polling causes a delay of one or two seconds; more is a problem.
      return input.behind_s > 3
        ? { text, level: "warn" }
        : { text, brief: "live", rank };
    }
    case "lost":
      return { text: "connection lost", level: "error", rank: 1 };
    case "waiting":
      return { text: "waiting for the scheduler", brief: "waiting", rank };
    case "stopped":
      return { text: "stopped", rank };
    case "no-client":
      return { text: "no client", rank };
  }
}

function formatBehind(seconds: number): string {
  return seconds < 10 ? formatMoment(seconds, 1) : formatDuration(seconds);
}

export const noticeFact = ({ level, text, next }: Notice): Fact => ({
  ...(level === "info" ? {} : { level }),
  text: next ? `${text.replace(/\.\s*$/, "")}: ${next}` : text,
  title: `${text}\n${next}`,
});

/** The number of rows of a panel. */
export const countFact = (
  count: number,
  one: string,
  many = `${one}s`,
): Fact => ({
  lead: formatExact(count),
  text: count === 1 ? one : many,
  rank: 0,
});

/** Empty if nothing erred. */
export const erredFacts = (
  erred: number,
  text = `${formatExact(erred)} erred`,
): Fact[] => (erred > 0 ? [{ text, level: "error", rank: 1 }] : []);

/** How many rows of a panel were dropped, or whether a recording is incomplete. */
export const droppedFact = (
  notices: readonly Notice[],
  dropped: number,
): Fact =>
  dropped > 0
    ? {
        level: "warn",
        text: `${formatExact(dropped)} older ones dropped`,
        brief: `${formatExact(dropped)} dropped`,
      }
    : isCut(notices)
      ? { level: "warn", text: "incomplete" }
      : { text: "nothing dropped", rank: 6 };

export const isCut = (notices: readonly Notice[]): boolean =>
  notices.some(({ code }) => code === "file-cut");

/** `why`: the host's reason for the end of a session. */
export const isAlarming = (why: EmptyState | null): boolean =>
  why === null || why.trouble === true;

export const keptOf = (why: EmptyState | null): Liveness["kept"] =>
  why?.status ? { text: why.status, trouble: isAlarming(why) } : null;

/**
 * The state to show; null for recordings, which have none. `own`: state of the session, null
 * without one. `empty`: what the panel shows in place of its body.
 */
export function stateShown(
  own: State | null,
  host: PanelHost,
  empty: EmptyState | null,
): State | null {
  if (!host.live) return null;
  const why = empty ?? host.emptyState.value;
  if (own === null) return empty?.state ?? "waiting";
  if (own === "lost") return why && !isAlarming(why) ? why.state : own;
  return empty?.state === "stopped" ? "stopped" : own;
}

/** Running tasks of all workers, by their last heartbeats; null if unknown. */
export function runningTasks(workers: readonly Worker[]): number | null {
  let sum = 0;
  for (const { running } of workers) {
    if (running === null) return null;
    sum += running;
  }
  return sum;
}
