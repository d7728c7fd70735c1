// What time was touched by the last changes, so that a picture need not be drawn anew
// from end to end when a second of it has changed.

import type { Extent } from "./extent";

/** Versions remembered; who is further behind draws everything. */
const REMEMBERED = 64;

export class Changes {
  version = 0;
  private readonly starts = new Float64Array(REMEMBERED);
  private readonly stops = new Float64Array(REMEMBERED);
  private start = Infinity;
  private stop = -Infinity;

  /** Something between `start` and `stop` changes with the next step. */
  note(start: number, stop: number): void {
    if (start < this.start) this.start = start;
    if (stop > this.stop) this.stop = stop;
  }

  step(): void {
    const at = this.version % REMEMBERED;
    this.starts[at] = this.start;
    this.stops[at] = this.stop;
    this.start = Infinity;
    this.stop = -Infinity;
    this.version++;
  }

  /** The time touched since a version; null when nothing was. */
  since(version: number): Extent | null {
    if (this.version - version > REMEMBERED) {
      return { start: -Infinity, stop: Infinity };
    }
    let start = Infinity;
    let stop = -Infinity;
    for (let v = version; v < this.version; v++) {
      start = Math.min(start, this.starts[v % REMEMBERED]);
      stop = Math.max(stop, this.stops[v % REMEMBERED]);
    }
    return start <= stop ? { start, stop } : null;
  }
}
