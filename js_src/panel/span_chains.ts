// The spans that contain a span.

import type { Span } from "../model/types";
import { rowsOf, type TableView } from "../session/tables";

/** Of a span around all others, which Dask makes by itself. */
export const isDefault = (span: Span | undefined): boolean =>
  span?.name.length === 1 && span.name[0] === "default";

export const DEEPEST = 200;

/** Of a span those around it, the outermost first, and itself. */
export function chainsOf(
  spans: readonly Span[],
  spanTimes: TableView<"span_times">,
): (span: number) => readonly number[] {
  const around = new Map(
    rowsOf(spanTimes, "time").map(({ span, parent }) => [span, parent]),
  );
  // Where Dask did not say, names do: of several with that name the one before.
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
