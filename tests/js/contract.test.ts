// The golden messages of tests/contract, written by the kernel's code, as this
// page reads them; and the page's own, which the kernel's tests read.

import { readdirSync, readFileSync } from "node:fs";
import { inflateSync } from "node:zlib";
import { signal } from "@preact/signals";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import {
  KERNEL_MESSAGES,
  PROTOCOL,
  type TableName,
  TABLES,
} from "../../js_src/schema";
import { Page } from "../../js_src/session/page";
import {
  type Message,
  parseMessage,
  pageMessage,
} from "../../js_src/link/wire";
import {
  decodeCoarse,
  decodeRows,
  decodeTasks,
} from "../../js_src/link/columns";

interface Golden {
  from: "kernel" | "page";
  message: { type: string; [field: string]: unknown };
  buffers: string[];
  columns?: Record<string, unknown[]>;
  /** What a table is that only the golden messages have. */
  table?: { columns: object };
  /** Of rows of which some are missing. */
  numbers?: number[];
  keys?: string[][];
}

const FOLDER = "tests/contract";
const golden = readdirSync(FOLDER)
  .filter((name) => name.endsWith(".json"))
  .map((name) => {
    const text = readFileSync(`${FOLDER}/${name}`, "utf-8");
    return [name.replace(".json", ""), JSON.parse(text) as Golden] as const;
  });
const fromKernel = golden.filter(([, { from }]) => from === "kernel");

const filesOf = ({ buffers }: Golden) =>
  buffers.map((name) => new Uint8Array(readFileSync(`${FOLDER}/${name}`)));

function parsed(entry: Golden) {
  return parseMessage(entry.message, filesOf(entry));
}

function columnsOf(entry: Golden): Record<string, ArrayLike<unknown>> {
  const message = parsed(entry);
  if (message.type === "rows") return { ...decodeRows(message).columns };
  if (message.type !== "batch") throw new Error("no rows");
  const { buffers, kind, rows } = message;
  const columns =
    kind === "coarse"
      ? decodeCoarse(buffers[0]!, rows)
      : decodeTasks(buffers[0]!, message);
  return columns as unknown as Record<string, ArrayLike<unknown>>;
}

describe("a golden message", () => {
  it.each(fromKernel)("of the kernel is understood: %s", (_, entry) => {
    expect(parsed(entry)).toMatchObject({ type: entry.message.type });
  });

  it("exists for every type", () => {
    const types = new Set(fromKernel.map(([, { message }]) => message.type));
    expect([...types].sort()).toEqual([...KERNEL_MESSAGES].sort());
  });

  it.each(fromKernel.filter(([, { columns, table }]) => columns && !table))(
    "with rows decodes to what the kernel meant: %s",
    (_, entry) => {
      const columns = columnsOf(entry);
      expect(Object.keys(columns)).toEqual(
        expect.arrayContaining(Object.keys(entry.columns!)),
      );
      for (const [name, wanted] of Object.entries(entry.columns!)) {
        const values = Array.from(columns[name]!, (value) =>
          Number.isNaN(value) ? null : value,
        );
        expect(values, name).toEqual(wanted);
      }
    },
  );

  it("with rows of which some are missing says the numbers of the others", () => {
    const entry = golden.find(([name]) => name === "kernel_rows_numbered")![1];
    const { numbers, first, count } = decodeRows(
      parsed(entry) as Message<"rows">,
    );
    expect([...numbers]).toEqual(entry.numbers);
    expect(count).toBeGreaterThan(numbers.length);
    expect(first).toBe(0);
  });

  it("with keys brings them as text, whatever they hold", () => {
    const [, entry] = fromKernel.find(([, { keys }]) => keys)!;
    const message = parsed(entry);
    if (message.type !== "keys") throw new Error("not keys");
    const texts = message.buffers.map((buffer) =>
      inflateSync(buffer as Uint8Array)
        .toString("utf-8")
        .split("\0"),
    );
    expect(texts).toEqual(entry.keys);
    expect(texts.flat().join()).toContain("<script>");
  });
});

describe("tables that this page has never heard of", () => {
  const declared = fromKernel.filter(([, { table }]) => table);
  const tables = TABLES as Record<string, unknown>;
  beforeEach(() => {
    vi.useFakeTimers();
    for (const [, { message, table }] of declared) {
      tables[message["table"] as string] = table;
    }
  });
  afterEach(() => {
    vi.useRealTimers();
    for (const [, { message }] of declared) {
      Reflect.deleteProperty(tables, message["table"] as string);
    }
  });

  it("arrive from the kernel once they are declared", () => {
    const page = new Page();
    const port = { kind: "comm" as const, send: () => {} };
    const channel = page.connect(port);
    const greeting = golden.find(([name]) => name === "kernel_welcome")![1];
    channel.receive({ ...greeting.message, page: page.id });
    const state = channel.state.value;
    if (state.kind !== "open") throw new Error(state.kind);
    const session = page.session(state.link, "session-1");
    session.watch(signal(true), ["chatter", "pulse"]);
    for (const entry of [...declared].map(([, one]) => one).sort(bySeq)) {
      channel.receive({ ...entry.message, page: page.id }, filesOf(entry));
    }
    vi.advanceTimersByTime(200);
    expect(session.notices.value).toEqual([]);
    const columnsOf = (name: string) => {
      const [ring] = session.table(name as TableName).value.rings;
      const columns = ring!.columns as unknown as Record<string, unknown[]>;
      return Object.fromEntries(
        Object.entries(columns).map(([key, values]) => [key, [...values]]),
      );
    };
    expect(declared).toHaveLength(3);
    for (const [, { message, columns }] of declared) {
      expect(columnsOf(message["table"] as string)).toEqual(columns);
    }
    const { mood } = columnsOf("chatter") as { mood: number[] };
    expect(mood.map((at) => session.names("moods")[at])[0]).toContain(
      "<script>",
    );
  });
});

const bySeq = (one: Golden, other: Golden): number =>
  (one.message["seq"] as number) - (other.message["seq"] as number);

describe("what the page says", () => {
  const focus = golden.find(([name]) => name === "page_focus")![1].message;
  const asked = golden.find(([name]) => name === "page_ask_kernel")![1].message
    .args;
  const session = "session-1";
  const said = {
    hello: pageMessage("hello", "page-1", {
      protocol: PROTOCOL,
      version: "0.1.0",
      build: "0123456789ab",
    }),
    watch: pageMessage("watch", "page-1", {
      session,
      visible: true,
      tables: ["errors", "tasks"],
      have: [
        [0, 10],
        [20, 30],
      ],
      restart: true,
      setting: 3,
    }),
    unwatch: pageMessage("unwatch", "page-1", { session }),
    ack: pageMessage("ack", "page-1", { session, seq: 12, missing: [3, 5] }),
    ask: pageMessage("ask", "page-1", {
      ...{ session, id: "page-1-7", what: "task" },
      args: { task: 2 },
    }),
    ask_kernel: pageMessage("ask", "page-1", {
      ...{ session: null, id: "page-1-8", what: "report" },
      args: asked as object,
    }),
    focus: pageMessage("focus", "page-1", {
      session,
      focus: focus.focus as never,
      setting: 4,
    }),
    bye: pageMessage("bye", "page-1", {}),
  };

  it.each(Object.entries(said))(
    "is as the kernel reads it: %s",
    (name, got) => {
      const entry = golden.find(([file]) => file === `page_${name}`)![1];
      expect(got).toEqual(entry.message);
    },
  );
});
