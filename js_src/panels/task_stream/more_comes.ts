// Whether what is not on this page yet will come: a panel promises no more than that.

import type { ViewState } from "./view_state";

/** Notices after which no row of the past is sent. */
const NO_HISTORY = ["page-full", "bye", "bad-file"];

/** False once the page is full, and where the home says that its kernel is gone. */
export function moreComes(view: ViewState): boolean {
  const session = view.session.value;
  return (
    session !== null &&
    view.host.emptyState.value === null &&
    !session.notices.value.some(({ code }) => NO_HISTORY.includes(code))
  );
}
