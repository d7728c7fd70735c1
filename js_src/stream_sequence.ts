// Sequence numbers of one stream: what arrived, what is missing, when to say so.
// Knows nothing of what the messages mean.

import { LIMITS } from "./schema";

/** A jump beyond this is not a loss but nonsense: it is not remembered. */
const MAX_JUMP = 100_000;
/** While something is missing acks come this often: sooner, since it is waited for. */
const GAP_ACK_MS = 250;
/** A gap that is not filled after so many reports (ten seconds) is given up. */
const MAX_REPORTS = 40;

export interface SequenceHooks {
  /** Tell the kernel what arrived. */
  ack(seq: number, missing: number[]): void;
  /**
   * Numbers that the kernel never sent again, and that the last ack no longer
   * named as missing: ask for the content instead.
   */
  giveUp(): void;
}

export class Sequence {
  private highest = 0;
  private readonly missing = new Map<number, number>(); // number → reports
  private bytes = 0;
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor(private readonly hooks: SequenceHooks) {}

  get missingCount(): number {
    return this.missing.size;
  }

  /** Take note of a message; false when it has already been here. */
  accept(seq: number, bytes: number): boolean {
    const isNew = seq > this.highest || this.missing.delete(seq);
    if (seq > this.highest) this.reach(seq, seq - 1);
    // Duplicates are acknowledged, too: the kernel counts their bytes.
    this.bytes += bytes;
    if (this.bytes >= LIMITS.ack_bytes) this.flush();
    else this.schedule();
    return isNew;
  }

  /** The kernel says that it has sent everything up to `seq`. */
  expect(seq: number): void {
    if (seq <= this.highest) return;
    this.reach(seq, seq);
    this.schedule();
  }

  /** Begin a new count. */
  reset(): void {
    this.stop();
    this.highest = 0;
    this.bytes = 0;
    this.missing.clear();
  }

  stop(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
  }

  private reach(seq: number, lastMissing: number): void {
    if (lastMissing - this.highest <= MAX_JUMP) {
      for (let lost = this.highest + 1; lost <= lastMissing; lost++) {
        this.missing.set(lost, 0);
      }
    }
    this.highest = seq;
  }

  private schedule(): void {
    if (this.timer !== undefined) return;
    const delay_ms = this.missing.size > 0 ? GAP_ACK_MS : LIMITS.ack_ms;
    this.timer = setTimeout(() => this.flush(), delay_ms);
  }

  private flush(): void {
    this.stop();
    this.bytes = 0;
    let hopeless = false;
    for (const [seq, reports] of this.missing) {
      this.missing.set(seq, reports + 1);
      hopeless ||= reports >= MAX_REPORTS;
    }
    if (hopeless) this.missing.clear();
    this.hooks.ack(this.highest, [...this.missing.keys()]);
    if (hopeless) this.hooks.giveUp();
    if (this.missing.size > 0) this.schedule();
  }
}
