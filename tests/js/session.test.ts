import { signal } from "@preact/signals";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { NO_FOCUS } from "../../js_src/model/types";
import { LIMITS, PROTOCOL, TABLES } from "../../js_src/schema";
import type { TableName } from "../../js_src/schema";
import type { SharedSession } from "../../js_src/session/session";
import { Page } from "../../js_src/session/page";
import type { Channel, KernelLink, Port } from "../../js_src/link/channel";
import type { PageMessage } from "../../js_src/link/wire";
import { type Cells, keysBuffer, rowsMessage, tasksBuffer } from "./samples";

const visible = signal(true);
const EVERYTHING = Object.keys(TABLES);

class Kernel {
  readonly heard: PageMessage[] = [];
  readonly port: Port = {
    kind: "comm",
    send: (message) => void this.heard.push(message),
  };
  readonly channel: Channel;
  private seq = 0;

  constructor(
    readonly page: Page,
    readonly id = "k",
  ) {
    this.channel = page.connect(this.port);
    this.welcome(false);
  }

  welcome(resumed: boolean): void {
    if (!resumed) this.seq = 0;
    const sessions = [{ id: "s", name: "LocalCluster", address: "tcp://a:1" }];
    this.channel.receive({
      type: "welcome",
      page: this.page.id,
      protocol: PROTOCOL,
      version: "0.1.0",
      kernel: this.id,
      subshells: true,
      resumed,
      sessions,
    });
  }

  get link(): KernelLink {
    const state = this.channel.state.value;
    if (state.kind !== "open") throw new Error(state.kind);
    return state.link;
  }

  say(type: string, fields: object, buffers: Uint8Array[] = []): void {
    const to = { type, page: this.page.id, session: "s" };
    this.channel.receive({ ...to, ...fields }, buffers);
  }

  number(type: string, fields: object, buffers: Uint8Array[] = []): void {
    this.say(type, { seq: ++this.seq, ...fields }, buffers);
  }

  tasks(first: number, tasks: number): void {
    const fields = { kind: "live", first, tasks, rows: tasks };
    this.number("batch", fields, [tasksBuffer(first, tasks)]);
  }

  rows(
    table: string,
    first: number,
    rows: readonly Cells[],
    about: object = {},
  ): void {
    this.number("rows", ...rowsMessage(table, first, rows, about));
  }

  /** What was sent gets lost: its number is missing. */
  lose(): void {
    this.seq += 1;
  }

  /** What was lost comes after all. */
  again(seq: number, ...rows: Parameters<typeof rowsMessage>): void {
    const [fields, buffers] = rowsMessage(...rows);
    this.say("rows", { seq, ...fields }, buffers);
  }

  said(type: PageMessage["type"]): PageMessage[] {
    return this.heard.filter((message) => message.type === type);
  }
}

let page: Page;
let kernel: Kernel;
let session: SharedSession;
let release: () => void;

beforeEach(() => {
  vi.useFakeTimers();
  page = new Page();
  kernel = new Kernel(page);
  session = page.session(kernel.link, "s");
  release = session.watch(visible, EVERYTHING);
  visible.value = true;
});
afterEach(() => {
  vi.useRealTimers();
});

