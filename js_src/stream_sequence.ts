// Sequence numbers of one stream: what arrived, what is missing, when to say so.
// Knows nothing of what the messages mean.

import { LIMITS } from "./schema";

/** A jump beyond this is not a loss but nonsense: it is not remembered. */
const MAX_JUMP = 100_000;
/** While something is missing acks come this often: sooner, since it is waited for. */
const GAP_ACK_MS = 250;
/** A gap that is not filled after this time is given up … */
const GIVE_UP_MS = 10_000;
/** … and so many reports: while the machine sleeps nobody is asked. */
const MIN_REPORTS = 10;

export interface SequenceHooks {
  /** Tell the kernel what arrived. */
  ack(seq: number, missing: number[]): void;
  /**
   * Numbers that the kernel never sent again, and that the last ack no longer
   * named as missing: ask for the content instead.
   */
  giveUp(): void;
}

interface Gap {
  readonly since_ms: number;
  reports: number;
}

export class Sequence {
  private highest = 0;
  private readonly missing = new Map<number, Gap>(); // by number
  private bytes = 0;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private due_ms = Infinity;

  constructor(private readonly hooks: SequenceHooks) {}

  /** Whether nothing up to the newest number is missing. */
  get whole(): boolean {
    return this.missing.size === 0;
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
    this.due_ms = Infinity;
  }

  private reach(seq: number, lastMissing: number): void {
    const since_ms = performance.now();
    if (lastMissing - this.highest <= MAX_JUMP) {
      for (let lost = this.highest + 1; lost <= lastMissing; lost++) {
        this.missing.set(lost, { since_ms, reports: 0 });
      }
    }
    this.highest = seq;
  }

  private schedule(): void {
    const delay_ms = this.missing.size > 0 ? GAP_ACK_MS : LIMITS.ack_ms;
    const due_ms = performance.now() + delay_ms;
    if (this.due_ms <= due_ms) return;
    this.stop();
    this.due_ms = due_ms;
    this.timer = setTimeout(() => this.flush(), delay_ms);
  }

  private flush(): void {
    this.stop();
    this.bytes = 0;
    const now_ms = performance.now();
    let hopeless = false;
    for (const gap of this.missing.values()) {
      const waited_ms = now_ms - gap.since_ms;
      hopeless ||= gap.reports >= MIN_REPORTS && waited_ms >= GIVE_UP_MS;
      gap.reports += 1;
    }
    if (hopeless) this.missing.clear();
    this.hooks.ack(this.highest, [...this.missing.keys()]);
    if (hopeless) this.hooks.giveUp();
    if (this.missing.size > 0) this.schedule();
  }
}
