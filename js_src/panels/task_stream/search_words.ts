// How far a search reached and what it found, in words.

import { formatCount, formatExact } from "../../base/format";
import type { Fact } from "../../panel/status_line";
import { isPartial, type SearchState } from "../../panel/search";

/** What stands in the field: "3 of 41". */
export function searchSummary(search: SearchState): string {
  const { found, prefixes, at } = search;
  if (search.failed !== "") return "failed";
  if (search.running) return "…";
  if (!found) return "";
  if (isPartial(search)) {
    const count = prefixes.length;
    if (count > 0) return `${count} ${count === 1 ? "prefix" : "prefixes"}`;
  }
  if (found.length === 0) return "no match";
  const total = formatCount(found.length);
  return at < 0
    ? `${total} ${found.length === 1 ? "task" : "tasks"}`
    : `${formatCount(at + 1)} of ${total}`;
}

/** For the status line: how far the search reached. */
export function searchFact(search: SearchState, live: boolean): Fact | null {
  if (search.failed !== "") {
    return { text: `search failed: ${search.failed}`, level: "error" };
  }
  const { progress } = search;
  if (!progress) return null;
  const { searched, of } = progress;
  const text = `${formatExact(searched)} of ${formatExact(of)} keys searched`;
  // That it is not through yet is no trouble.
  if (search.running || search.fetching || !isPartial(search)) return { text };
  return {
    text,
    level: "warn",
    title: live
      ? "The other keys are still in the kernel. They arrive when it is idle, and the search goes on when you type again."
      : "The other keys could not be read from the file.",
  };
}
