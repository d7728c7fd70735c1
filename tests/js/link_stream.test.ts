import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Problem } from "../../js_src/errors";
import { LIMITS, PROTOCOL } from "../../js_src/schema";
import { Channel, KernelLink } from "../../js_src/link/channel";
import type { ControlMessage, Sink } from "../../js_src/link/types";
import type { SessionStream } from "../../js_src/link/stream";
import type { PageMessage } from "../../js_src/link/wire";
import type { TableRows } from "../../js_src/link/columns";
import { rowsMessage } from "./samples";

const PAGE = "page-1";
const TABLES = ["errors", "tasks"];

class FakePort {
  readonly sent: PageMessage[] = [];
  constructor(
    readonly kind: "comm" | "widget" = "comm",
    readonly subshell?: boolean,
  ) {}

  send(message: PageMessage): void {
    this.sent.push(message);
  }

  of(type: PageMessage["type"]): PageMessage[] {
    return this.sent.filter((message) => message.type === type);
  }
}

class FakeSink implements Sink {
  readonly taken: (ControlMessage | TableRows)[] = [];
  alive: boolean | null = null;
  readonly problems: Problem[] = [];
  have = (): [number, number][] => [[0, 7]];
  take = (message: ControlMessage) => void this.taken.push(message);
  takeTable = (rows: TableRows) => void this.taken.push(rows);
  takeRows = () => {};
  takeCoarse = () => {};
  takeKeys = () => {};
  waitingRows = () => 0;
  connected = (alive: boolean) => void (this.alive = alive);
  failed = (problem: Problem) => void this.problems.push(problem);
}

const welcome = (extra: object = {}) => ({
  type: "welcome",
  page: PAGE,
  protocol: PROTOCOL,
  version: "0.1.0",
  kernel: "k",
  subshells: true,
  resumed: false,
  sessions: [],
  ...extra,
});

const names = (seq: number, page: string | null = PAGE) => ({
  ...{ type: "rows", page, session: "s", seq },
  ...rowsMessage("actions", 0, [{ name: "compute" }])[0],
});

const status = (last_seq: number) => ({
  type: "status",
  page: PAGE,
  session: "s",
  state: "live",
  counts: {
    captured: 0,
    kept: 0,
    dropped_agent: 0,
    dropped_recording: 0,
    rows: 0,
    erred: 0,
  },
  now: 1,
  last_seq,
});

let links: Map<string, KernelLink>;
let warnings: string[];

function open(port: FakePort, greeting: object = welcome()): Channel {
  const linkFor = (id: string) => {
    const link = links.get(id) ?? new KernelLink(PAGE, id);
    links.set(id, link);
    return link;
  };
  const channel = new Channel(PAGE, port, linkFor, (text) =>
    warnings.push(text),
  );
  channel.hello();
  channel.receive(greeting);
  return channel;
}

/** A channel that has not been answered yet, and has not greeted either. */
function greeting(): { port: FakePort; channel: Channel } {
  const port = new FakePort("widget");
  const link = (id: string) => new KernelLink(PAGE, id);
  return { port, channel: new Channel(PAGE, port, link, () => {}) };
}

function watched(port = new FakePort()): {
  port: FakePort;
  channel: Channel;
  stream: SessionStream;
  sink: FakeSink;
} {
  const channel = open(port);
  const sink = new FakeSink();
  const stream = links.get("k")!.stream("s", sink);
  stream.watch(true, TABLES);
  return { port, channel, stream, sink };
}

beforeEach(() => {
  vi.useFakeTimers();
  links = new Map();
  warnings = [];
});
afterEach(() => {
  vi.useRealTimers();
});

