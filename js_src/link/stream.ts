// Receives the stream of one session: subscribes to tables, orders rows, and reports lost
// messages. Knows nothing of channels, nor of what the data mean (a sink takes them).

import { asProblem, notReceived, type Problem } from "../errors";
import type { Focus } from "../model/types";
import { LIMITS } from "../schema";
import type { KernelLink } from "./channel";
import type { SessionFlow, SessionMessage, Sink } from "./types";
import { type BinaryBuffer, type Message, pageMessage } from "./wire";
import { alignedBytes, decodeCoarse, decodeRows, decodeTasks } from "./columns";

/** The kernel sends the status of a visible session at least every few seconds. */
const SILENT_MS = 10_000;
/** An answer to a greeting takes less time, even if a cell holds the GIL. */
const LOST_MS = 30_000;
const BEAT_MS = 5_000;
/** Without rows the page sends no acks; this greeting keeps the kernel from dropping it. */
const GREET_MS = 600_000;
/** Most restarts in a row: if a proxy limits messages, each one may fail … */
const MAX_START_OVERS = 3;
/** … and count anew after this much time without one. */
const QUIET_MS = 300_000;

function bytesOf(buffers: readonly BinaryBuffer[]): number {
  return buffers.reduce((bytes, buffer) => bytes + buffer.byteLength, 0);
}

/** The messages of one session to this page. */
export class SessionStream implements SessionFlow {
  private watching = false;
  private visible = false;
  private tables: readonly string[] = [];
  /** An `unwatch` could not be sent. */
  private owesUnwatch = false;
  /** The next `watch` must ask the kernel to send everything again. */
  private owesRestart = false;
  /** How often this page has set the focus; the kernel returns the last number it received. */
  private setting = 0;
  /** The latest focus, if it could not be sent yet. */
  private owesFocus: Focus | null = null;
  /** Messages with rows that wait for missing earlier messages. */
  private readonly rows: Message<"rows">[] = [];
  private startOvers = 0;
  private startedOver_ms = -Infinity;
  private readonly sequence: Sequence;
  private received_ms = 0;
  private pulse: ReturnType<typeof setInterval> | undefined;

  constructor(
    private readonly link: KernelLink,
    readonly sessionId: string,
    private readonly sink: Sink,
    private readonly onClose: () => void,
  ) {
    this.sequence = new Sequence(
      (seq, missing) =>
        void link.send(
          pageMessage("ack", link.pageId, { session: sessionId, seq, missing }),
        ),
      () => this.startOver(),
    );
  }

  watch(visible: boolean, tables: readonly string[]): void {
    const same =
      visible === this.visible && tables.join() === this.tables.join();
    if (this.watching && same) return;
    if (!this.watching) this.restart();
    this.watching = true;
    this.visible = visible;
    this.tables = tables;
    this.sendWatch();
    this.updatePulse();
  }

  pause(): void {
    if (this.watching) this.watch(false, this.tables);
  }

  unwatch(): void {
    if (!this.watching) return;
    this.watching = false;
    this.sequence.stop();
    this.updatePulse();
    this.owesUnwatch = !this.sendUnwatch();
  }

  startOver(): void {
    if (!this.watching) return;
    const now_ms = Date.now();
    if (now_ms - this.startedOver_ms > QUIET_MS) this.startOvers = 0;
    this.startedOver_ms = now_ms;
    if (this.startOvers === MAX_START_OVERS) {
      this.sink.failed(notReceived(MAX_START_OVERS));
      return this.deliverRows();
    }
    this.startOvers += 1;
    this.rows.length = 0;
    this.owesRestart = true;
    this.sendWatch();
  }

  setFocus(focus: Focus): void {
    this.setting += 1;
    this.owesFocus = focus;
    this.sendFocus();
  }

  ask(what: string, args: object, timeout_ms?: number): Promise<unknown> {
    return this.link.ask(this.sessionId, what, args, timeout_ms);
  }

  receive(message: SessionMessage): void {
    this.received_ms = Date.now();
    if ("seq" in message) {
      if (!this.watching) return;
      if (!this.sequence.accept(message.seq, bytesOf(message.buffers))) return;
    } else if (message.type === "status" && this.watching) {
      this.sequence.expect(message.last_seq ?? 0);
    } else if (message.type === "focus" && message.setting !== this.setting) {
      return; // sent before the kernel received the latest focus of this page
    }
    if (message.type !== "rows") this.attempt(() => this.deliver(message));
    else {
      this.rows.push(message);
      this.rows.sort((one, other) => one.seq - other.seq);
    }
    this.deliverRows();
  }

  /** Handle an unreadable message. It counts as received, because a resend would not help. */
  refuse(
    problem: Problem,
    seq: number | null,
    buffers: readonly BinaryBuffer[],
  ): void {
    this.received_ms = Date.now();
    if (seq !== null && this.watching) {
      this.sequence.accept(seq, bytesOf(buffers));
    }
    this.sink.failed(problem);
    this.deliverRows();
  }

  /** Continue on a new channel; `resumed`: the kernel still knows what it has sent. */
  resume(resumed: boolean): void {
    if (this.owesUnwatch && resumed) this.sendUnwatch();
    if (this.owesUnwatch || !resumed) this.restart();
    this.owesUnwatch = false;
    this.sink.connected(true);
    if (this.watching) this.sendWatch();
    if (this.pulse === undefined) this.updatePulse();
  }

