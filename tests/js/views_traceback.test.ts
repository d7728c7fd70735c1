// Tracebacks, and what the kernel answers of one task.

import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { readTaskDetail } from "../../js_src/panel/task_detail";
import {
  frameName,
  parseTraceback,
  shortFile,
  splitException,
  tracebackToCopy,
} from "../../js_src/panel/traceback";

describe("a traceback", () => {
  const TEXT = `Traceback (most recent call last):
  File "/home/me/work.py", line 4, in totals
    g = part.reindex(region.index)
        ^^^^^^^^^^^^
  File "/env/lib/python3.13/site-packages/pandas/core/frame.py", line 5385, in reindex
    return super().reindex(
`;

  it("is told apart into own frames and those of libraries", () => {
    const { frames } = parseTraceback(TEXT);
    expect(frames).toEqual([
      {
        file: "/home/me/work.py",
        line: 4,
        name: "totals",
        code: "g = part.reindex(region.index)",
        library: false,
      },
      expect.objectContaining({ library: true, name: "reindex" }),
    ]);
    expect(shortFile(frames[1]!.file)).toBe("pandas/core/frame.py");
  });

  it("names lines of a cell and of a file", () => {
    const name = (file: string): string =>
      frameName({ file, line: 4, name: "f", code: "", library: false });
    expect(name("/tmp/ipykernel_4242/1234567.py")).toBe("cell, line 4");
    expect(name("/home/me/work.py")).toBe("me/work.py:4");
  });

  it("is copied whole, with the key of its task", () => {
    const exception = ["ValueError", "cannot reindex"] as const;
    const whole = `Task ('x', 3)\n${TEXT}ValueError: cannot reindex\n`;
    expect(tracebackToCopy("('x', 3)", exception, TEXT)).toBe(whole);
    const [, ...withoutHead] = TEXT.split("\n");
    expect(tracebackToCopy("('x', 3)", exception, withoutHead.join("\n"))).toBe(
      whole,
    );
    const complete = `${TEXT}ValueError: cannot reindex\n`;
    expect(tracebackToCopy(null, exception, complete)).toBe(complete);
  });

  it("is kept as it came when it is none", () => {
    expect(parseTraceback("oh\nno").rest).toBe("oh\nno");
  });
});

/** Read by Python's tests, too. */
const exceptions = JSON.parse(
  readFileSync("tests/contract/words/exceptions.json", "utf-8"),
) as [text: string, type: string, message: string][];

it.each(exceptions)("takes an exception apart as Python does: %j", (...one) => {
  const [text, type, message] = one;
  expect(splitException(text)).toEqual([type, message]);
});

it("believes no answer of the kernel unchecked", () => {
  expect(readTaskDetail(null)).toMatchObject({
    key: "",
    startstops: [],
    error: null,
  });
  expect(
    readTaskDetail({
      key: 5,
      span: ["a", 3],
      startstops: [
        { action: "compute", start: 2, stop: 3 },
        null,
        { start: "x" },
      ],
      error: { exception: "E", traceback: 7 },
    }),
  ).toMatchObject({
    key: "",
    span: ["a"],
    startstops: [{ action: "compute", start: 2, stop: 3 }],
    error: { exception: "E", traceback: "" },
  });
});
