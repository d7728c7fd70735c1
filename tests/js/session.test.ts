import { signal } from "@preact/signals";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { NO_FOCUS } from "../../js_src/model/types";
import { LIMITS, PROTOCOL } from "../../js_src/schema";
import type { SharedSession } from "../../js_src/session";
import { Page } from "../../js_src/session_page";
import type { Channel, KernelLink, Port } from "../../js_src/stream";
import type { PageMessage } from "../../js_src/wire";
import { keysBuffer, tasksBuffer } from "./samples";

const visible = signal(true);

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
  release = session.watch(visible);
  visible.value = true;
});
afterEach(() => {
  vi.useRealTimers();
});

describe("a session on the page", () => {
  it("is one store, however many panels show it", () => {
    const other = page.session(kernel.link, "s");
    other.watch(visible);
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
      {
        code: "bad-message",
        level: "error",
        text: expect.stringContaining("does not understand"),
      },
    ]);
    expect(warn).toHaveBeenCalledOnce();
  });

  it("grows its lists of names, in whatever order they come", () => {
    const names = (first: number, items: string[]) => ({
      prefixes: { first, items },
    });
    kernel.number("names", names(2, ["c"]));
    expect(session.prefixes).toEqual([]);
    kernel.number("names", names(0, ["a", "b"]));
    kernel.number("names", names(1, ["b", "c", "d"]));
    expect(session.prefixes).toEqual(["a", "b", "c", "d"]);
    expect(session.slots).toHaveLength(4);
    expect(new Set(session.slots).size).toBe(4);
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

  const errors = (first: number, tasks: number[]) => ({
    first: { errors: first, changes: 0, gaps: 0 },
    errors: tasks.map((task) => ({
      task,
      prefix: 0,
      worker: "w",
      time: 5,
      exception: "E",
    })),
  });
  const erred = () => session.errors.value.map(({ task }) => task);

  it("keeps events once and in order, however often they come", () => {
    kernel.number("events", errors(0, [10, 11]));
    kernel.number("events", errors(4, [14]));
    expect(erred()).toEqual([10, 11, 14]);
    kernel.number("events", errors(1, [11, 12, 13]));
    expect(erred()).toEqual([10, 11, 12, 13, 14]);
    kernel.welcome(false);
    kernel.number("events", errors(0, [10, 11, 12]));
    expect(erred()).toEqual([10, 11, 12, 13, 14]);
  });

  it("keeps the newest events only", () => {
    const tasks = Array.from({ length: 10_005 }, (_, task) => task);
    kernel.number("events", errors(0, tasks));
    expect(erred()).toHaveLength(10_000);
    expect(erred()[0]).toBe(5);
  });

  it("tells events that were dropped from those that are still to come", () => {
    const missing = () => session.notHere.value.errors;
    kernel.number("events", errors(20, [20, 21])); // the kernel has none before
    expect(missing()).toBe(20);
    kernel.number("events", errors(22, [22]));
    expect(missing()).toBe(20);
    kernel.number("events", errors(33, [33])); // ten were dropped on the scheduler
    expect(missing()).toBe(30);
    const tasks = Array.from({ length: 10_000 }, (_, task) => task);
    kernel.number("events", errors(34, tasks));
    expect(missing()).toBe(34);
  });

  it("gets names that were lost for good by asking for all of them again", () => {
    const names = (first: number, items: string[]) =>
      kernel.number("names", { prefixes: { first, items } });
    names(0, ["a"]);
    for (let i = 2; i < 500; i++) names(i, [`late-${i}`]);
    const asked = kernel.said("watch").filter(({ restart }) => restart);
    expect(asked.length).toBeGreaterThan(0);
    expect(asked.length).toBeLessThan(20);
    names(0, ["a", "b", "c"]);
    names(3, ["d"]);
    expect(session.prefixes.slice(0, 4)).toEqual(["a", "b", "c", "d"]);
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
    const figures = { prefixes: [[0, 2, 1.5, 0]], actions: [] };
    kernel.say("totals", { focus, ...figures });
    expect(session.totals.value.focus).toEqual(focus);
    expect(session.totals.value.prefixes).toEqual([
      { prefix: 0, tasks: 2, seconds: 1.5, erred: 0, computes: 2 },
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
    session.watch(second);
    expect(last()).toBe(true);
    visible.value = false;
    expect(last()).toBe(false);
    second.value = true;
    expect(last()).toBe(true);
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
    shown.watch(visible);
    for (const store of [old, shown]) store.model.rows = LIMITS.page_rows / 2;
    kernel.tasks(0, 5);
    vi.advanceTimersByTime(200);
    expect(page.held.value).toEqual([session, shown]);
    const fresh = page.session(kernel.link, "fresh");
    session.model.rows = LIMITS.page_rows;
    release();
    kernel.tasks(5, 5);
    vi.advanceTimersByTime(200);
    expect(
      page.held.value,
      "neither by its own rows, nor before it has any",
    ).toEqual([session, shown, fresh]);
  });

  it("goes on where it was when a panel comes back", () => {
    kernel.tasks(0, 5);
    release();
    release();
    session.watch(visible);
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