describe("the handshake", () => {
  it("greets with the protocol and opens on welcome", () => {
    const port = new FakePort();
    const channel = open(port);
    expect(port.sent[0]).toMatchObject({ type: "hello", protocol: PROTOCOL });
    expect(channel.state.value).toMatchObject({ kind: "open" });
  });

  it("greets again, later each time, until it is answered", () => {
    const { port, channel } = greeting();
    channel.hello();
    vi.advanceTimersByTime(499);
    expect(port.of("hello")).toHaveLength(1);
    vi.advanceTimersByTime(1);
    expect(port.of("hello")).toHaveLength(2);
    // A widget's comm has what the kernel tells other tabs, too.
    channel.receive({ type: "sessions", sessions: [], recorder: true });
    vi.advanceTimersByTime(1_000);
    expect(port.of("hello")).toHaveLength(3);
    channel.receive(welcome());
    vi.advanceTimersByTime(60_000);
    expect(port.of("hello")).toHaveLength(3);
  });

  it("gives up greeting at last, and at once when it is closed", () => {
    for (const closes of [false, true]) {
      const { port, channel } = greeting();
      channel.hello();
      if (closes) channel.close();
      vi.advanceTimersByTime(3_600_000);
      expect(port.of("hello")).toHaveLength(closes ? 1 : 7);
      expect(vi.getTimerCount()).toBe(0);
    }
  });

  it("says which side to upgrade when the protocols differ", () => {
    const newer = open(
      new FakePort(),
      welcome({ protocol: PROTOCOL + 1, version: "9.0" }),
    );
    expect(newer.state.value).toMatchObject({
      kind: "failed",
      problem: { code: "version-mismatch" },
    });
    const text = JSON.stringify(newer.state.value);
    expect(text).toContain("environment that runs JupyterLab");
  });

  it("shows the kernel's refusal", () => {
    const refused = open(new FakePort(), {
      type: "error",
      session: null,
      code: "version-mismatch",
      text: "The kernel has daskscope 9.",
      next: "Upgrade.",
    });
    expect(refused.state.value).toMatchObject({
      kind: "failed",
      problem: { next: "Upgrade." },
    });
  });

  it("ignores messages for other pages", () => {
    const { channel, sink } = watched();
    channel.receive(names(1, "another page"));
    channel.receive(names(1, null));
    expect(sink.taken).toHaveLength(1);
  });

  it("reports an unknown or broken message and goes on", () => {
    const { channel, sink } = watched();
    channel.receive({ type: "aurora" });
    channel.receive({ type: "names", page: PAGE, session: "s", seq: "1" });
    channel.receive(names(1));
    expect(warnings).toHaveLength(2);
    expect(sink.taken).toHaveLength(1);
  });

  it("tells the panel of a broken message, which is not asked for again", () => {
    const { port, channel, sink } = watched();
    channel.receive({ ...names(1), table: 7 });
    channel.receive({ ...names(2, "another page"), table: 7 });
    expect(sink.problems).toMatchObject([{ code: "bad-message" }]);
    vi.advanceTimersByTime(LIMITS.ack_ms);
    expect(port.of("ack")).toMatchObject([{ seq: 1, missing: [] }]);
    channel.receive({ type: "status", page: PAGE });
    expect(sink.problems, "of whom it is stays unknown").toHaveLength(2);
  });

  it("tells the panel of what a message says and nobody can take", () => {
    const { channel, sink } = watched();
    sink.takeTable = () => {
      throw new Error("it is no table");
    };
    channel.receive(names(1));
    expect(sink.problems).toHaveLength(1);
    expect(sink.problems[0].text).toContain("it is no table");
  });
});

