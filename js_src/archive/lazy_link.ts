// A recording that is opened when somebody first looks at its session: until then the
// session is there, with nothing in it.

import { type Signal, signal } from "@preact/signals";
import { asProblem } from "../errors";
import type { Focus } from "../model/types";
import type { SessionFlow, SessionLink, Sink } from "../stream_link";
import type { SessionEntry } from "../wire";
import { SESSION_ID } from "./messages";
import type { OpenedRecording } from "./open";
import { fileId } from "./stored_link";

type Open = () => Promise<OpenedRecording>;

export class LazyLink implements SessionLink {
  readonly kernelId = fileId();
  readonly live = false;
  readonly sessions: Signal<SessionEntry[]> = signal([]);

  /** `name` is what the person calls the recording. */
  constructor(
    private readonly open: Open,
    private readonly name: string,
  ) {}

  stream(_sessionId: string, sink: Sink): SessionFlow {
    return new LazyFlow(async () => {
      try {
        const { link } = await this.open();
        this.sessions.value = link.sessions.peek();
        return link.stream(SESSION_ID, sink);
      } catch (error) {
        const { code, text, next } = asProblem(error);
        const title = `${this.name} cannot be opened`;
        sink.failed({ code, text: title, next: `${text} ${next}`.trim() });
        throw error;
      }
    });
  }
}

/** Does with the flow of the recording what it was asked for before that was there. */
class LazyFlow implements SessionFlow {
  private opened: Promise<SessionFlow> | null = null;
  private flow: SessionFlow | null = null;
  private readonly waiting: ((flow: SessionFlow) => void)[] = [];

  constructor(private readonly open: () => Promise<SessionFlow>) {}

  watch(...how: Parameters<SessionFlow["watch"]>): void {
    this.begin().catch(() => {}); // the session says what went wrong
    this.later((flow) => flow.watch(...how));
  }

  pause(): void {
    this.later((flow) => flow.pause());
  }

  unwatch(): void {
    this.later((flow) => flow.unwatch());
  }

  close(): void {
    this.later((flow) => flow.close());
  }

  setFocus(focus: Focus): void {
    this.later((flow) => flow.setFocus(focus));
  }

  startOver(): void {
    this.later((flow) => flow.startOver());
  }

  async ask(what: string, args: object): Promise<unknown> {
    return (await this.begin()).ask(what, args);
  }

  private begin(): Promise<SessionFlow> {
    this.opened ??= this.open().then((flow) => {
      this.flow = flow;
      for (const run of this.waiting.splice(0)) run(flow);
      return flow;
    });
    return this.opened;
  }

  private later(run: (flow: SessionFlow) => void): void {
    if (this.flow) run(this.flow);
    else this.waiting.push(run);
  }
}
