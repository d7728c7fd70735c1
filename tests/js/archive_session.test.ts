// A stored recording as a session of the page: what a panel sees of it.

import { signal } from "@preact/signals";
import { afterEach, describe, expect, it, vi } from "vitest";
import { bytesOfBlob } from "../../js_src/archive/bytes";
import { SESSION_ID } from "../../js_src/archive/messages";
import { StoredRecording } from "../../js_src/archive/recording";
import { StoredFlow } from "../../js_src/archive/stored_flow";
import { openRecording } from "../../js_src/archive/stored_link";
import { DaskscopeError } from "../../js_src/errors";
import type { TaskDetail } from "../../js_src/model/types";
import type { TableName } from "../../js_src/schema";
import { SharedSession } from "../../js_src/session/session";
import { Page } from "../../js_src/session/page";
import type { SessionLink } from "../../js_src/link/types";
import {
  bytesOfBuffer,
  changed,
  cutOff,
  goldenContent,
  goldenFile,
  saying,
} from "./archive_files";
import { figuresOf, lookAt, sessionOf } from "./archive_session_opened";

const golden = goldenContent();

let session: SharedSession;
afterEach(() => session.dispose());

/** The session of a file, watched, once all its rows have come. */
async function opened(file = goldenFile(), rows = 10): Promise<void> {
  session = await sessionOf(file);
  await lookAt(session, rows);
}

/** The columns of a table, once they have come. */
async function table<N extends TableName>(name: N) {
  const view = session.table(name);
  await vi.waitFor(() => expect(view.value.state).toBe("ready"));
  return view.value.columns;
}

