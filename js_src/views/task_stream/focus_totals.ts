// The kernel's figures as far as they are in focus. It leaves prefixes to the
// page: the legend shows those that are not isolated, too.

import type { PrefixTotal } from "../../model/types";
import type { SessionMirror } from "../panel/session_mirror";

export function prefixesInFocus(session: SessionMirror): PrefixTotal[] {
  const { prefixes } = session.focus.value;
  const rows = session.totals.value.prefixes;
  if (prefixes.length === 0) return [...rows];
  const wanted = new Set(prefixes);
  return rows.filter((row) =>
    wanted.has(session.store.prefixes[row.prefix] ?? ""),
  );
}
