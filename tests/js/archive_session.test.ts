// A stored recording as a session of the page: what a panel sees of it.

import { signal } from "@preact/signals";
import { afterEach, describe, expect, it, vi } from "vitest";
import { bytesOfBlob, bytesOfBuffer } from "../../js_src/archive/bytes";
import { openRecording } from "../../js_src/archive/open";
import { StoredRecording } from "../../js_src/archive/recording";
import { StoredFlow } from "../../js_src/archive/stored_flow";
import { Sums } from "../../js_src/archive/totals";
import { DaskscopeError } from "../../js_src/errors";
import { NO_FOCUS, type TaskDetail } from "../../js_src/model/types";
import { SharedSession } from "../../js_src/session";
import { Page } from "../../js_src/session_page";
import type { SessionLink } from "../../js_src/stream_link";
import {
  type Content,
  contentsOf,
  type Figures,
  goldenContent,
  goldenFile,
  zipOf,
} from "./archive_files";

const golden = goldenContent();
const shown = signal(true);

let session: SharedSession;
afterEach(() => session.dispose());

/** The session of a file, watched, once all its rows have come. */
async function opened(file = goldenFile(), rows = 10): Promise<SharedSession> {
  const { link, sessionId } = await openRecording(file, "run.daskscope");
  session = new SharedSession(link, sessionId, signal(true), () => {});
  session.watch(shown);
  await vi.waitFor(() => {
    const { odd } = session.model;
    expect(session.model.rows + odd.unplaceable).toBe(rows);
    expect(session.totals.peek().prefixes).not.toHaveLength(0);
  });
  return session;
}

async function changed(change: (content: Content) => Content[]) {
  return zipOf((await contentsOf(goldenFile())).flatMap(change));
}

/** With something else in what it says of itself. */
const saying = (said: object) =>
  changed(({ name, data }) => {
    if (name !== "about.json") return [{ name, data }];
    const about = JSON.parse(new TextDecoder().decode(data)) as object;
    const json = JSON.stringify({ ...about, ...said });
    return [{ name, data: new TextEncoder().encode(json) }];
  });

/** Without what is written last: the coarse picture, tables and figures. */
async function cutOff(): Promise<ArrayBuffer> {
  let last = false;
  const file = await changed((one) => {
    last ||= one.name === "coarse.arrow";
    return last ? [] : [one];
  });
  return file.slice(0, file.byteLength - 4);
}