describe("the session of a file", () => {
  it("has all of its tasks, stopped", async () => {
    await opened();
    expect(session.state.value).toBe("stopped");
    expect(session.model.have()).toEqual([
      [0, 5],
      [7, 10],
    ]);
    expect(session.counts.value).toEqual(golden.about["counts"]);
    expect(session.counts.value).toMatchObject({ kept: 8, rows: 10 });
    expect(session.origin.value).toBe(golden.about["origin"]);
    expect(session.now.value).toBeGreaterThanOrEqual(
      golden.about["stop"] as number,
    );
    expect(session.info.value).toEqual({
      id: "recording",
      name: golden.about["title"],
      address: "tcp://10.0.0.1:8786",
    });
    expect(session.workers.value).toMatchObject([{ name: "0", threads: 2 }]);
    expect(session.notices.value.map(({ code }) => code)).toEqual([
      "plugins-refused",
    ]);
  });

  it("has the names, with a colour for each prefix", async () => {
    await opened();
    expect(session.prefixes).toEqual(golden.names.prefixes.name);
    expect(session.slots).toEqual(golden.names.prefixes.colour);
    expect(session.lanes[0]).toEqual({
      worker: golden.names.lanes.worker[0],
      thread: golden.names.lanes.thread[0],
    });
    expect(session.actions).toEqual(golden.names.actions.name);
  });

  it("draws the coarse picture before any row has come", async () => {
    session = await sessionOf(goldenFile());
    const take = vi.spyOn(session, "takeRows");
    const picture = vi.spyOn(session, "takeCoarse");
    session.watch(signal(true), ["tasks"]);
    await vi.waitFor(() => expect(take).toHaveBeenCalledTimes(2));
    const [order] = picture.mock.invocationCallOrder;
    expect(order).toBeLessThan(take.mock.invocationCallOrder[0]!);
    expect(picture.mock.calls[0]!.slice(1)).toEqual([0, 10]);
    expect(take.mock.calls.map(([, first]) => first)).toEqual([0, 7]);
    // Two tasks were dropped, and nothing comes in their place.
    await vi.waitFor(() => expect(session.model.isCoarse).toBe(false));
    expect(session.model.extent()!.start).toBe(session.origin.value);
  });

  it("has errors, changes of workers and gaps", async () => {
    await opened();
    const errors = await table("errors");
    expect([...errors.task]).toEqual(golden.logs["errors"]!["task"]);
    expect(errors.prefix[0]).toBe(2);
    expect(await table("workers")).toMatchObject({
      what: ["added"],
      name: ["worker-0"],
      detail: ["2 threads"],
    });
    expect(await table("gaps")).toMatchObject({
      reason: ["scheduler-restarted"],
    });
    expect(session.table("errors").value.dropped).toBe(0);
  });

  it("answers for a task what Python answers", async () => {
    await opened();
    for (const detail of golden.details) {
      const { task } = detail;
      expect(await session.ask("task", { task }), `${task}`).toEqual(detail);
    }
    await expect(session.ask("task", { task: 5 })).rejects.toMatchObject({
      code: "unknown-task",
    });
    await expect(session.ask("task", { task: 99 })).rejects.toMatchObject({
      code: "unknown-task",
    });
  });

  it("unpacks keys when somebody looks for them", async () => {
    await opened();
    expect(session.keys.has(1)).toBe(false);
    expect(await session.keys.text(1)).toBe(golden.keys["1"]);
    expect(session.keys.has(4)).toBe(true);
    expect(session.keys.has(7)).toBe(false);
    const { tasks, searched, of } = await session.keys.search("SUM-");
    expect([...tasks]).toEqual([1, 8]);
    expect([searched, of]).toEqual([8, 8]);
  });

  it("cuts a key of many megabytes, wherever it is shown", async () => {
    const long = `inc-${"x".repeat(8_000_000)}`;
    await opened(
      await changed(({ name, data }) => {
        if (name !== "keys/000000.txt") return [{ name, data }];
        const keys = new TextDecoder().decode(data).split("\0");
        const text = [keys[0], long, ...keys.slice(2)].join("\0");
        return [{ name, data: new TextEncoder().encode(text) }];
      }),
    );
    const cut = `${long.slice(0, 100_000)}…`;
    expect(await session.ask("task", { task: 1 })).toMatchObject({ key: cut });
    expect(await session.keys.text(1)).toBe(cut);
    expect(await session.keys.text(2)).toBe(golden.keys["2"]);
  });

  it("keeps of a file no more bytes than the keys that it hands out", async () => {
    const recording = await StoredRecording.open(
      bytesOfBlob(new Blob([goldenFile()])),
    );
    const { packed } = await recording.keysOf(recording.parts[0]!);
    expect(packed.buffer.byteLength).toBe(packed.byteLength);
  });

  it("asks for each block of keys once, also in a search", async () => {
    await opened();
    const take = vi.spyOn(session, "takeKeys");
    await session.keys.search("inc");
    await session.keys.search("sum");
    expect(take).toHaveBeenCalledTimes(2);
  });

  it("has the figures that the file says, and refuses other questions", async () => {
    await opened(await saying({ summary: { title: "A run" } }));
    await vi.waitFor(() =>
      expect(session.summary.value).toEqual({ title: "A run" }),
    );
    await expect(session.ask("stack", {})).rejects.toMatchObject({
      code: "unknown-question",
    });
  });

  it("knows the workers by the log, where the file says it nowhere else", async () => {
    const file = await changed(({ name, data }) => {
      if (name !== "about.json") return [{ name, data }];
      const json = JSON.stringify({ counts: golden.about["counts"] });
      return [{ name, data: new TextEncoder().encode(json) }];
    });
    await opened(file);
    expect(session.workers.value).toMatchObject([
      { address: "tcp://10.0.0.1:40001", name: "worker-0", threads: 2 },
    ]);
    expect(session.origin.value).toBe(golden.about["origin"]);
    expect(figuresOf(session)).toEqual(golden.totals);
  });

  it("begins with the first row where the file has an origin that is no time", async () => {
    await opened(await saying({ origin: 1e20 }));
    expect(session.origin.value).toBe(golden.about["origin"]);
  });

  it("has a table without rows where the file has none", async () => {
    await opened(
      await changed((one) => (one.name === "events.arrow" ? [] : [one])),
    );
    expect(await table("events")).toEqual({
      time: new Float64Array(0),
      topic: [],
      message: [],
    });
  });

  it("waits while no panel is visible, then continues", async () => {
    session = await sessionOf(goldenFile());
    const visible = signal(false);
    session.watch(visible, ["tasks"]);
    await vi.waitFor(() => expect(session.prefixes).not.toHaveLength(0));
    await new Promise((done) => setTimeout(done, 50));
    expect(session.have()).toEqual([]);
    visible.value = true;
    await vi.waitFor(() => expect(session.have()).toHaveLength(2));
  });

  it("is one store for all panels of a page, and can be shown again", async () => {
    const { link } = await openRecording(new Blob([goldenFile()]));
    const other = await openRecording(new Blob([goldenFile()]));
    const page = new Page();
    session = page.session(link, SESSION_ID);
    expect(page.session(link, SESSION_ID)).toBe(session);
    expect(page.session(other.link, SESSION_ID)).not.toBe(session);
    session.dispose();
    session = page.session(link, SESSION_ID);
    session.watch(signal(true), ["tasks"]);
    await vi.waitFor(() => expect(session.have()).toHaveLength(2));
  });
});

