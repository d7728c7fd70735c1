// What a row is called and coloured, wherever it is described.

import { ACTION_COLOURS, actionColour } from "../../base/palette";
import type { Interval } from "../../model/types";
import type { SessionStore } from "../../session";
import { prefixColoursOf } from "../../panel/prefix_colour";
import type { ViewState } from "./view_state";

export interface RowWords {
  readonly prefix: string;
  readonly prefixColour: string;
  readonly action: string;
  /** The action's where it has one of its own. */
  readonly colour: string;
  readonly erred: boolean;
  /** The action where it is not the computation, else the prefix. */
  readonly title: string;
}

export function rowWords(
  row: Interval,
  store: SessionStore,
  view: ViewState,
): RowWords {
  const prefix = store.prefixes[row.prefix] ?? "(unknown)";
  const action = store.actions[row.action] ?? "(unknown)";
  const erred = row.status === 1;
  const { dark } = view.environment.theme.value;
  const prefixColour = prefixColoursOf(view, store)(row.prefix);
  return {
    prefix,
    prefixColour,
    action,
    erred,
    title: action === "compute" ? prefix : action,
    colour: actionCss(action, erred, prefixColour, dark),
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