const figures = (): Figures => {
  const { prefixes, actions } = session.totals.peek();
  return {
    prefixes: prefixes.map(({ prefix, tasks, seconds, erred, computes }) => [
      prefix,
      tasks,
      seconds,
      erred,
      computes,
    ]),
    actions: actions.map(({ action, rows, seconds }) => [
      action,
      rows,
      seconds,
    ]),
  };
};

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
    expect(session.now.value).toBeGreaterThan(session.origin.value + 3_600);
    expect(session.info.value).toEqual({
      id: "recording",
      name: "LocalCluster",
      address: "tcp://10.0.0.1:8786",
    });
    expect(session.workers.value).toMatchObject([{ name: "0", threads: 2 }]);
    expect(session.notices.value.map(({ code }) => code)).toEqual([
      "plugins-refused",
    ]);
  });

  it("has the names, with a colour for each prefix", async () => {
    await opened();
    expect(session.prefixes).toEqual(golden.names.prefixes);
    expect(session.slots).toHaveLength(session.prefixes.length);
    expect(session.lanes[0]).toEqual({
      worker: golden.names.lanes[0]![0],
      thread: golden.names.lanes[0]![1],
    });
    expect(session.actions).toEqual(golden.names.actions);
  });

  it("draws the coarse picture before any row has come", async () => {
    const { link, sessionId } = await openRecording(goldenFile());
    session = new SharedSession(link, sessionId, signal(true), () => {});
    const take = vi.spyOn(session, "takeRows");
    const picture = vi.spyOn(session, "takeCoarse");
    session.watch(shown);
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
    const tasks = golden.records["errors"]!["task"]!;
    expect(session.errors.value.map(({ task }) => task ?? -1)).toEqual(tasks);
    expect(session.errors.value[0]!.prefix).toBe(2);
    expect(session.changes.value).toMatchObject([
      { what: "added", name: "worker-0", detail: "2 threads" },
    ]);
    expect(session.gaps.value).toMatchObject([
      { reason: "scheduler-restarted" },
    ]);
    expect(session.notHere.value).toEqual({ errors: 0, changes: 0 });
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

  it("has tables and facts for who asks for them", async () => {
    await opened();
    const logs = await session.ask("table", { name: "logs" });
    expect(logs).toMatchObject({ level: ["WARNING"] });
    expect(await session.ask("about", {})).toEqual(golden.about);
    await expect(session.ask("table", { name: "secrets" })).rejects.toThrow();
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
    expect(figures()).toEqual(golden.totals);
  });

  it("begins with the first row where the file has an origin that is no time", async () => {
    await opened(
      await changed(({ name, data }) => {
        if (name !== "about.json") return [{ name, data }];
        const json = JSON.stringify({ ...golden.about, origin: 1e20 });
        return [{ name, data: new TextEncoder().encode(json) }];
      }),
    );
    expect(session.origin.value).toBe(golden.about["origin"]);
  });

  it("has a table without rows where the file has none", async () => {
    await opened(
      await changed((one) => (one.name === "events.arrow" ? [] : [one])),
    );
    expect(await session.ask("table", { name: "events" })).toEqual({
      time: new Float64Array(0),
      topic: [],
      message: [],
    });
  });

  it("counts what is in focus, and everything again without one", async () => {
    await opened();
    expect(figures()).toEqual(golden.totals);
    session.setFocus({ ...golden.focus, prefixes: ["inc"] });
    await vi.waitFor(() => expect(figures()).toEqual(golden.totals_in_focus));
    expect(session.totals.value.focus).toEqual(golden.focus);
    session.setFocus(NO_FOCUS);
    await vi.waitFor(() => expect(figures()).toEqual(golden.totals));
  });

  it.each(["whole", "cut off, without figures of its own"])(
    "says figures of a focus that was set before anybody looked: a file that is %s",
    async (kind) => {
      const file = kind === "whole" ? goldenFile() : await cutOff();
      const { link, sessionId } = await openRecording(file);
      session = new SharedSession(link, sessionId, signal(true), () => {});
      session.setFocus(golden.focus);
      session.watch(shown);
      const said: unknown[] = [];
      session.totals.subscribe(({ focus }) => void said.push(focus));
      await vi.waitFor(() => {
        expect(figures()).toEqual(golden.totals_in_focus);
        expect(session.have()).toHaveLength(2);
        expect(session.counts.value.rows).toBe(10);
      });
      session.setFocus(NO_FOCUS); // nothing of the whole run came meanwhile
      await vi.waitFor(() => expect(said).toHaveLength(3));
      expect(said).toEqual([NO_FOCUS, golden.focus, NO_FOCUS]);
    },
  );

  it("says figures of the last focus only", async () => {
    await opened();
    const said: unknown[] = [];
    session.totals.subscribe(({ focus }) => void said.push(focus.workers));
    for (const worker of ["one", "two", "three"]) {
      session.setFocus({ ...NO_FOCUS, workers: [worker] });
    }
    await vi.waitFor(() => expect(said).toContainEqual(["three"]));
    expect(said).toEqual([[], ["three"]]);
  });

  it("says at once what the file says of tasks that its recording had dropped", async () => {
    const prefixes = [4, 7, 3].map((tasks, prefix) => ({
      ...{ prefix, tasks, seconds: 2.5, erred: 2, computes: 5 },
    }));
    const actions = [6, 3, 1, 1, 1, 1].map((rows, action) => ({
      ...{ action, rows, seconds: 4 },
    }));
    const counts = {
      ...{ captured: 14, kept: 8, rows: 10, erred: 6, changes: 9 },
      ...{ dropped_agent: 2, dropped_recording: 4 },
    };
    const said = { counts, totals: { prefixes, actions } };
    const { link, sessionId } = await openRecording(await saying(said));
    session = new SharedSession(link, sessionId, signal(true), () => {});
    const told: unknown[] = [];
    session.totals.subscribe((totals) => void told.push(totals));
    session.watch(shown);
    await vi.waitFor(() => expect(session.model.isCoarse).toBe(false));
    await vi.waitFor(() => expect(told.length).toBeGreaterThan(1));
    expect(told[1]).toEqual({ focus: NO_FOCUS, prefixes, actions });
    expect(told.at(-1)).toEqual(told[1]);
    expect(session.counts.value).toEqual(counts);
  });

  it.each([
    [
      "counts and totals",
      {
        counts: { captured: 3, kept: 3, rows: 1, erred: 0, changes: 0 },
        totals: {
          prefixes: [
            { prefix: 0, tasks: 1, seconds: 0.5, erred: 0 },
            { prefix: 0, tasks: 1, seconds: 0.125, erred: 0 },
          ],
          actions: [{ action: 0, rows: 1, seconds: 0.5 }],
        },
      },
    ],
    [
      "counts",
      { counts: { captured: 0, kept: 0, rows: 0, erred: 0, changes: 0 } },
    ],
    ["totals", { totals: { prefixes: [], actions: [] } }],
  ])("says no less than is in the file: %s", async (_, said) => {
    const counts = {
      ...(golden.about["counts"] as object),
      ...("counts" in said ? said.counts : {}),
      dropped_recording: 0,
    };
    await opened(await saying({ ...said, counts }));
    await vi.waitFor(() => expect(figures()).toEqual(golden.totals));
    await vi.waitFor(() =>
      expect(session.counts.value).toEqual(golden.about["counts"]),
    );
    session.setFocus(golden.focus);
    await vi.waitFor(() => expect(figures()).toEqual(golden.totals_in_focus));
    session.setFocus(NO_FOCUS);
    await vi.waitFor(() => expect(figures()).toEqual(golden.totals));
  });

  it.each([
    ["counts that are none", { counts: { captured: -1 } }],
    ["totals that are none", { totals: { prefixes: 5 } }],
    [
      "totals of a name that it has not",
      {
        totals: {
          prefixes: [{ prefix: 99, tasks: 1, seconds: 1, erred: 0 }],
          actions: [],
        },
      },
    ],
  ])("is counted where the file says %s", async (_, said) => {
    await opened(
      await changed(({ name, data }) => {
        if (name !== "about.json") return [{ name, data }];
        const json = JSON.stringify({ ...golden.about, ...said });
        return [{ name, data: new TextEncoder().encode(json) }];
      }),
    );
    expect(figures()).toEqual(golden.totals);
    await vi.waitFor(() =>
      expect(session.counts.value).toMatchObject({ kept: 8, rows: 10 }),
    );
    expect(session.notices.value.map(({ code }) => code)).toEqual([
      "plugins-refused",
    ]);
  });

  it("is counted once where the file does not say its figures", async () => {
    const add = vi.spyOn(Sums.prototype, "add");
    await opened(await saying({ totals: null }));
    await vi.waitFor(() => expect(session.have()).toHaveLength(2));
    const rows = add.mock.calls.map(([{ batch }]) => batch.rows);
    expect(rows.reduce((sum, some) => sum + some, 0)).toBe(10);
    expect(figures()).toEqual(golden.totals);
  });

  it("says what the bounds of the recording cost, once", async () => {
    const codes = async (about: object) => {
      const json = JSON.stringify({ ...golden.about, ...about });
      await opened(
        await changed(({ name, data }) =>
          name === "about.json"
            ? [{ name, data: new TextEncoder().encode(json) }]
            : [{ name, data }],
        ),
      );
      return session.notices.value.map(({ code, text }) => `${code}: ${text}`);
    };
    const dropped = { events: 3000, logs: 1 };
    expect((await codes({ dropped })).slice(1)).toEqual([
      "events-dropped: 3,000 events were dropped: a recording keeps the newest.",
      "logs-dropped: 1 line of a log was dropped: a recording keeps the newest.",
    ]);
    session.dispose();
    const missing = ["events-dropped", "logs-dropped"].map((code) => ({
      ...{ code, level: "warn", text: "Said.", next: "" },
    }));
    expect(await codes({ dropped, missing })).toEqual([
      "events-dropped: Said.",
      "logs-dropped: Said.",
    ]);
    session.dispose();
    expect(await codes({ dropped: { events: -1 }, missing: [] })).toEqual([]);
  });

  it("says which names are merged, of how many it is known, once", async () => {
    const notices = async (about: object) => {
      await opened(await saying(about));
      const found = session.notices.value.map(({ code, text }) => [code, text]);
      session.dispose();
      return found.slice(1);
    };
    const merged = {
      prefixes: { names: 1, exact: true },
      lanes: { names: 10_000, exact: false },
      spans: { names: 1_234, exact: true },
      actions: null,
    };
    expect(await notices({ merged })).toEqual([
      [
        "prefixes-merged",
        "1 prefix is merged into (other): a recording has no place for more.",
      ],
      [
        "lanes-merged",
        "At least 10,000 threads of workers are merged into (other): a recording has no place for more.",
      ],
      [
        "spans-merged",
        "1,234 spans are merged into (other): a recording has no place for more.",
      ],
    ]);
    const said = (code: string) => ({ code, level: "warn", text: code });
    const missing = ["first", "lanes-merged", "spans-merged"].map(said);
    expect((await notices({ merged, missing })).map(([code]) => code)).toEqual([
      "lanes-merged",
      "spans-merged",
      "prefixes-merged",
    ]);
    expect(await notices({ merged: { prefixes: { names: -1 } } })).toEqual([]);
    expect(await notices({ merged: 7 })).toEqual([]);
  });

  it("waits while nobody looks, and goes on", async () => {
    const { link, sessionId } = await openRecording(goldenFile());
    session = new SharedSession(link, sessionId, signal(true), () => {});
    const looks = signal(false);
    session.watch(looks);
    await vi.waitFor(() => expect(session.prefixes).not.toHaveLength(0));
    await new Promise((done) => setTimeout(done, 50));
    expect(session.have()).toEqual([]);
    looks.value = true;
    await vi.waitFor(() => expect(session.have()).toHaveLength(2));
  });

  it("is one store for all panels of a page, and can be shown again", async () => {
    const { link, sessionId } = await openRecording(goldenFile());
    const other = await openRecording(goldenFile());
    const page = new Page();
    session = page.session(link, sessionId);
    expect(page.session(link, sessionId)).toBe(session);
    expect(page.session(other.link, sessionId)).not.toBe(session);
    session.dispose();
    session = page.session(link, sessionId);
    session.watch(shown);
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
    expect(session.info.value.name).toBe("LocalCluster");
    expect(session.workers.value).toMatchObject([
      { address: "tcp://10.0.0.1:40001", threads: 2 },
      { address: "tcp://10.0.0.2:40001", threads: 1 },
    ]);
    expect(await session.keys.text(8)).toBe(golden.keys["8"]);
    expect(await session.ask("about", {})).toMatchObject({
      title: golden.about["title"],
      whole: false,
    });
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
    const link: SessionLink = {
      kernelId: "file-1",
      live: false,
      sessions: signal([]),
      stream: (_, sink) => new StoredFlow(recording, "run.daskscope", sink, 2),
    };
    session = new SharedSession(link, "recording", signal(true), () => {});
    session.watch(shown);
    await vi.waitFor(() =>
      expect(session.notices.value).toContainEqual({
        code: "page-full",
        level: "info",
        text: "This page holds as many rows as it may: 5 older tasks are shown as a coarse picture.",
        next: "daskscope.load(…).tasks has all that are in the file.",
      }),
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