  disconnected(): void {
    this.sequence.stop();
    clearInterval(this.pulse);
    this.pulse = undefined;
    this.sink.connected(false);
  }

  close(): void {
    this.unwatch();
    this.onClose();
  }

  private attempt(deliver: () => void, table?: string): void {
    try {
      deliver();
    } catch (error) {
      this.sink.failed(asProblem(error), table);
      throw error;
    }
  }

  /** Deliver rows in the order in which they were sent: they point at names sent before. */
  private deliverRows(): void {
    const message = this.sequence.whole ? this.rows.shift() : undefined;
    if (!message) return;
    try {
      const deliver = () => this.sink.takeTable(decodeRows(message));
      this.attempt(deliver, message.table);
    } finally {
      this.deliverRows();
    }
  }

  private deliver(message: Exclude<SessionMessage, Message<"rows">>): void {
    const { sink } = this;
    if (message.type === "batch") {
      const { first, tasks, rows, buffers } = message;
      if (message.kind === "coarse") {
        sink.takeCoarse(decodeCoarse(buffers[0], rows), first, tasks);
      } else {
        sink.takeRows(decodeTasks(buffers[0], message), first, tasks);
      }
    } else if (message.type === "keys") {
      message.blocks.forEach(({ first, tasks }, i) => {
        const packed = alignedBytes(message.buffers[i]);
        const bytes = packed as Uint8Array<ArrayBuffer>;
        sink.takeKeys(first, tasks, bytes, "deflate");
      });
    } else {
      sink.take(message);
    }
  }

  /** While the page is visible, greet the kernel if it is silent. */
  private updatePulse(): void {
    clearInterval(this.pulse);
    this.pulse = undefined;
    if (!this.watching || !this.visible) return;
    this.received_ms = Date.now();
    let greeted_ms = this.received_ms;
    this.pulse = setInterval(() => {
      const now_ms = Date.now();
      const silence_ms = now_ms - this.received_ms;
      if (silence_ms >= SILENT_MS || now_ms - greeted_ms >= GREET_MS) {
        greeted_ms = now_ms;
        this.link.greet();
      }
      if (silence_ms >= LOST_MS) this.sink.connected(false);
    }, BEAT_MS);
  }

  /** Start a new count, because the kernel no longer knows what it has sent. */
  private restart(): void {
    this.owesRestart = false;
    this.sequence.reset();
    this.rows.length = 0;
  }

  private sendUnwatch(): boolean {
    const { link, sessionId: session } = this;
    return link.send(pageMessage("unwatch", link.pageId, { session }));
  }

  private sendFocus(): void {
    const { link, sessionId: session, owesFocus: focus, setting } = this;
    if (!focus) return;
    const message = pageMessage("focus", link.pageId, {
      session,
      focus,
      setting,
    });
    if (link.send(message)) this.owesFocus = null;
  }

  private sendWatch(): void {
    this.sendFocus(); // first, because the answer to a watch has the current focus
    const { link, sessionId: session, visible, tables, setting } = this;
    const have = this.sink.have();
    const how = { visible, tables, have, restart: this.owesRestart, setting };
    const sent = link.send(
      pageMessage("watch", link.pageId, { session, ...how }),
    );
    if (sent) this.owesRestart = false;
  }
}

/** A larger jump of the numbers cannot be a loss, so it is not tracked. */
const MAX_JUMP = 100_000;
/** Pause between acks while messages are missing; short, so that they are resent soon. */
const GAP_ACK_MS = 250;
/** A gap is given up after this time … */
const GIVE_UP_MS = 10_000;
/** … and this many reports, because time also passes while the machine sleeps. */
const MIN_REPORTS = 10;

interface Gap {
  readonly since_ms: number;
  reports: number;
}

/** Sequence numbers: which arrived, which are missing, and when to acknowledge. */
class Sequence {
  private highest = 0;
  private readonly missing = new Map<number, Gap>(); // by number
  private bytes = 0;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private due_ms = Infinity;

  constructor(
    /** Report to the kernel what arrived. */
    private readonly ack: (seq: number, missing: number[]) => void,
    /**
     * Called if the kernel did not resend missing numbers. The last ack no longer lists
     * them; request their content again instead.
     */
    private readonly giveUp: () => void,
  ) {}

  /** Whether all messages up to the newest number have arrived. */
  get whole(): boolean {
    return this.missing.size === 0;
  }

  /** Record a message; returns false for a duplicate. */
  accept(seq: number, bytes: number): boolean {
    const isNew = seq > this.highest || this.missing.delete(seq);
    if (seq > this.highest) this.reach(seq, seq - 1);
    // Acknowledge duplicates too: the kernel may have missed the first ack.
    this.bytes += bytes;
    if (this.bytes >= LIMITS.ack_bytes) this.flush();
    else this.schedule();
    return isNew;
  }

  /** Record that the kernel has sent everything up to `seq`. */
  expect(seq: number): void {
    if (seq <= this.highest) return;
    this.reach(seq, seq);
    this.schedule();
  }

  /** Start a new count. */
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
    this.ack(this.highest, [...this.missing.keys()]);
    if (hopeless) this.giveUp();
    if (this.missing.size > 0) this.schedule();
  }
}
