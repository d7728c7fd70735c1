import { tableFromArrays, tableToIPC } from "@uwdata/flechette";
import { describe, expect, it } from "vitest";
import { DaskscopeError } from "../../js_src/errors";
import { parseMessage } from "../../js_src/wire";
import { tasksBuffer } from "./samples";
import { decodeCoarse, decodeTasks } from "../../js_src/wire_arrow";

const status = {
  type: "status",
  page: "p",
  session: "s",
  state: "live",
  counts: {
    captured: 3,
    kept: 3,
    dropped_agent: 0,
    dropped_recording: 0,
    rows: 4,
    erred: 0,
  },
  behind_s: 0.1,
  now: 1000.5,
  origin: 1000,
  notices: [],
  workers: [],
};

function problemOf(run: () => unknown): DaskscopeError {
  try {
    run();
  } catch (error) {
    if (error instanceof DaskscopeError) return error;
    throw error;
  }
  throw new Error("nothing was thrown");
}

describe("a message from the kernel", () => {
  it("is typed when every field is right", () => {
    const message = parseMessage(status);
    expect(message).toMatchObject({ type: "status", now: 1000.5 });
  });

  it("says of a worker of an older kernel not how many tasks run there", () => {
    const workers = [{ address: "tcp://w:1" }, { address: "b", running: 2 }];
    const message = parseMessage({ ...status, workers });
    expect(message).toMatchObject({
      workers: [{ running: null }, { running: 2 }],
    });
  });

  it("says no origin where what it says cannot be a time", () => {
    expect(parseMessage({ ...status, origin: 1e20 })).toMatchObject({
      origin: null,
    });
    expect(parseMessage(status)).toMatchObject({ origin: 1000 });
    const problem = problemOf(() => parseMessage({ ...status, origin: "now" }));
    expect(problem.text).toContain("status.origin");
  });

  it("is refused with the name of the field that is wrong", () => {
    const broken = { ...status, counts: { ...status.counts, kept: "3" } };
    const problem = problemOf(() => parseMessage(broken));
    expect(problem.code).toBe("bad-message");
    expect(problem.text).toContain("status.counts.kept");
  });

  it.each([null, 7, "text", [], {}, { type: 3 }])(
    "is refused when it is %j",
    (data) => {
      expect(problemOf(() => parseMessage(data)).code).toBe("bad-message");
    },
  );

  it("may carry fields that this page does not know", () => {
    const message = parseMessage({ ...status, later: { deep: [1] } });
    expect(message.type).toBe("status");
    expect(message).not.toHaveProperty("later");
  });

  it("of an unknown type is named, not refused", () => {
    expect(parseMessage({ type: "aurora" })).toEqual({
      type: "unknown",
      name: "aurora",
    });
    expect(parseMessage({ type: "constructor" }).type).toBe("unknown");
  });

  it("keeps hostile names as text", () => {
    const name = "<script>alert(1)</script>\n🦋('a', 1)";
    const message = parseMessage({
      type: "names",
      page: "p",
      session: "s",
      seq: 1,
      prefixes: { first: 0, items: [name] },
    });
    expect(message).toMatchObject({ prefixes: { items: [name] } });
  });

  it("must bring as many buffers as it promises", () => {
    const batch = {
      type: "batch",
      page: "p",
      session: "s",
      seq: 1,
      kind: "live",
      first: 0,
      tasks: 1,
      rows: 1,
    };
    expect(problemOf(() => parseMessage(batch)).text).toContain("buffers");
  });
});

describe("a batch of tasks", () => {
  const batch = { first: 10, tasks: 50, rows: 50 };

  it("becomes columns that share the buffer's memory", () => {
    const buffer = tasksBuffer(10, 50).slice();
    const columns = decodeTasks(buffer, batch);
    expect(columns.start).toBeInstanceOf(Float64Array);
    expect(columns.start.buffer).toBe(buffer.buffer);
    expect(columns.task[49]).toBe(59);
    expect(columns.rows).toBe(50);
  });

  it("is copied only when the host hands out an odd slice", () => {
    const bytes = tasksBuffer(10, 50);
    const shifted = new Uint8Array(bytes.length + 3);
    shifted.set(bytes, 3);
    const view = new DataView(shifted.buffer, 3);
    expect(decodeTasks(view, batch).task[0]).toBe(10);
  });

  it("may be empty", () => {
    const columns = decodeTasks(tasksBuffer(0, 0), {
      first: 5,
      tasks: 3,
      rows: 0,
    });
    expect(columns.lane).toHaveLength(0);
  });

  it("is refused when a row belongs to a task outside of it", () => {
    expect(
      problemOf(() => decodeTasks(tasksBuffer(0, 50), batch)).text,
    ).toContain("task 0");
  });

  it("is refused when the count of rows is another one", () => {
    const wrong = { ...batch, rows: 51 };
    expect(problemOf(() => decodeTasks(tasksBuffer(10, 50), wrong)).code).toBe(
      "bad-message",
    );
  });

  it("is refused when a column is missing or of another type", () => {
    const table = tableFromArrays({ start: Float32Array.of(1) });
    const bytes = tableToIPC(table, { format: "stream" })!;
    expect(
      problemOf(() => decodeTasks(bytes, { first: 0, tasks: 1, rows: 1 })).text,
    ).toContain("batch.start");
    expect(problemOf(() => decodeCoarse(bytes, 1)).code).toBe("bad-message");
  });

  it.each([0, 7, 60, 200])("is refused when cut to %i bytes", (length) => {
    const bytes = tasksBuffer(10, 50).slice(0, length);
    expect(problemOf(() => decodeTasks(bytes, batch)).code).toBe("bad-message");
  });
});
