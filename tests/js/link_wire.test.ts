import { describe, expect, it } from "vitest";
import { DaskscopeError } from "../../js_src/errors";
import { type Message, parseMessage } from "../../js_src/link/wire";
import {
  decodeCoarse,
  decodeRows,
  decodeTasks,
} from "../../js_src/link/columns";
import { rowsMessage, tasksBuffer } from "./samples";

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

/** Rows as they come: checked, and as columns. */
function rowsOf(...rows: Parameters<typeof rowsMessage>) {
  const [fields, buffers] = rowsMessage(...rows);
  const message = { type: "rows", page: "p", session: "s", seq: 1, ...fields };
  return decodeRows(parseMessage(message, buffers) as Message<"rows">);
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
    const { columns } = rowsOf("actions", 0, [{ name }]);
    expect(columns).toEqual({ name: [name] });
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

  it("is refused when the buffer is that of another table", () => {
    const bytes = tasksBuffer(10, 50);
    expect(problemOf(() => decodeCoarse(bytes, 50)).code).toBe("bad-message");
  });

  it.each([0, 7, 60, 200])("is refused when cut to %i bytes", (length) => {
    const bytes = tasksBuffer(10, 50).slice(0, length);
    expect(problemOf(() => decodeTasks(bytes, batch)).code).toBe("bad-message");
  });
});

describe("rows of a table", () => {
  const gap = { start: 1, stop: 2, reason: "lost", text: "gone" };

  it("become columns, with the numbers of the rows", () => {
    const rows = rowsOf("gaps", 7, [gap, { ...gap, start: NaN }]);
    expect(rows.numbers).toEqual(Float64Array.of(7, 8));
    expect(rows.columns["start"]).toEqual(Float64Array.of(1, NaN));
    expect(rows.columns["text"]).toEqual(["gone", "gone"]);
  });

  it("say their numbers where some are missing", () => {
    const [fields, [buffer]] = rowsMessage("gaps", 3, [gap, gap]);
    const numbered = new Uint8Array(16 + buffer!.length);
    numbered.set(new Uint8Array(Float64Array.of(4, 8).buffer));
    numbered.set(buffer!, 16);
    const head = { type: "rows", page: "p", session: "s", seq: 1, ...fields };
    const read = (count: number) =>
      decodeRows(
        parseMessage({ ...head, numbered: true, count }, [
          numbered,
        ]) as Message<"rows">,
      );
    expect(read(6).numbers).toEqual(Float64Array.of(4, 8));
    expect(read(6).columns["stop"]).toEqual(Float64Array.of(2, 2));
    expect(problemOf(() => read(5)).code).toBe("bad-rows");
  });

  it.each([
    ["of a table that this page does not know", { table: "secrets" }],
    ["of tasks, which come in batches", { table: "tasks" }],
    ["of a ring that the table has not", { ring: 1 }],
    ["fewer than it says", { rows: 2 }],
    ["with no texts", { texts: {} }],
    [
      "with a column of texts more",
      { texts: { reason: ["a"], text: ["b"], more: ["c"] } },
    ],
    [
      "with another column of texts",
      { texts: { reason: ["a"], other: ["b"] } },
    ],
    ["with too few texts", { texts: { reason: [], text: ["b"] } }],
    ["with numbers for texts", { texts: { reason: [1], text: ["b"] } }],
    ["with an inherited column", { texts: { reason: ["a"], valueOf: ["b"] } }],
  ])("are refused with a code: %s", (_, wrong) => {
    const problem = problemOf(() => rowsOf("gaps", 0, [gap], wrong));
    expect(problem.code).toBe("bad-rows");
  });
});
