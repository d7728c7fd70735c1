// Every start and stop of one task: as a bar, and as a list.

import type { JSX } from "preact";
import { formatDuration } from "../../base/format";
import type { Interval, TaskDetail } from "../../model/types";
import type { SeenSession } from "../../panel/seen_session";

export type Part = TaskDetail["startstops"][number];

/** As far as this page knows them. */
export function partsOfPage(session: SeenSession, row: Interval): Part[] {
  const rows = session.store.model.ofTask(row.lane, row.task);
  const all = rows.length > 0 ? rows : [row];
  return all
    .map((part) => ({
      action: session.store.actions[part.action] ?? "other",
      start: part.start,
      stop: part.start + part.duration,
    }))
    .sort((one, other) => one.start - other.start);
}

/** From the first start to the last stop, clocks that disagree included. */
export function ends(parts: readonly Part[]): [number, number] {
  let [start, stop] = [Infinity, -Infinity];
  for (const part of parts) {
    start = Math.min(start, part.start, part.stop);
    stop = Math.max(stop, part.start, part.stop);
  }
  return [start, stop];
}

export function StartStops(props: {
  parts: readonly Part[];
  erred: boolean;
  colourOf: (action: string) => string;
}): JSX.Element {
  const { parts, colourOf, erred } = props;
  const [start, stop] = ends(parts);
  const whole = Math.max(stop - start, 1e-9);
  return (
    <section>
      <h4>{`Start to stop, ${formatDuration(stop - start)}`}</h4>
      <div class="ds-startstops" aria-hidden="true">
        {parts.map((part) => (
          <span
            style={{
              left: `${((Math.min(part.start, part.stop) - start) / whole) * 100}%`,
              width: `max(1px, ${(Math.abs(part.stop - part.start) / whole) * 100}%)`,
              background: colourOf(part.action),
            }}
          />
        ))}
      </div>
      <ul class="ds-parts">
        {parts.map((part) => (
          <li>
            <span
              class="ds-swatch"
              style={{ background: colourOf(part.action) }}
            />
            <span>{part.action}</span>
            {erred && part.action === "compute" && (
              <span class="ds-quiet">ended in an error</span>
            )}
            {part.stop < part.start && (
              <span class="ds-warn">clocks disagree</span>
            )}
            <span class="ds-value">
              {formatDuration(part.stop - part.start)}
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}
