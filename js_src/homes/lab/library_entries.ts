// Checks the reports that a kernel lists from the library, and makes their texts for the
// sidebar.

import {
  bool,
  count,
  list,
  nullable,
  num,
  oneOf,
  or,
  record,
  str,
} from "../../base/check";
import {
  formatBytes,
  formatClock,
  formatDate,
  formatDuration,
  formatExact,
  plural,
} from "../../base/format";

const entry = record({
  filename: str,
  url: str,
  /** Path below the server's root; null if the server does not show the file. */
  path: nullable(str),
  kind: or(oneOf(["report", "recording"]), "report" as const),
  private: or(bool, false),
  created: str,
  title: or(str, ""),
  /** The notebook and cell that created it. */
  source: or(str, ""),
  duration: or(num, null),
  tasks: or(count, null),
  erred: or(count, null),
  user: or(str, ""),
  host: or(str, ""),
  tags: or(list(str), []),
  size: or(count, 0),
});

export type LibraryEntry = ReturnType<typeof entry>;

export const libraryList = record({
  reports: list(entry),
  total: count,
});

export type LibraryList = ReturnType<typeof libraryList>;

export const titleOf = ({ title, source, filename }: LibraryEntry): string =>
  title || source || filename;

/** `private · 2026-11-18 14:02 · 12.5 s · 700 tasks · 3 errors`, without unknown parts. */
export function factsOf(report: LibraryEntry): string {
  const { duration, tasks, erred } = report;
  const when = whenOf(report);
  return [
    ...(report.kind === "recording" ? ["recording"] : []),
    ...(report.private ? ["private"] : []),
    ...(when ? [when] : []),
    ...(duration === null ? [] : [formatDuration(duration)]),
    ...(tasks === null ? [] : [plural(tasks, "task")]),
    ...(erred ? [plural(erred, "error")] : []),
  ].join(" · ");
}

/** Its names, URL and size, one per line. */
export function tooltipOf(report: LibraryEntry): string {
  const { source, filename, url, size } = report;
  const lines = [titleOf(report), source, filename, url].filter(Boolean);
  return [...new Set(lines), ...(size > 0 ? [formatBytes(size)] : [])].join(
    "\n",
  );
}

/** Date and time of creation in the reader's time zone, to the minute. */
function whenOf({ created }: LibraryEntry): string {
  const epoch_s = Date.parse(created) / 1000;
  if (!Number.isFinite(epoch_s)) return "";
  return `${formatDate(epoch_s)} ${formatClock(epoch_s, 0).slice(0, 5)}`;
}

/** The reports that contain every word of `text`. */
export function matching(
  reports: readonly LibraryEntry[],
  text: string,
): readonly LibraryEntry[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return reports;
  return reports.filter((report) => {
    const { title, source, filename, user, host, tags } = report;
    const all = [title, source, filename, user, host, whenOf(report), ...tags]
      .join("\n")
      .toLowerCase();
    return words.every((word) => all.includes(word));
  });
}

/** How many reports there are; empty if all are shown. */
export function countsOf(
  { reports, total }: LibraryList,
  found: number,
  shown: number,
  text: string,
): string {
  const searches = text.trim() !== "";
  if (!searches && shown === total) return "";
  const all = plural(total, "report or recording", "reports and recordings");
  const words = [
    searches ? `${formatExact(found)} found` : "",
    shown < found ? `the newest ${formatExact(shown)} shown` : "",
    `${formatExact(reports.length)} of ${all} listed`,
  ];
  return words.filter(Boolean).join(", ");
}