describe("acknowledging", () => {
  it("gathers what arrives within two seconds into one ack", () => {
    const { port, channel } = watched();
    for (let seq = 1; seq <= 20; seq++) channel.receive(names(seq));
    expect(port.of("ack")).toHaveLength(0);
    expect(LIMITS.ack_ms).toBe(2_000);
    vi.advanceTimersByTime(LIMITS.ack_ms);
    expect(port.of("ack")).toEqual([
      { type: "ack", page: PAGE, session: "s", seq: 20, missing: [] },
    ]);
  });

  it("does not wait once a megabyte has come", () => {
    const { port, channel } = watched();
    const half = { buffer: new ArrayBuffer(LIMITS.ack_bytes / 2) };
    for (const seq of [1, 2]) {
      const blocks = [{ first: 0, tasks: 1, bytes: half.buffer.byteLength }];
      channel.receive({ ...names(seq), type: "keys", blocks }, [half.buffer]);
    }
    expect(port.of("ack")).toHaveLength(1);
  });

  it("names what is missing until it has come, and takes it once", () => {
    const { port, channel, sink } = watched();
    for (const seq of [1, 4]) channel.receive(names(seq));
    vi.advanceTimersByTime(LIMITS.ack_ms);
    expect(port.of("ack").at(-1)).toMatchObject({ seq: 4, missing: [2, 3] });
    for (const seq of [2, 2, 3]) channel.receive(names(seq));
    vi.advanceTimersByTime(1000);
    expect(port.of("ack").at(-1)).toMatchObject({ seq: 4, missing: [] });
    expect(sink.taken).toHaveLength(4);
  });

  it("says within 250 ms that something is missing, also where an ack was due later", () => {
    const { port, channel } = watched();
    channel.receive(names(1));
    vi.advanceTimersByTime(100);
    channel.receive(names(3));
    vi.advanceTimersByTime(200);
    channel.receive(names(4));
    expect(port.of("ack")).toHaveLength(0);
    vi.advanceTimersByTime(50);
    expect(port.of("ack")).toMatchObject([{ seq: 4, missing: [2] }]);
  });

  it("waits ten seconds for what is missing, however much else comes", () => {
    const { port, channel } = watched();
    const buffer = new ArrayBuffer(LIMITS.ack_bytes);
    const blocks = [{ first: 0, tasks: 1, bytes: buffer.byteLength }];
    for (let seq = 2; seq < 160; seq++) {
      channel.receive({ ...names(seq), type: "keys", blocks }, [buffer]);
      vi.advanceTimersByTime(60);
    }
    expect(port.of("ack").length, "9.5 s").toBeGreaterThan(150);
    expect(port.of("ack").every(({ missing }) => String(missing) === "1")).toBe(
      true,
    );
    expect(port.of("watch")).toHaveLength(1);
    vi.advanceTimersByTime(1_000);
    expect(port.of("watch")).toHaveLength(2);
  });

  it("gives up nothing only because the machine slept", () => {
    const { port, channel } = watched();
    channel.receive(names(2));
    const { now } = performance;
    const slept = vi
      .spyOn(performance, "now")
      .mockImplementation(() => now.call(performance) + 3_600_000);
    vi.advanceTimersByTime(1_000);
    expect(port.of("watch")).toHaveLength(1);
    slept.mockRestore();
  });

  it("notices that the last message was lost", () => {
    const { port, channel } = watched();
    channel.receive(names(1));
    channel.receive(status(2));
    vi.advanceTimersByTime(LIMITS.ack_ms);
    expect(port.of("ack").at(-1)).toMatchObject({ seq: 2, missing: [2] });
  });

  it("asks for the content again when a gap is never filled", () => {
    const { port, channel } = watched();
    channel.receive(names(3));
    vi.advanceTimersByTime(30_000);
    expect(port.of("watch")).toHaveLength(2);
    expect(port.of("watch")[1]).toMatchObject({ restart: true });
    // The ack that no longer waits comes first: the kernel then knows what is on its way.
    const types = port.sent.map(({ type }) => type);
    const last = types.filter((type) => type !== "hello").slice(-2);
    expect(last).toEqual(["ack", "watch"]);
    const acks = port.of("ack").length;
    vi.advanceTimersByTime(30_000);
    expect(port.of("ack")).toHaveLength(acks);
  });

  it("starts over three times in a row, then says what may be missing", () => {
    const { port, channel, stream, sink } = watched();
    const restarts = () =>
      port.of("watch").filter(({ restart }) => restart === true);
    for (let seq = 2; seq <= 12; seq += 2) {
      channel.receive(names(seq));
      vi.advanceTimersByTime(30_000);
    }
    expect(restarts()).toHaveLength(3);
    expect(sink.problems.at(-1)).toMatchObject({ code: "not-received" });
    const { length } = sink.problems;
    vi.advanceTimersByTime(600_000);
    stream.startOver();
    expect(restarts(), "after a while without loss").toHaveLength(4);
    expect(sink.problems).toHaveLength(length);
  });

  it("says that it gave up to the next channel when there was none", () => {
    const { channel, stream } = watched();
    channel.close();
    stream.startOver();
    const next = new FakePort();
    const link = open(next, welcome({ resumed: true }));
    expect(next.of("watch")[0]).toMatchObject({ restart: true });
    link.receive(welcome({ resumed: true }));
    expect(next.of("watch")[1]).toMatchObject({ restart: false });
  });

  it("leaves no timer behind", () => {
    const { channel, stream } = watched();
    channel.receive(names(3));
    stream.close();
    expect(vi.getTimerCount()).toBe(0);
  });
});

