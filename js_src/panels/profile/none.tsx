// The empty state of the Profile panel: why there is no profile, and what to do.

import type { JSX } from "preact";
import { Empty, whyNone } from "../../panel/states";
import type { ProfileState } from "./state";

/** The reason that most processes have; empty if none reports one. */
function why({ view, scope }: ProfileState): string {
  const { rows, columns } = view.table("profiled");
  const compute = scope.value === "compute";
  const counts = new Map<string, number>();
  for (let row = 0; row < rows; row++) {
    const scheduler = columns.worker[row] === "";
    if (scheduler !== (scope.value === "scheduler")) continue;
    const reason = (compute ? columns.compute : columns.administrative)[row];
    counts.set(reason, (counts.get(reason) ?? 0) + 1);
  }
  const [most] = [...counts].sort((one, other) => other[1] - one[1]);
  return most?.[0] ?? "";
}

const WORDS: Readonly<Record<string, readonly [string, string]>> = {
  off: [
    "Dask’s profiler is off",
    "To use it, set `distributed.worker.profile.enabled: true` in Dask’s configuration of the workers and restart them.",
  ],
  refused: [
    "This scheduler refuses plugins and requests for profiles",
    "If `distributed.scheduler.pickle` is false, ask its administrator to allow them.",
  ],
  "python-3.11": [
    "Dask does not sample event loops on Python 3.11",
    "Its profiler can slow down or stop this version. Other versions of Python have samples.",
  ],
  waiting: ["No samples yet", "The first samples arrive within two seconds."],
};

export function NoProfile({ state }: { state: ProfileState }): JSX.Element {
  const { view } = state;
  const reason = why(state);
  const [what, next] = WORDS[reason] ?? [
    view.host.live
      ? "No samples yet"
      : "This recording has no samples of this kind",
    whyNone(view, "profile_counts") ||
      (view.host.live
        ? state.scope.value === "compute"
          ? "Workers sample their threads while tasks run."
          : "They arrive within two seconds."
        : "Samples are recorded while a panel shows them, during a block, and once a minute."),
  ];
  return <Empty state={{ state: "waiting", title: what, text: next }} />;
}
