// Why a panel has nothing to show, where every panel says it alike.

import type { Notice } from "../model/types";
import type { EmptyState } from "./host";

export const NO_CLIENT: EmptyState = {
  state: "waiting",
  title: "Waiting for a Dask client",
  text: "Run `Client()` and this panel starts by itself.",
};

/** Before the first word of a session; `notices` are what went wrong. */
export function beforeFirst(
  live: boolean,
  notices: readonly Notice[],
): EmptyState {
  if (live) {
    return {
      state: "waiting",
      title: "Connecting",
      text: "What is known of this client arrives in a moment.",
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
    text: "A large one takes some seconds.",
  };
}
