// What the status line of a panel says just now, for the panel and for its picture.

import type { Notice } from "../../model/types";
import type { Fact } from "../../panel/status_line";
import { moreComes } from "./more_comes";
import { isAlarming } from "../../panel/panel_state";
import { runningTasks } from "./running";
import { NO_SEARCH } from "../../panel/search";
import { searchFact } from "./search_words";
import { selectedOf } from "./selected_words";
import { statusFacts } from "./status_facts";
import type { ViewState } from "./view_state";

/** `told`: a notice that is said elsewhere. Reads signals. */
export function panelFacts(
  view: ViewState,
  told: Notice | null,
  pictured = false,
): Fact[] {
  const session = view.session.value;
  if (!session) return [];
  const why = view.host.emptyState.value;
  const counts = session.counts.value;
  const showErrors = () => view.isolateEntry("action", "erred", false);
  return statusFacts({
    state: session.state.value,
    counts,
    held: view.held.value,
    workers: session.workers.value.length,
    threads: view.workers.threads(),
    running: runningTasks(session.workers.value),
    behind_s: session.behind_s.value,
    now: session.now.value,
    live: view.host.live,
    notices: session.notices.value.filter((notice) => notice !== told),
    pictured,
    kept: why?.status ? { text: why.status, trouble: isAlarming(why) } : null,
    moreComes: moreComes(view),
    pausedAt: view.paused.value?.held ?? null,
    outside: view.outside.value,
    backwards: view.backwards.value,
    search: searchFact(
      view.selection.value?.search.value ?? NO_SEARCH,
      view.host.live,
    ),
    selected: selectedOf(session, view.narrowing.value),
    ...(counts.erred > 0 ? { showErrors } : {}),
  });
}