describe("watching", () => {
  it("tells what the page holds, and whether anybody looks", () => {
    const { port, stream } = watched();
    expect(port.of("watch")[0]).toMatchObject({
      visible: true,
      have: [[0, 7]],
    });
    stream.pause();
    stream.pause();
    expect(port.of("watch")).toHaveLength(2);
    expect(port.of("watch")[1]).toMatchObject({ visible: false });
  });

  it("tells which tables are shown, each time that others are", () => {
    const { port, stream } = watched();
    const asked = () => port.of("watch").map(({ tables }) => tables);
    stream.watch(true, TABLES);
    expect(asked()).toEqual([TABLES]);
    stream.watch(true, ["logs"]);
    stream.pause();
    expect(asked()).toEqual([TABLES, ["logs"], ["logs"]]);
  });

  it("takes rows in the order in which they were sent", () => {
    const { channel, sink } = watched();
    const taken = () => sink.taken.map((one) => "table" in one && one.table);
    channel.receive({ ...names(2), table: "gaps" }); // of other columns
    channel.receive(names(3));
    expect(taken()).toEqual([]);
    channel.receive(names(1));
    expect(taken()).toEqual(["actions", "actions"]);
    expect(sink.problems).toMatchObject([{ code: "bad-rows" }]);
    channel.receive(names(4));
    expect(taken()).toHaveLength(3);
  });

  it("begins a new count after unwatch, not after a change of visibility", () => {
    const { channel, stream, sink } = watched();
    channel.receive(names(1));
    stream.watch(false, TABLES);
    stream.watch(true, TABLES);
    channel.receive(names(1));
    expect(sink.taken).toHaveLength(1);
    stream.unwatch();
    stream.watch(true, TABLES);
    channel.receive(names(1));
    expect(sink.taken).toHaveLength(2);
  });

  it("goes on over another channel of the same kernel", () => {
    const { channel, sink } = watched();
    const second = new FakePort();
    open(second, welcome({ resumed: true }));
    expect(second.of("watch")).toHaveLength(1);
    channel.close();
    expect(sink.alive).toBe(true);
  });

  it("falls back to a channel that is left, and is lost without one", () => {
    const { port, channel, sink } = watched();
    const second = open(new FakePort(), welcome({ resumed: true }));
    second.close();
    expect(port.of("hello")).toHaveLength(2);
    channel.close();
    expect(sink.alive).toBe(false);
  });

  it("is lost at once when the kernel has ended, whatever still seems open", () => {
    const port = new FakePort("widget");
    const widget = open(port);
    const { channel, sink } = watched();
    const greeted = port.of("hello").length;
    links.get("k")!.end();
    expect(sink.alive).toBe(false);
    expect(channel.state.value.kind).toBe("closed");
    expect(widget.state.value.kind).toBe("closed");
    expect(port.of("hello"), "nobody is there").toHaveLength(greeted);
  });

  it("says nothing after good-bye, which each of its channels hears", () => {
    const other = new FakePort();
    open(other);
    const { port, stream } = watched();
    links.get("k")!.sendBye();
    expect(other.of("bye")).toHaveLength(1);
    expect(port.sent.at(-1)?.type).toBe("bye");
    stream.watch(false, TABLES); // the browser hides a page that it leaves
    expect(port.sent.at(-1)?.type).toBe("bye");
  });

  it("begins anew when the kernel has forgotten the page", () => {
    const { port, channel, sink } = watched();
    channel.receive(names(1));
    channel.receive(welcome({ resumed: false }));
    expect(port.of("watch")).toHaveLength(2);
    channel.receive(names(1));
    expect(sink.taken).toHaveLength(2);
  });

  it("prefers the page's own comm to a widget's, which reaches every tab", () => {
    const { port } = watched();
    open(new FakePort("widget"), welcome({ resumed: true }));
    expect(port.of("hello")).toHaveLength(2);
  });
});

