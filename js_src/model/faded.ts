// What is left of rows that the page let go: stretches of lanes, made of the
// summaries that the rows had. For good: nobody asks for these rows again.

import type { CoarseLane } from "./coarse";
import { PAINT_ERRED, type Segment } from "./segment";
import { halved, laneOf, type Stretch, stretchesOf } from "./stretches";

/** A stretch is made of 64 rows, or of 8 where there are long pauses between 64. */
const WIDE_LEVEL = 2;
const DENSE_SHARE = 0.5;
/** Beyond so many, neighbours become one. */
const MAX_STRETCHES = 400_000;

export class Faded {
  /** How many rows were let go. */
  rows = 0;
  private stretches = 0;
  private readonly lanes: (CoarseLane | undefined)[] = [];

  constructor(private readonly maxStretches = MAX_STRETCHES) {}

  get byteLength(): number {
    let bytes = 0;
    for (const lane of this.lanes) bytes += lane?.byteLength ?? 0;
    return bytes;
  }

  lane(lane: number): CoarseLane | undefined {
    return this.lanes[lane];
  }

  /** Keep the summaries of segments of one lane, which are about to go. */
  add(lane: number, segments: readonly Segment[]): void {
    const added: Stretch[] = [];
    for (const segment of segments) {
      this.rows += segment.rows;
      // Transfers and the like are no busy thread; a coarse picture has none of them.
      if (!segment.overlay) summarize(segment, added);
    }
    if (added.length === 0) return;
    this.stretches += added.length;
    this.lanes[lane] = laneOf([...stretchesOf(this.lanes[lane]), ...added]);
    if (this.stretches > this.maxStretches) this.halve();
  }

  private halve(): void {
    this.stretches = 0;
    this.lanes.forEach((lane, number) => {
      if (!lane) return;
      const half = laneOf(halved(stretchesOf(lane)));
      this.lanes[number] = half;
      this.stretches += half.count;
    });
  }
}

function summarize(segment: Segment, into: Stretch[]): void {
  for (let node = 0; node << (3 * WIDE_LEVEL) < segment.rows; node++) {
    const wide = stretchAt(segment, WIDE_LEVEL, node);
    if (wide.busy >= DENSE_SHARE * wide.duration) {
      into.push(wide);
      continue;
    }
    const first = node << 3;
    for (let k = first; k < first + 8 && k << 3 < segment.rows; k++) {
      into.push(stretchAt(segment, WIDE_LEVEL - 1, k));
    }
  }
}

function stretchAt(segment: Segment, level: number, node: number): Stretch {
  const first = node << (3 * level);
  const at = segment.offset[level] + node;
  const paint = segment.paint[at];
  return {
    start: segment.start[first],
    duration: segment.reach[at],
    busy: segment.busy[at],
    prefix: paint === PAINT_ERRED ? segment.prefix[first] : paint,
    erred: segment.erred[at],
    rows: Math.min(segment.rows - first, 1 << (3 * level)),
  };
}
