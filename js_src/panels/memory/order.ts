// The order of rows that are sorted by weight: it must not change under who reads.

import { useRef } from "preact/hooks";
import type { PanelView } from "../../panel/panel_view";

const SORTED_EACH_MS = 10_000;

interface Order {
  readonly ids: readonly string[];
  /** Put these on the list that is in this order. */
  readonly handlers: {
    onPointerEnter(): void;
    onPointerLeave(): void;
  };
}

/** While the run goes on it is sorted at most each 10 s, and never under the pointer. */
export function useOrder(view: PanelView, sorted: readonly string[]): Order {
  const kept = useRef({ ids: sorted, at_ms: -Infinity, over: false }).current;
  const now_ms = performance.now();
  const due = now_ms - kept.at_ms >= SORTED_EACH_MS;
  if (!kept.over && (due || !view.growing.value)) {
    Object.assign(kept, { ids: sorted, at_ms: now_ms });
  } else {
    const there = new Set(sorted);
    const before = kept.ids.filter((id) => there.has(id));
    const had = new Set(before);
    kept.ids = [...before, ...sorted.filter((id) => !had.has(id))];
  }
  return {
    ids: kept.ids,
    handlers: {
      onPointerEnter: () => (kept.over = true),
      onPointerLeave: () => (kept.over = false),
    },
  };
}
