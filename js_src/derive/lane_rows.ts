// The rows of some lanes in a time, for a table.

import { formatExact } from "../base/format";
import { blankInterval, readRow } from "../model/query";
import type { TaskModel } from "../model/tasks";
import type { Interval } from "../model/types";

/** Spreadsheets open about this many rows. */
const MOST_CSV_ROWS = 1_000_000;

/** Rows of some lanes that overlap a time, sorted by start. */
export function rowsOfLanes(
  model: TaskModel,
  lanes: Iterable<number>,
  [start, stop]: readonly [number, number],
  filter: TaskModel["filter"],
  most = MOST_CSV_ROWS,
): Interval[] {
  const rows: Interval[] = [];
  let of = 0;
  for (const lane of lanes) {
    if (lane < 0 || filter?.hasLane(lane) === false) continue;
    const tracks = [model.track(lane, false), model.track(lane, true)];
    for (const track of tracks) {
      for (const segment of track?.segments ?? []) {
        for (let row = 0; track && row < segment.rows; row++) {
          const from = segment.start[row];
          const to = from + Math.max(0, segment.duration[row]);
          if (from >= stop || to < start) continue;
          if (filter?.matches(segment, row) === false) continue;
          of += 1;
          if (of > most) continue;
          rows.push(readRow(track, segment, row, blankInterval()));
        }
      }
    }
  }
  if (of > most) {
    throw new Error(
      `${formatExact(of)} rows, and a CSV file can have ${formatExact(most)}. Zoom in, or use Python`,
    );
  }
  return rows.sort((one, other) => one.start - other.start);
}

/** Number of rows of some lanes that are only in the preview, of all prefixes. */
export function coarseRows(
  model: TaskModel,
  lanes: Iterable<number>,
  [start, stop]: readonly [number, number],
): number {
  let rows = 0;
  for (const lane of lanes) {
    const blocks = lane < 0 ? undefined : model.coarseLane(lane);
    if (!blocks || model.filter?.hasLane(lane) === false) continue;
    for (let i = 0; i < blocks.count; i++) {
      const from = blocks.start[i];
      const to = from + blocks.duration[i];
      const isSeen = blocks.hidden[i] === 0 && from <= stop && to >= start;
      if (isSeen) rows += blocks.rows[i];
    }
  }
  return rows;
}
