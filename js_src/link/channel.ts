// Connects the page with one kernel: chooses the channel that carries the data, and
// matches answers to questions. Knows nothing of comms (homes supply ports), nor of what
// the data mean (a sink, the session store, takes them).

import { signal, type Signal } from "@preact/signals";
import {
  asProblem,
  DaskscopeError,
  kernelBusy,
  noAnswer,
  notConnected,
  type Problem,
  versionMismatch,
} from "../errors";
import { PROTOCOL } from "../schema";
import type { SessionLink, Sink } from "./types";
import { SessionStream } from "./stream";
import { BUILD, VERSION } from "../version";
import {
  addressOf,
  type BinaryBuffer,
  type KernelMessage,
  type Message,
  type PageMessage,
  parseMessage,
  pageMessage,
  type SessionEntry,
} from "./wire";

/** A comm, as a home supplies it. */
export interface Port {
  /** A widget's comm reaches every browser tab, the labextension's comm only this one. */
  readonly kind: "comm" | "widget";
  /** Whether a running cell does not delay its messages; undefined if only the host knows. */
  readonly subshell?: boolean;
  /** Whether this widget stays when its output is updated with a saved picture. */
  readonly acceptsPictures?: boolean;
  send(message: PageMessage): void;
}

export type ChannelState =
  | { readonly kind: "greeting" }
  | { readonly kind: "open"; readonly link: KernelLink }
  | { readonly kind: "failed"; readonly problem: Problem }
  | { readonly kind: "closed" };

/** A widget's loader handles `code` messages before it creates a channel. */
type StreamMessage = Exclude<KernelMessage, Message<"code">>;

const ASK_TIMEOUT_MS = 5_000;
/**
 * Until the kernel has created the comm's subshell, messages wait for the end of the cell.
 * So the page repeats its greeting, after longer and longer pauses, until it is answered.
 */
const GREET_AGAIN_MS = 500;
const GREETINGS = 7;

/** One connection to a kernel. Closing it does not discard data that the page already has. */
export class Channel {
  readonly state: Signal<ChannelState> = signal<ChannelState>({
    kind: "greeting",
  });

  private greetings = 0;
  private greetTimer: ReturnType<typeof setTimeout> | undefined;

  constructor(
    private readonly pageId: string,
    readonly port: Port,
    private readonly linkFor: (kernel: string) => KernelLink,
    private readonly warn: (text: string) => void,
  ) {}

  /** Greet the kernel, at first and after every reconnection. */
  hello(): void {
    clearTimeout(this.greetTimer);
    const { kind } = this.state.peek();
    if (kind === "closed") return;
    const versions = { protocol: PROTOCOL, version: VERSION, build: BUILD };
    const pictures = this.port.acceptsPictures ? { pictures: true } : {};
    this.port.send(
      pageMessage("hello", this.pageId, { ...versions, ...pictures }),
    );
    if (kind !== "greeting" || ++this.greetings >= GREETINGS) return;
    const pause_ms = GREET_AGAIN_MS * 2 ** (this.greetings - 1);
    this.greetTimer = setTimeout(() => this.hello(), pause_ms);
  }

  /** Handle a message that the port received. */
  receive(data: unknown, buffers: readonly BinaryBuffer[] = []): void {
    if (this.state.peek().kind === "closed") return;
    try {
      const message = this.read(data, buffers);
      if (message.type === "unknown") {
        this.warn(`Daskscope ignores messages of type "${message.name}".`);
        return;
      }
      if (message.type === "code") return;
      if ("page" in message && (message.page ?? this.pageId) !== this.pageId) {
        return; // for another tab that shows the same widget
      }
      this.dispatch(message);
    } catch (error) {
      // One bad message must not stop later ones.
      this.warn(asProblem(error).text);
    }
  }

  close(): void {
    clearTimeout(this.greetTimer);
    const state = this.state.peek();
    if (state.kind === "closed") return;
    this.state.value = { kind: "closed" };
    if (state.kind === "open") state.link.remove(this);
  }

  private read(
    data: unknown,
    buffers: readonly BinaryBuffer[],
  ): ReturnType<typeof parseMessage> {
    try {
      return parseMessage(data, buffers);
    } catch (error) {
      const address = addressOf(data);
      const state = this.state.peek();
      if ((address?.page ?? this.pageId) === this.pageId) {
        const problem = asProblem(error);
        if (state.kind === "greeting") this.fail(problem);
        if (state.kind === "open") state.link.refuse(problem, address, buffers);
      }
      throw error;
    }
  }

  private dispatch(message: StreamMessage): void {
    const state = this.state.peek();
    if (message.type === "welcome") {
      this.welcome(message);
    } else if (state.kind === "open") {
      state.link.receive(message);
    } else if (message.type === "error" && message.session === null) {
      this.fail(message);
    }
  }

  private welcome(message: Message<"welcome">): void {
    clearTimeout(this.greetTimer);
    if (message.protocol !== PROTOCOL) {
      const here = { version: VERSION, protocol: PROTOCOL };
      this.fail(versionMismatch(here, message));
      return;
    }
    const link = this.linkFor(message.kernel);
    const state = this.state.peek();
    if (state.kind === "open" && state.link !== link) state.link.remove(this);
    // Set up the link before announcing it, because subscribers use it at once.
    link.welcome(this, message);
    if (state.kind !== "open" || state.link !== link) {
      this.state.value = { kind: "open", link };
    }
  }