describe("silence", () => {
  it("makes the page greet again, then counts as lost", () => {
    const { port, sink } = watched();
    vi.advanceTimersByTime(9_000);
    expect(port.of("hello")).toHaveLength(1);
    vi.advanceTimersByTime(6_000);
    expect(port.of("hello")).toHaveLength(3);
    expect(sink.alive).toBe(null);
    vi.advanceTimersByTime(20_000);
    expect(sink.alive).toBe(false);
  });

  it("is no news while nobody looks", () => {
    const { port, stream, sink } = watched();
    stream.watch(false, TABLES);
    vi.advanceTimersByTime(60_000);
    expect(port.of("hello")).toHaveLength(1);
    expect(sink.alive).toBe(null);
    expect(vi.getTimerCount()).toBe(0);
  });

  it("of an idle session is none: the page says now and then that it looks", () => {
    const { port, channel, sink } = watched();
    for (let minute = 0; minute < 59; minute += 1 / 30) {
      vi.advanceTimersByTime(2_000);
      channel.receive(status(0));
    }
    expect(port.of("hello")).toHaveLength(1 + 5);
    expect(sink.alive).toBe(null);
  });

  it("ends with any message", () => {
    const { port, channel } = watched();
    for (let beat = 0; beat < 10; beat++) {
      vi.advanceTimersByTime(4_000);
      channel.receive(status(0));
    }
    expect(port.of("hello")).toHaveLength(1);
  });
});

describe("asking", () => {
  it("is answered by the message with the same id", async () => {
    const { port, channel, stream } = watched();
    const answer = stream.ask("task", { task: 3 });
    const { id } = port.of("ask")[0];
    channel.receive({
      type: "answer",
      page: PAGE,
      session: "s",
      id,
      result: 5,
    });
    await expect(answer).resolves.toBe(5);
    stream.close();
    expect(vi.getTimerCount()).toBe(0);
  });

  it("fails with the kernel's own problem", async () => {
    const { port, channel, stream } = watched();
    const answer = stream.ask("task", { task: 3 });
    const { id } = port.of("ask")[0];
    const error = { code: "unknown-task", text: "No such task.", next: "" };
    channel.receive({ type: "answer", page: PAGE, session: "s", id, error });
    await expect(answer).rejects.toMatchObject({ code: "unknown-task" });
  });

  it.each([
    [true, true, "no-answer", "look at the kernel's log"],
    [false, undefined, "kernel-busy", "4.4"],
    [true, false, "kernel-busy", "4.4"],
    [true, undefined, "no-answer", "4.4"],
  ])(
    "tells a busy kernel from a silent one as far as it can: kernel %s, channel %s",
    async (subshells, subshell, code, next) => {
      const { channel, stream } = watched(new FakePort("comm", subshell));
      channel.receive(welcome({ subshells, resumed: true }));
      const answer = expect(stream.ask("task", {})).rejects.toMatchObject({
        code,
        next: expect.stringContaining(next),
      });
      vi.advanceTimersByTime(10_000);
      await answer;
    },
  );

  it("fails at once when the last channel goes", async () => {
    const { channel, stream } = watched();
    const answer = expect(stream.ask("task", {})).rejects.toMatchObject({
      code: "not-connected",
    });
    channel.close();
    await answer;
    await expect(stream.ask("task", {})).rejects.toMatchObject({
      code: "not-connected",
    });
  });
});
