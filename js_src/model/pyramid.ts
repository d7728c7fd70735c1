// Builds the summary levels of a segment, for all rows and for those that pass a filter.

import type { RowFilter } from "./filter";
import { LEVELS, PAINT_ERRED, PAINT_NONE, type Segment } from "./segment";

/** Minimum weight, so that rows without duration still affect the paint of a node. */
const LEAST_WEIGHT = 1e-9;

const paints = new Int32Array(8);
const weights = new Float64Array(8);

/** The paint with the greatest sum of weights among the first `count`. */
function dominant(count: number): number {
  const first = paints[0];
  let same = true;
  for (let i = 1; i < count; i++) same = same && paints[i] === first;
  if (same) return first;
  let best = PAINT_NONE;
  let bestWeight = -1;
  for (let i = 0; i < count; i++) {
    const paint = paints[i];
    let weight = weights[i];
    if (weight < 0) continue;
    for (let j = i + 1; j < count; j++) {
      if (paints[j] === paint) {
        weight += weights[j];
        weights[j] = -1;
      }
    }
    if (weight > bestWeight) {
      bestWeight = weight;
      best = paint;
    }
  }
  return best;
}

/** Update the summaries after rows arrived, in time proportional to the change. */
export function refresh(segment: Segment, filter: RowFilter | null): void {
  const from = segment.staleFrom;
  if (from < segment.rows) {
    refreshFirstLevel(segment, from);
    refreshUpperLevels(segment, from);
  }
  if (filter && (from < segment.rows || !isFiltered(segment, filter))) {
    refreshFiltered(segment, filter, from);
  }
  segment.staleFrom = segment.rows;
}

export function isFiltered(segment: Segment, filter: RowFilter): boolean {
  return segment.filtered?.version === filter.version;
}

function refreshFirstLevel(segment: Segment, from: number): void {
  const { start, duration, rows, busy, reach, paint, erred } = segment;
  for (let node = from >> 3; node << 3 < rows; node++) {
    const first = node << 3;
    const last = Math.min(first + 8, rows);
    const begin = start[first];
    let sum = 0;
    let end = begin;
    let anyErred = 0;
    let count = 0;
    for (let row = first; row < last; row++) {
      const seconds = duration[row] > 0 ? duration[row] : 0;
      const stop = start[row] + seconds;
      if (stop > end) end = stop;
      sum += seconds;
      const painted = segment.paintOf(row);
      if (painted === PAINT_ERRED) anyErred = 1;
      paints[count] = painted;
      weights[count++] = seconds + LEAST_WEIGHT;
    }
    busy[node] = sum;
    reach[node] = end - begin;
    erred[node] = anyErred;
    paint[node] = dominant(count);
  }
}

function refreshUpperLevels(segment: Segment, from: number): void {
  const { start, rows, busy, reach, paint, erred, offset } = segment;
  for (let level = 2; level <= LEVELS; level++) {
    const shift = 3 * level;
    const below = offset[level - 1];
    const here = offset[level];
    const children = ((rows - 1) >> (shift - 3)) + 1;
    for (let node = from >> shift; node << shift < rows; node++) {
      const first = node << 3;
      const last = Math.min(first + 8, children);
      const begin = start[node << shift];
      let sum = 0;
      let end = begin;
      let anyErred = 0;
      let count = 0;
      for (let child = first; child < last; child++) {
        const stop = start[child << (shift - 3)] + reach[below + child];
        if (stop > end) end = stop;
        sum += busy[below + child];
        anyErred |= erred[below + child];
        paints[count] = paint[below + child];
        weights[count++] = busy[below + child] + LEAST_WEIGHT;
      }
      busy[here + node] = sum;
      reach[here + node] = end - begin;
      erred[here + node] = anyErred;
      paint[here + node] = dominant(count);
    }
  }
}

/** Update the summaries of matching rows, only from the first stale row if possible. */
function refreshFiltered(
  segment: Segment,
  filter: RowFilter,
  staleFrom: number,
): void {
  let nodes = segment.filtered;
  if (!nodes) {
    nodes = {
      version: -1,
      busy: new Float32Array(segment.nodes),
      paint: new Uint16Array(segment.nodes),
    };
    segment.filtered = nodes;
  }
  const from = nodes.version === filter.version ? staleFrom : 0;
  nodes.version = filter.version;
  const { duration, rows, offset } = segment;
  const { busy, paint } = nodes;
  const { marks, words } = filter.mark(segment, from & ~7, rows);
  for (let node = from >> 3; node << 3 < rows; node++) {
    let sum = 0;
    let count = 0;
    if ((words[2 * node] | words[2 * node + 1]) !== 0) {
      const last = Math.min((node << 3) + 8, rows);
      for (let row = node << 3; row < last; row++) {
        if (marks[row] === 0) continue;
        const seconds = duration[row] > 0 ? duration[row] : 0;
        sum += seconds;
        paints[count] = segment.paintOf(row);
        weights[count++] = seconds + LEAST_WEIGHT;
      }
    }
    busy[node] = sum;
    paint[node] = count ? dominant(count) : PAINT_NONE;
  }
  for (let level = 2; level <= LEVELS; level++) {
    const shift = 3 * level;
    const below = offset[level - 1];
    const here = offset[level];
    const children = ((rows - 1) >> (shift - 3)) + 1;
    for (let node = from >> shift; node << shift < rows; node++) {
      let sum = 0;
      let count = 0;
      const last = Math.min((node << 3) + 8, children);
      for (let child = node << 3; child < last; child++) {
        if (paint[below + child] === PAINT_NONE) continue;
        sum += busy[below + child];
        paints[count] = paint[below + child];
        weights[count++] = busy[below + child] + LEAST_WEIGHT;
      }
      busy[here + node] = sum;
      paint[here + node] = count ? dominant(count) : PAINT_NONE;
    }
  }
}