  private fail({ code, text, next }: Problem): void {
    clearTimeout(this.greetTimer);
    this.state.value = { kind: "failed", problem: { code, text, next } };
  }
}

interface Question {
  resolve(result: unknown): void;
  reject(error: DaskscopeError): void;
  timer: ReturnType<typeof setTimeout>;
}

/** One kernel process and the channels to it, one of which carries the data. */
export class KernelLink implements SessionLink {
  readonly live = true;
  readonly sessions: Signal<SessionEntry[]> = signal<SessionEntry[]>([]);
  /** Whether the kernel records new clients automatically. */
  readonly recorder: Signal<boolean> = signal(true);
  /** Whether the kernel supports subshells, which answer while a cell runs. */
  private subshells = false;
  private readonly channels: Channel[] = [];
  private readonly streams = new Map<string, SessionStream>();
  private readonly questions = new Map<string, Question>();
  private lastQuestion = 0;

  constructor(
    readonly pageId: string,
    readonly kernelId: string,
  ) {}

  stream(sessionId: string, sink: Sink): SessionStream {
    this.streams.get(sessionId)?.unwatch();
    const stream = new SessionStream(this, sessionId, sink, () => {
      if (this.streams.get(sessionId) === stream) {
        this.streams.delete(sessionId);
      }
    });
    this.streams.set(sessionId, stream);
    return stream;
  }

  /** Send on the channel that carries the data; returns false if there is none. */
  send(message: PageMessage): boolean {
    const channel = this.channels[0];
    if (!channel) return false;
    channel.port.send(message);
    return true;
  }

  greet(): void {
    this.channels[0]?.hello();
  }

  /** Ask the kernel about one of its sessions, or about none if `sessionId` is null. */
  ask(
    sessionId: string | null,
    what: string,
    args: object,
    timeout_ms = ASK_TIMEOUT_MS,
  ): Promise<unknown> {
    const id = `${this.pageId}-${++this.lastQuestion}`;
    const subshell = this.channels[0]?.port.subshell;
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.questions.delete(id);
        const inSubshell = this.subshells ? subshell : false;
        reject(
          inSubshell === false
            ? kernelBusy()
            : noAnswer(timeout_ms, inSubshell !== true),
        );
      }, timeout_ms);
      this.questions.set(id, { resolve, reject, timer });
      const question = { session: sessionId, id, what, args };
      if (!this.send(pageMessage("ask", this.pageId, question))) {
        this.settle(id)?.reject(notConnected());
      }
    });
  }

  welcome(channel: Channel, message: Message<"welcome">): void {
    this.remove(channel, false);
    // The kernel sends data to the channel that greeted last.
    this.channels.unshift(channel);
    this.subshells = message.subshells;
    this.sessions.value = message.sessions;
    this.recorder.value = message.recorder;
    for (const stream of this.streams.values()) {
      stream.resume(message.resumed);
    }
    this.preferOwnChannel();
  }

  remove(channel: Channel, closed = true): void {
    const index = this.channels.indexOf(channel);
    if (index < 0) return;
    this.channels.splice(index, 1);
    if (!closed) return;
    const next = this.channels[0];
    if (next) {
      if (index === 0) next.hello();
      return;
    }
    for (const id of [...this.questions.keys()]) {
      this.settle(id)?.reject(notConnected());
    }
    for (const stream of this.streams.values()) stream.disconnected();
  }

  receive(message: Exclude<StreamMessage, Message<"welcome">>): void {
    switch (message.type) {
      case "sessions":
        this.sessions.value = message.sessions;
        this.recorder.value = message.recorder;
        return;
      case "answer":
        this.answer(message);
        return;
      case "error":
        for (const [id, stream] of this.streams) {
          if (message.session === null || message.session === id) {
            stream.receive(message);
          }
        }
        return;
      default:
        this.streams.get(message.session)?.receive(message);
    }
  }

  /** Report an unreadable message to its session, or to all sessions if it names none. */
  refuse(
    problem: Problem,
    address: ReturnType<typeof addressOf>,
    buffers: readonly BinaryBuffer[],
  ): void {
    for (const [id, stream] of this.streams) {
      if ((address?.session ?? id) !== id) continue;
      stream.refuse(problem, address?.seq ?? null, buffers);
    }
  }

  /** Whether it still has channels or streams. */
  get inUse(): boolean {
    return this.channels.length > 0 || this.streams.size > 0;
  }

  /** Close all channels, because the kernel has shut down. */
  end(): void {
    // The channel in use comes last; otherwise the next one would be greeted.
    for (const channel of [...this.channels].reverse()) channel.close();
  }

  /** Say good-bye and close: the kernel would treat any later message as a new page's. */
  sendBye(): void {
    // On each channel, because the kernel closes only the comm that received the `bye`.
    for (const { port } of this.channels)
      port.send(pageMessage("bye", this.pageId, {}));
    this.end();
  }

  /** Prefer another channel to a widget's comm, which sends the data to every tab. */
  private preferOwnChannel(): void {
    if (this.channels[0]?.port.kind !== "widget") return;
    this.channels.find(({ port }) => port.kind === "comm")?.hello();
  }

  private answer({ id, result, error }: Message<"answer">): void {
    const question = this.settle(id);
    if (!question) return; // timed out, or asked by another tab
    if (error) question.reject(new DaskscopeError(error));
    else question.resolve(result);
  }

  private settle(id: string): Question | undefined {
    const question = this.questions.get(id);
    if (question) clearTimeout(question.timer);
    this.questions.delete(id);
    return question;
  }
}
