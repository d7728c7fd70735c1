// The spans that contain a span.

import type { Span } from "../model/types";
import { rowsOf, type TableView } from "../session/tables";

/** Whether this is the outermost span, which Dask creates by default. */
export const isDefault = (span: Span | undefined): boolean =>
  span?.name.length === 1 && span.name[0] === "default";

export const DEEPEST = 200;

/** For each span: the spans around it, outermost first, and itself. */
export function chainsOf(
  spans: readonly Span[],
  spanTimes: TableView<"span_times">,
): (span: number) => readonly number[] {
  const around = new Map(
    rowsOf(spanTimes, "time").map(({ span, parent }) => [span, parent]),
  );
  // If Dask did not report the parent, find it by name; the last one if several match.
  const byName = new Map<string, number>();
  spans.forEach(({ name }, at) => byName.set(JSON.stringify(name), at));
  const parentOf = (span: number): number =>
    around.get(span) ??
    byName.get(JSON.stringify(spans[span]?.name.slice(0, -1))) ??
    0;
  const known = new Map<number, readonly number[]>();
  const chainOf = (span: number, depth = 0): readonly number[] => {
    const before = known.get(span);
    if (before) return before;
    const { name = [] } = spans[span] ?? {};
    const none = span === 0 || depth > DEEPEST || name.length === 0;
    const chain = none
      ? []
      : [
          ...chainOf(parentOf(span), depth + 1),
          ...(isDefault(spans[span]) ? [] : [span]),
        ];
    known.set(span, chain);
    return chain;
  };
  return (span) => chainOf(span);
}