describe("a session on the page", () => {
  it("is one store, however many panels show it", () => {
    const other = page.session(kernel.link, "s");
    other.watch(visible, EVERYTHING);
    expect(other).toBe(session);
    expect(kernel.said("watch")).toHaveLength(1);
  });

  it("puts rows into columns and tells it once a frame", () => {
    kernel.tasks(0, 20);
    kernel.tasks(20, 20);
    vi.advanceTimersByTime(200);
    expect(session.model.rows).toBe(40);
    expect(session.model.have()).toEqual([[0, 40]]);
    expect(session.dataVersion.value).toBe(1);
  });

  it("has a time zero as soon as it has rows, though the kernel's comes later", () => {
    kernel.tasks(0, 20);
    vi.advanceTimersByTime(200);
    expect(session.origin.value).toBe(1000);
    const counts = {
      ...{ captured: 40, kept: 40, dropped_agent: 0, dropped_recording: 0 },
      ...{ rows: 40, erred: 0 },
    };
    kernel.say("status", { state: "live", counts, now: 1005, origin: 999.5 });
    kernel.tasks(20, 20);
    vi.advanceTimersByTime(200);
    expect(session.origin.value).toBe(999.5);
  });

  it("takes the same tasks once", () => {
    kernel.tasks(0, 20);
    kernel.tasks(0, 20);
    session.have();
    expect(session.model.rows).toBe(20);
  });

  it("drops a broken batch, says so and keeps the rest", () => {
    const warn = vi.spyOn(console, "warn").mockImplementation(() => {});
    const fields = { kind: "live", first: 0, tasks: 5, rows: 6 };
    kernel.number("batch", fields, [tasksBuffer(0, 5)]);
    kernel.tasks(5, 5);
    expect(session.have()).toEqual([[5, 10]]);
    expect(session.notices.value).toMatchObject([
      { code: "bad-message", level: "error" },
    ]);
    expect(warn).toHaveBeenCalledOnce();
  });

  const named = (...names: string[]) =>
    names.map((name, at) => ({ name, colour: at }));

  it("grows its lists of names, in whatever order they come", () => {
    kernel.lose();
    kernel.rows("prefixes", 2, named("c"));
    expect(session.prefixes).toEqual([]);
    kernel.again(1, "prefixes", 0, named("a", "b"));
    kernel.rows("prefixes", 1, named("b", "c", "d"));
    expect(session.prefixes).toEqual(["a", "b", "c", "d"]);
    expect(session.slots).toEqual([0, 1, 0, 2]);
    expect(session.names("prefixes")).toBe(session.prefixes);
  });

  it("begins with the entries that every recording has", () => {
    expect(session.actions[0]).toBe("compute");
    expect(session.spans).toEqual([{ id: "", name: [] }]);
    kernel.rows("spans", 0, [
      { id: "", name: [] },
      { id: "s1", name: ["load"] },
    ]);
    kernel.rows("lanes", 0, [{ worker: "tcp://w:1", thread: "140" }]);
    expect(session.spans[1]).toEqual({ id: "s1", name: ["load"] });
    expect(session.lanes).toEqual([{ worker: "tcp://w:1", thread: "140" }]);
  });

  it("keeps keys packed until somebody asks", async () => {
    vi.useRealTimers();
    const block = keysBuffer(["inc-1", "inc-2"]);
    const blocks = [{ first: 0, tasks: 2, bytes: block.byteLength }];
    kernel.number("keys", { blocks }, [block]);
    expect(await session.keys.text(1)).toBe("inc-2");
  });

  it("asks the kernel for a key that has not come", async () => {
    vi.useRealTimers();
    const text = session.keys.text(7);
    const [{ id, what, args }] = kernel.said("ask") as [PageMessage];
    expect({ what, args }).toEqual({
      what: "keys",
      args: { first: 7, tasks: 1 },
    });
    const block = keysBuffer(["inc-7"]);
    const blocks = [{ first: 7, tasks: 1, bytes: block.byteLength }];
    kernel.number("keys", { blocks }, [block]);
    kernel.say("answer", { id, result: {} });
    expect(await text).toBe("inc-7");
  });

  /** A frame later, with which tables are shown. */
  const shown = <N extends TableName>(name: N) => {
    vi.advanceTimersByTime(200);
    return session.table(name).value;
  };
  const gaps = (...starts: number[]) =>
    starts.map((start) => ({ start, stop: start + 1, reason: "lost" }));
  const starts = () => [...shown("gaps").columns.start];

  it("keeps rows once and in order, however often they come", () => {
    expect(shown("gaps").state).toBe("waiting");
    kernel.rows("gaps", 4, gaps(14), { complete: false });
    expect(shown("gaps").state).toBe("waiting");
    kernel.rows("gaps", 0, gaps(10, 11));
    expect(starts()).toEqual([10, 11, 14]);
    kernel.rows("gaps", 1, gaps(11, 12, 13));
    expect(starts()).toEqual([10, 11, 12, 13, 14]);
    expect(shown("gaps").state).toBe("ready");
    kernel.welcome(false);
    kernel.rows("gaps", 0, gaps(10, 11, 12));
    expect(starts()).toEqual([10, 11, 12, 13, 14]);
  });

  it("replaces what it shows and never changes it", () => {
    kernel.rows("gaps", 0, gaps(1));
    const before = shown("gaps");
    kernel.rows("gaps", 1, gaps(2));
    expect(shown("gaps")).not.toBe(before);
    expect([...before.columns.start]).toEqual([1]);
  });

  it("lets go of rows that the kernel has dropped, and counts them", () => {
    kernel.rows("gaps", 0, gaps(0, 1, 2));
    kernel.rows("gaps", 3, gaps(3), { oldest: 2, dropped: 2 });
    expect(starts()).toEqual([2, 3]);
    expect(shown("gaps").dropped).toBe(2);
    kernel.rows("gaps", 4, [], { count: 10, oldest: 2, dropped: 12 });
    expect(starts()).toEqual([2, 3]);
    expect(shown("gaps")).toMatchObject({ dropped: 12, state: "ready" });
  });

  it("is ready with a table that has no rows", () => {
    kernel.rows("gaps", 0, []);
    expect(shown("gaps")).toMatchObject({ state: "ready", rows: 0 });
  });

  it("grows with no number of rows, since it keeps those that the kernel keeps", () => {
    const topic = { topic: "noisy", message: "{}" };
    kernel.rows("events", 0, [{ topic: "mine", message: "1" }]);
    const each = 5_000;
    for (let first = 1; first < 1_000_000; first += each) {
      const rows = Array.from({ length: each }, () => topic);
      kernel.rows("events", first, rows, { dropped: first });
      if (first % 50_000 === 1) shown("events");
    }
    const { rows, columns, dropped } = shown("events");
    expect(rows).toBe(TABLES.events.group_rows + 1);
    expect(columns.topic[0]).toBe("mine");
    expect(dropped).toBe(1_000_001 - each);
  });

  const error = (prefix: number) => ({ prefix, task: 7, exception: "E" });

  it("lets rows wait for the names that they point at", () => {
    kernel.lose();
    kernel.rows("errors", 0, [error(1)]);
    expect(shown("errors").rows).toBe(0);
    kernel.again(1, "prefixes", 0, named("a", "b"));
    expect([...shown("errors").columns.prefix]).toEqual([1]);
    expect(session.notices.value).toEqual([]);
  });

  it("leaves out rows that it cannot read, says so once, and goes on", () => {
    const warn = vi.spyOn(console, "warn").mockImplementation(() => {});
    const codes = () => session.notices.value.map(({ code }) => code);
    kernel.rows("prefixes", 0, named("a"));
    kernel.rows("errors", 0, [error(0)]);
    kernel.rows("errors", 1, [error(1)]);
    expect(codes()).toEqual(["bad-rows"]);
    kernel.rows("errors", 2, [error(0)], { texts: { worker: ["w"] } });
    kernel.rows("errors", 3, [error(0)], { rows: 2 });
    kernel.rows("gaps", 0, [], { table: "nowhere" });
    expect(codes()).toEqual(["bad-rows"]);
    kernel.rows("errors", 4, [error(0)]);
    kernel.tasks(0, 5);
    expect(shown("errors")).toMatchObject({ rows: 2 });
    expect(shown("errors").problem).toMatchObject({ code: "bad-rows" });
    expect(session.model.rows).toBe(5);
    warn.mockRestore();
  });

  it("says of a table none of whose rows can be read why", () => {
    kernel.rows("errors", 0, [error(3)]);
    expect(shown("errors")).toMatchObject({ state: "failed", rows: 0 });
  });

  it("takes a series in its rings", () => {
    const samples = (...times: number[]) => times.map((time) => ({ time }));
    for (const ring of [0, 1, 2, 3]) {
      expect(shown("system").state).toBe("waiting");
      kernel.rows("system", 0, samples(ring, ring + 10), { ring });
    }
    const { state, rings, columns } = shown("system");
    expect(state).toBe("ready");
    expect([...columns.time]).toEqual([0, 10]);
    expect(rings.map(({ step, rows }) => [step, rows])).toEqual([
      [0, 2],
      [10, 2],
      [60, 2],
      [600, 2],
    ]);
    expect([...rings[2]!.columns.time]).toEqual([2, 12]);
  });

  describe("with tables that are declared by a test", () => {
    const tables = TABLES as Record<string, unknown>;
    const column = (type: string, into?: string) => ({ type, into });
    const before = { ...tables };
    afterEach(() => void Object.assign(tables, before));

    it("takes them, with no more said of them than what they are", () => {
      const log = { kind: "log", rows: 100, time: "", stop: "" };
      tables["cells"] = {
        ...{ ...log, group: "cell", group_rows: 1 },
        columns: { cell: column("int64"), state: column("utf8") },
      };
      kernel.rows("cells", 0, [
        { cell: 1, state: "runs" },
        { cell: 2, state: "runs" },
      ]);
      kernel.rows("cells", 2, [{ cell: 1, state: "done" }]);
      expect(shown("cells" as "gaps").columns).toEqual({
        cell: Float64Array.of(2, 1),
        state: ["runs", "done"],
      });
    });

    it("takes entries that point at others of their own dictionary", () => {
      const dictionary = { kind: "dictionary", limit: 100, first: [] };
      tables["frames"] = { ...dictionary, columns: { name: column("utf8") } };
      tables["stacks"] = {
        ...dictionary,
        columns: {
          frame: column("uint16", "frames"),
          parent: column("int64", "stacks"),
        },
      };
      kernel.rows("frames", 0, [{ name: "main" }, { name: "f" }]);
      const stacks = [
        { frame: 0, parent: -1 },
        { frame: 1, parent: 0 },
      ];
      kernel.rows("stacks", 0, stacks);
      expect(session.names("stacks")).toEqual(stacks);
      kernel.rows("stacks", 2, [{ frame: 1, parent: 2 }]);
      expect(session.names("stacks")).toHaveLength(2);
    });
  });

  it("takes stacks, of which the first is its own parent", () => {
    kernel.rows("frames", 0, [
      { name: "", file: "", first_line: 0, line: 0, source: "" },
    ]);
    const stacks = [
      { parent: 0, frame: 0 },
      { parent: 0, frame: 0 },
    ];
    kernel.rows("stacks", 0, stacks);
    expect(session.names("stacks")).toEqual(stacks);
    kernel.rows("stacks", 2, [{ parent: 2, frame: 0 }]);
    expect(session.names("stacks")).toHaveLength(2);
  });

  it("gets names that were lost for good by asking for all of them again", () => {
    kernel.rows("prefixes", 0, named("a"));
    kernel.rows("prefixes", 2, named("late"));
    const asked = kernel.said("watch").filter(({ restart }) => restart);
    expect(asked).toHaveLength(1);
    kernel.rows("prefixes", 0, named("a", "b", "c"));
    kernel.rows("prefixes", 3, named("d"));
    expect(session.prefixes).toEqual(["a", "b", "c", "d"]);
  });

  it("knows the figures that came last", () => {
    expect(session.summary.value).toBeNull();
    kernel.say("summary", { figures: { tasks: 3 } });
    expect(session.summary.value).toEqual({ tasks: 3 });
  });

  const status = (notices: object[]) =>
    kernel.say("status", {
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
      notices,
    });

  it("keeps errors in view when the next status comes", () => {
    const codes = () => session.notices.value.map(({ code }) => code);
    const refused = { code: "plugins-refused", level: "warn", text: "No." };
    status([refused]);
    kernel.say("error", { code: "bad-message", text: "It failed." });
    kernel.say("error", { code: "bad-message", text: "It failed again." });
    status([refused]);
    expect(codes()).toEqual(["plugins-refused", "bad-message"]);
    expect(session.notices.value[1].text).toBe("It failed again.");
    status([]);
    expect(codes()).toEqual(["bad-message"]);
    for (let i = 0; i < 50; i++) {
      kernel.say("error", { code: `code-${i}`, text: "It failed." });
    }
    expect(codes()).toHaveLength(20);
    expect(codes().at(-1)).toBe("code-49");
  });

  it("forgets that a status could not be sent when one comes", () => {
    kernel.say("error", { code: "not-sent", text: "It failed." });
    expect(session.notices.value).toHaveLength(1);
    status([]);
    expect(session.notices.value).toEqual([]);
  });

  it("sets the focus at once and tells the kernel", () => {
    const focus = { ...NO_FOCUS, prefixes: ["inc"] };
    session.setFocus(focus);
    expect(session.focus.value).toBe(focus);
    expect(kernel.said("focus")[0]).toMatchObject({ focus });
  });

  it("knows of which focus its figures are", () => {
    const focus = { ...NO_FOCUS, time: [1, 2] as [number, number] };
    const figures = { prefixes: [[0, 2, 1.5, 0, 3]], actions: [] };
    kernel.say("totals", { focus, ...figures });
    expect(session.totals.value.focus).toEqual(focus);
    expect(session.totals.value.prefixes).toEqual([
      { prefix: 0, tasks: 2, seconds: 1.5, erred: 0, computes: 3 },
    ]);
    kernel.say("totals", { focus: NO_FOCUS, ...figures });
    expect(session.totals.value.focus).toEqual(NO_FOCUS);
  });

  it("follows the focus of others, but none that was said before its own was heard", () => {
    const [ours, theirs] = ["inc", "dec"].map((prefix) => ({
      ...NO_FOCUS,
      prefixes: [prefix],
    }));
    session.setFocus(ours);
    kernel.say("focus", { focus: theirs, by: "python", setting: 0 });
    expect(session.focus.value).toBe(ours);
    kernel.say("focus", { focus: theirs, by: "python", setting: 1 });
    expect(session.focus.value).toEqual(theirs);
  });

  it("does not take the focus that was told to another tab", () => {
    const focus = { ...NO_FOCUS, prefixes: ["inc"] };
    kernel.say("focus", { page: "another", focus, by: "python" });
    expect(session.focus.value).toBe(NO_FOCUS);
  });

  it("does not move panels when it hears of the focus that it has", () => {
    kernel.say("focus", { focus: { ...NO_FOCUS }, by: "python" });
    expect(session.focus.value).toBe(NO_FOCUS);
  });

  it("tells what was selected while it had no channel to the next one", () => {
    const { link } = kernel;
    kernel.channel.close();
    const focus = { ...NO_FOCUS, prefixes: ["inc"] };
    session.setFocus(focus);
    expect(kernel.said("focus")).toEqual([]);
    const next = new Kernel(page);
    expect(next.link).toBe(link);
    const said = next.heard.map(({ type }) => type);
    expect(said).toEqual(["hello", "focus", "watch"]);
    expect(next.said("focus")[0]).toMatchObject({ focus, setting: 1 });
    expect(next.said("watch")[0]).toMatchObject({ setting: 1 });
  });

  it("is lost without a channel and keeps what it has", () => {
    kernel.tasks(0, 5);
    kernel.channel.close();
    expect(session.state.value).toBe("lost");
    expect(session.have()).toEqual([[0, 5]]);
    expect(session.model.rows).toBe(5);
  });

  it("has stopped when the kernel says bye, also after the channel went", () => {
    kernel.say("bye", { text: "The session was closed." });
    kernel.channel.close();
    expect(session.state.value).toBe("stopped");
    expect(session.notices.value[0]).toMatchObject({ code: "bye" });
  });
});

