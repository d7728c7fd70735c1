// One page's conversation with one kernel: which channel carries the data, what
// is watched, what was asked. Knows nothing of comms (homes supply ports), nor
// of what the data mean (a sink, the session store, takes them).

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
  say,
  type SessionEntry,
} from "./wire";

/** A comm, as a home supplies it. */
export interface Port {
  /** A widget's comm reaches every tab; the labextension's only this one. */
  readonly kind: "comm" | "widget";
  /** Whether it has a subshell, which no cell holds up; missing where only the host knows. */
  readonly subshell?: boolean;
  /** Of a widget: it stays when its output is updated with a picture. */
  readonly pictures?: boolean;
  send(message: PageMessage): void;
}

export type ChannelState =
  | { readonly kind: "greeting" }
  | { readonly kind: "open"; readonly link: KernelLink }
  | { readonly kind: "failed"; readonly problem: Problem }
  | { readonly kind: "closed" };

/** Code is for a widget's loader, which takes it before there is a channel. */
type StreamMessage = Exclude<KernelMessage, Message<"code">>;

const ASK_TIMEOUT_MS = 5_000;
/**
 * Before the kernel has made a comm's subshell, what is said waits for the end of the
 * cell. So it is greeted again, later each time, until it answers.
 */
const GREET_AGAIN_MS = 500;
const GREETINGS = 7;

/** One way to a kernel. Closing it never loses what the page already has. */
export class Channel {
  readonly state: Signal<ChannelState> = signal<ChannelState>({
    kind: "greeting",
  });

  private greetings = 0;
  private again: ReturnType<typeof setTimeout> | undefined;

  constructor(
    private readonly pageId: string,
    readonly port: Port,
    private readonly linkFor: (kernel: string) => KernelLink,
    private readonly warn: (text: string) => void,
  ) {}

  /** Greet the kernel: at first, and whenever the connection has come back. */
  hello(): void {
    clearTimeout(this.again);
    const { kind } = this.state.peek();
    if (kind === "closed") return;
    const versions = { protocol: PROTOCOL, version: VERSION, build: BUILD };
    const pictures = this.port.pictures ? { pictures: true } : {};
    this.port.send(say("hello", this.pageId, { ...versions, ...pictures }));
    if (kind !== "greeting" || ++this.greetings >= GREETINGS) return;
    const pause_ms = GREET_AGAIN_MS * 2 ** (this.greetings - 1);
    this.again = setTimeout(() => this.hello(), pause_ms);
  }

  /** Everything that the port receives goes in here. */
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
      // What is wrong with one message must not end the stream of the others.
      this.warn(asProblem(error).text);
    }
  }

  close(): void {
    clearTimeout(this.again);
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
    clearTimeout(this.again);
    if (message.protocol !== PROTOCOL) {
      const here = { version: VERSION, protocol: PROTOCOL };
      this.fail(versionMismatch(here, message));
      return;
    }
    const link = this.linkFor(message.kernel);
    const state = this.state.peek();
    if (state.kind === "open" && state.link !== link) state.link.remove(this);
    // The data first, then the news: the link is usable once it is announced.
    link.welcome(this, message);
    if (state.kind !== "open" || state.link !== link) {
      this.state.value = { kind: "open", link };
    }
  }

  private fail({ code, text, next }: Problem): void {
    clearTimeout(this.again);
    this.state.value = { kind: "failed", problem: { code, text, next } };
  }
}

interface Question {
  resolve(result: unknown): void;
  reject(error: DaskscopeError): void;
  timer: ReturnType<typeof setTimeout>;
}

/** One kernel process, over whichever of its channels works. */
export class KernelLink implements SessionLink {
  readonly live = true;
  readonly sessions: Signal<SessionEntry[]> = signal<SessionEntry[]>([]);
  /** Whether new clients of this kernel are recorded by themselves. */
  readonly recorder: Signal<boolean> = signal(true);
  /** Whether the kernel can answer while a cell runs, to a channel with a subshell. */
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

  /** Send on the channel that carries the data; false when there is none. */
  send(message: PageMessage): boolean {
    const channel = this.channels[0];
    if (!channel) return false;
    channel.port.send(message);
    return true;
  }

  greet(): void {
    this.channels[0]?.hello();
  }

  /** Put a question to the kernel, about one of its sessions or none. */
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
        const heard = this.subshells ? subshell : false;
        reject(
          heard === false ? kernelBusy() : noAnswer(timeout_ms, heard !== true),
        );
      }, timeout_ms);
      this.questions.set(id, { resolve, reject, timer });
      const question = { session: sessionId, id, what, args };
      if (!this.send(say("ask", this.pageId, question))) {
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

  /** A message could not be read: its session gets the problem, or all if it names none. */
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

  /** Whether a channel or a store still needs it. */
  get inUse(): boolean {
    return this.channels.length > 0 || this.streams.size > 0;
  }

  /** The kernel has gone, and with it whatever its channels still seem to be. */
  end(): void {
    // The one in use last, so that none of the others is greeted in its place.
    for (const channel of [...this.channels].reverse()) channel.close();
  }

  /** The browser leaves the page: after good-bye, a word would count as a new page's. */
  sayBye(): void {
    // On each, since a comm of ours ends with the page that opened it.
    for (const { port } of this.channels)
      port.send(say("bye", this.pageId, {}));
    this.end();
  }

  /** A widget's comm reaches every tab, so data go over it only alone. */
  private preferOwnChannel(): void {
    if (this.channels[0]?.port.kind !== "widget") return;
    this.channels.find(({ port }) => port.kind === "comm")?.hello();
  }

  private answer({ id, result, error }: Message<"answer">): void {
    const question = this.settle(id);
    if (!question) return; // too late, or the question of another tab
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
