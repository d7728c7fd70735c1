// What the status line of every panel says of its session: whether it is live, and what
// is missing of it.

import {
  formatClock,
  formatDuration,
  formatExact,
  formatMoment,
} from "../base/format";
import type { Notice } from "../model/types";
import type { State } from "../schema";
import type { Fact } from "./status_line";

export interface Liveness {
  readonly state: State;
  readonly behind_s: number;
  readonly now: number;
  /** Why the picture is only kept, in the words of the home. */
  readonly kept: { readonly text: string; readonly trouble: boolean } | null;
  readonly paused: boolean;
  /** It is said on a picture: whoever looks at that does so later. */
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
        return { text: "paused, recording goes on", brief: "paused", rank };
      }
      if (input.pictured) {
        return { text: `taken live at ${formatClock(input.now, 0)}`, rank };
      }
      if (!(input.behind_s >= 0)) return { text: "live", rank };
      const text = `live, ${formatBehind(input.behind_s)} behind`;
      // A second or two is what polling costs; more is trouble.
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

/** What is no longer kept, or never was, of the rows that a panel lists. */
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
      ? { level: "warn", text: "not all is here" }
      : { text: "nothing dropped", rank: 6 };

/** The end of the recording's file is missing. */
export const isCut = (notices: readonly Notice[]): boolean =>
  notices.some(({ code }) => code === "file-cut");
