// What a row is called and coloured, wherever it is described.

import { ACTION_COLOURS, actionColour, slotColour } from "../../base/palette";
import type { Theme } from "../../base/theme";
import type { Interval } from "../../model/types";
import type { SessionStore } from "../../session";

export interface RowWords {
  readonly prefix: string;
  readonly action: string;
  readonly colour: string;
  readonly erred: boolean;
  /** The action where it is not the computation, else the prefix. */
  readonly title: string;
}

export function rowWords(
  row: Interval,
  session: SessionStore,
  theme: Theme,
): RowWords {
  const prefix = session.prefixes[row.prefix] ?? "(unknown)";
  const action = session.actions[row.action] ?? "(unknown)";
  const erred = row.status === 1;
  const prefixColour = slotColour(session.slots[row.prefix], theme.dark);
  return {
    prefix,
    action,
    erred,
    title: action === "compute" ? prefix : action,
    colour: actionCss(action, erred, prefixColour, theme.dark),
  };
}

/** Colour of one action of a task: its own, black if it erred, or the prefix's. */
export function actionCss(
  action: string,
  erred: boolean,
  prefixColour: string,
  dark: boolean,
): string {
  const mode = dark ? "dark" : "light";
  const own = actionColour(action);
  if (own) return ACTION_COLOURS[own][mode];
  return erred ? ACTION_COLOURS.erred[mode] : prefixColour;
}

/** `Disk read`, `Transfer`: an action at the beginning of a line. */
export function capitalized(action: string): string {
  const words = action.replace(/-/g, " ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}
