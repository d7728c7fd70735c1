// The kernel's figures as far as they are in focus. It leaves prefixes to the
// page: the legend shows those that are not isolated, too.

import type { Focus, PrefixTotal } from "../../model/types";
import type { SeenSession } from "../../panel/seen_session";

export function prefixesInFocus(session: SeenSession): PrefixTotal[] {
  const { prefixes } = session.focus.value;
  const rows = session.totals.value.prefixes;
  if (prefixes.length === 0) return [...rows];
  const wanted = new Set(prefixes);
  return rows.filter((row) =>
    wanted.has(session.store.prefixes[row.prefix] ?? ""),
  );
}

/**
 * Whether the figures are of what is selected now. A kernel takes a moment, and
 * one without subshells hears of a selection only after its cell.
 */
export function isCounted(session: SeenSession): boolean {
  const asked = session.focus.value;
  const { focus } = session.totals.value;
  return (
    String(asked.time) === String(focus.time) &&
    (["workers", "spans"] as const).every((part) =>
      haveSame(asked[part], focus[part]),
    )
  );
}

function haveSame(some: Focus["workers"], others: Focus["workers"]): boolean {
  const [one, other] = [new Set(some), new Set(others)];
  return one.size === other.size && some.every((name) => other.has(name));
}
