// A stable order of rows sorted by weight, so that rows do not move while users read.

import { useRef } from "preact/hooks";
import type { PanelView } from "./panel_view";

const SORTED_EACH_MS = 10_000;

/**
 * Sorts at most every 10 s during a run, and never while the pointer is over the list,
 * which must spread `handlers`. A new `key` sorts at once.
 */
export function useOrder(
  view: PanelView,
  sorted: readonly string[],
  key: string = "",
) {
  const kept = useRef({
    key,
    ids: sorted,
    at_ms: -Infinity,
    over: false,
  }).current;
  const now_ms = performance.now();
  const due = !view.growing.value || now_ms - kept.at_ms >= SORTED_EACH_MS;
  if ((due && !kept.over) || kept.key !== key) {
    Object.assign(kept, { key, ids: sorted, at_ms: now_ms });
  } else {
    const there = new Set(sorted);
    const before = new Set(kept.ids.filter((id) => there.has(id)));
    kept.ids = [...before, ...sorted.filter((id) => !before.has(id))];
  }
  const handlers = {
    onPointerEnter: () => void (kept.over = true),
    onPointerLeave: () => void (kept.over = false),
  };
  return { ids: kept.ids, handlers };
}
