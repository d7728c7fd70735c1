// The golden messages of tests/contract, written by the kernel's code, as this
// page reads them; and the page's own, which the kernel's tests read.

import { readdirSync, readFileSync } from "node:fs";
import { inflateSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { KERNEL_MESSAGES } from "../../js_src/schema";
import { parseMessage, say } from "../../js_src/wire";
import {
  decodeCoarse,
  decodeRows,
  decodeTasks,
} from "../../js_src/wire_columns";

interface Golden {
  from: "kernel" | "page";
  message: { type: string; [field: string]: unknown };
  buffers: string[];
  columns?: Record<string, unknown[]>;
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

function parsed({ message, buffers }: Golden) {
  const files = buffers.map(
    (name) => new Uint8Array(readFileSync(`${FOLDER}/${name}`)),
  );
  return parseMessage(message, files);
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

  it.each(fromKernel.filter(([, { columns }]) => columns))(
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

describe("what the page says", () => {
  const focus = golden.find(([name]) => name === "page_focus")![1].message;
  const asked = golden.find(([name]) => name === "page_ask_kernel")![1].message
    .args;
  const said = {
    hello: say.hello("page-1", "0.1.0", "0123456789ab"),
    watch: say.watch(
      "page-1",
      "session-1",
      true,
      ["errors", "tasks"],
      [
        [0, 10],
        [20, 30],
      ],
      true,
      3,
    ),
    unwatch: say.unwatch("page-1", "session-1"),
    ack: say.ack("page-1", "session-1", 12, [3, 5]),
    ask: say.ask("page-1", "session-1", "page-1-7", "task", { task: 2 }),
    ask_kernel: say.ask("page-1", null, "page-1-8", "report", asked as object),
    focus: say.focus("page-1", "session-1", focus.focus as never, 4),
    bye: say.bye("page-1"),
  };

  it.each(Object.entries(said))(
    "is as the kernel reads it: %s",
    (name, got) => {
      const entry = golden.find(([file]) => file === `page_${name}`)![1];
      expect(got).toEqual(entry.message);
    },
  );
});