describe("looking", () => {
  const last = () => kernel.said("watch").at(-1)?.visible;

  it("costs nothing while every panel is hidden", () => {
    const second = signal(false);
    session.watch(second, EVERYTHING);
    expect(last()).toBe(true);
    visible.value = false;
    expect(last()).toBe(false);
    second.value = true;
    expect(last()).toBe(true);
  });

  const tables = () => kernel.said("watch").at(-1)?.tables;

  it("asks for the tables of all panels that are seen", () => {
    release();
    const [one, other] = [signal(true), signal(true)];
    session.watch(one, ["logs", "tasks"]);
    const stop = session.watch(other, ["errors", "tasks"]);
    expect(tables()).toEqual(["errors", "logs", "tasks"]);
    one.value = false;
    expect(tables()).toEqual(["errors", "tasks"]);
    other.value = false;
    expect(tables()).toEqual(["errors", "logs", "tasks"]);
    expect(last()).toBe(false);
    stop();
    expect(tables()).toEqual(["logs", "tasks"]);
  });

  it("costs nothing while the tab is hidden", () => {
    page.visible.value = false;
    expect(last()).toBe(false);
    page.visible.value = true;
    expect(last()).toBe(true);
  });

  it("ends a while after the last panel, and the store is freed later", () => {
    kernel.tasks(0, 5);
    release();
    expect(last()).toBe(false);
    expect(kernel.said("unwatch")).toHaveLength(0);
    vi.advanceTimersByTime(10_000);
    expect(kernel.said("unwatch")).toHaveLength(1);
    expect(page.session(kernel.link, "s")).toBe(session);
    vi.advanceTimersByTime(600_000);
    expect(page.session(kernel.link, "s")).not.toBe(session);
  });

  it("stays while two others that nobody shows yet come", () => {
    release();
    const first = page.session(kernel.link, "first");
    const second = page.session(kernel.link, "second");
    page.session(kernel.link, "third");
    expect(page.session(kernel.link, "second")).toBe(second);
    expect(page.session(kernel.link, "first")).toBe(first);
  });

  it("goes first when the page has no room for all rows", () => {
    const [old, shown] = ["old", "shown"].map((id) =>
      page.session(kernel.link, id),
    );
    shown.watch(visible, EVERYTHING);
    for (const store of [old, shown]) store.model.rows = LIMITS.page_rows / 2;
    kernel.tasks(0, 5);
    vi.advanceTimersByTime(200);
    expect(page.sessions.value).toEqual([session, shown]);
    const fresh = page.session(kernel.link, "fresh");
    session.model.rows = LIMITS.page_rows;
    release();
    kernel.tasks(5, 5);
    vi.advanceTimersByTime(200);
    expect(
      page.sessions.value,
      "neither by its own rows, nor before it has any",
    ).toEqual([session, shown, fresh]);
  });

  it("goes on where it was when a panel comes back", () => {
    kernel.tasks(0, 5);
    release();
    release();
    session.watch(visible, EVERYTHING);
    vi.advanceTimersByTime(1_000_000);
    expect(kernel.said("unwatch")).toHaveLength(0);
    expect(kernel.said("watch").at(-1)).toMatchObject({
      visible: true,
      have: [[0, 5]],
    });
  });

  it("leaves no timer when everything is closed", () => {
    kernel.tasks(0, 5);
    vi.advanceTimersByTime(200);
    release();
    session.dispose();
    kernel.channel.close();
    expect(vi.getTimerCount()).toBe(0);
  });
});