describe("the session of a file that is not whole", () => {
  it("counts what is there, and says that the rest is missing", async () => {
    await opened(await cutOff());
    await vi.waitFor(() =>
      expect(session.counts.value).toEqual({
        captured: 10,
        kept: 8,
        dropped_agent: 0,
        dropped_recording: 2,
        rows: 10,
        erred: 1,
        changes: 0,
      }),
    );
    expect(session.notices.value).toMatchObject([
      { code: "file-cut", level: "warn" },
    ]);
    expect(session.info.value.name).toBe(golden.about["title"]);
    expect(session.workers.value).toMatchObject([
      { address: "tcp://10.0.0.1:40001", threads: 2 },
      { address: "tcp://10.0.0.2:40001", threads: 1 },
    ]);
    expect(await session.keys.text(8)).toBe(golden.keys["8"]);
  });

  it("shows what can be read, and says what cannot", async () => {
    const file = await changed(({ name, data }) =>
      name === "tasks/000000.arrow"
        ? [{ name, data, claims: { crc: 1 } }]
        : [{ name, data }],
    );
    await opened(file, 3);
    expect(session.have()).toEqual([[7, 10]]);
    const text =
      "run.daskscope cannot be read: it is damaged in 'tasks/000000.arrow'.";
    expect(session.notices.value).toContainEqual(
      expect.objectContaining({ code: "bad-file", level: "error", text }),
    );
    const asked = session.ask("task", { task: 1 });
    await expect(asked).rejects.toBeInstanceOf(DaskscopeError);
    await expect(asked).rejects.toMatchObject({ code: "bad-file", text });
  });

  it("finds keys as far as they can be read", async () => {
    const file = await changed(({ name, data }) =>
      name === "keys/000000.txt"
        ? [{ name, data, claims: { crc: 1 } }]
        : [{ name, data }],
    );
    await opened(file);
    expect(await session.keys.text(1)).toBeNull();
    const { tasks, searched, of } = await session.keys.search("sum");
    expect([...tasks]).toEqual([8]);
    expect([searched, of]).toEqual([3, 8]);
  });
});

describe("the session of a file with more rows than a page may hold", () => {
  it("keeps the coarse picture of the oldest, and says so", async () => {
    const recording = await StoredRecording.open(bytesOfBuffer(goldenFile()));
    const open = () => Promise.resolve(recording);
    const link: SessionLink = {
      kernelId: "file-1",
      live: false,
      sessions: signal([]),
      stream: (_, sink) => new StoredFlow(open, "run.daskscope", sink, 2),
    };
    session = new SharedSession(link, "recording", signal(true), () => {});
    session.watch(signal(true), ["tasks"]);
    await vi.waitFor(() =>
      expect(session.notices.value).toContainEqual(
        expect.objectContaining({
          code: "page-full",
          level: "info",
          text: expect.stringContaining("5 older tasks") as string,
        }),
      ),
    );
    expect(session.have()).toEqual([[7, 10]]);
    expect(session.model.isCoarse).toBe(true);
    expect(await session.ask("task", { task: 1 })).toMatchObject({ task: 1 });
  });
});

describe("what a panel needs of a task", () => {
  it("is there for one that ran nowhere", async () => {
    await opened();
    const killed = (await session.ask("task", { task: 9 })) as TaskDetail;
    expect(killed).toMatchObject({ startstops: [], status: "error" });
    expect(killed.error?.exception).toBe(
      "KilledWorker: 4 workers went away while they ran this task",
    );
  });
});
