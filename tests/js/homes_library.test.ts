import { describe, expect, it } from "vitest";
import {
  countsOf,
  factsOf,
  libraryList,
  matching,
  titleOf,
  tooltipOf,
} from "../../js_src/homes/lab/library_entries";
import { pathInMessage } from "../../js_src/homes/lab/report_address";
import {
  checkedPath,
  isRecordingName,
} from "../../js_src/homes/report/lab_address";

const entry = {
  filename: "taxi-20261118.html",
  url: "file:///home/ada/taxi.html",
  path: null,
  created: "2026-11-18T14:02:31+00:00",
  title: "Taxi, all of 2026",
  duration: 12.5,
  tasks: 700,
  erred: 3,
  user: "ada",
  host: "node-7",
  tags: ["slow", "March"],
};
const other = {
  ...entry,
  filename: "b.html",
  title: "",
  tags: null,
  duration: null,
  tasks: null,
  erred: null,
  private: true,
};
const { reports } = libraryList({ reports: [entry, other], total: 2 }, "list");

describe("reports of the library", () => {
  it("are found by each word of what is searched", () => {
    expect(matching(reports, "  ")).toHaveLength(2);
    expect(matching(reports, "TAXI march")).toEqual([reports[0]]);
    expect(matching(reports, "node-7 ada")).toHaveLength(2);
    expect(matching(reports, "taxi april")).toEqual([]);
  });

  it("are found by the day that is shown, which is the reader's", () => {
    const zone = process.env["TZ"];
    process.env["TZ"] = "Pacific/Auckland"; // where it is the next day
    try {
      expect(factsOf(reports[0]!)).toMatch(/^2026-11-19 03:02 ·/);
      expect(matching(reports, "2026-11-19 03:02")).toHaveLength(2);
      expect(matching(reports, "2026-11-18")).toEqual([]);
    } finally {
      if (zone === undefined) delete process.env["TZ"];
      else process.env["TZ"] = zone;
    }
  });

  it("are counted: how many there are, listed, found and shown", () => {
    const list = { reports, total: 2 };
    expect(countsOf(list, 2, 2, " ")).toBe("");
    expect(countsOf(list, 1, 1, "taxi")).toBe(
      "1 found, 2 of 2 reports and recordings listed",
    );
    const some = { ...list, total: 1_500 };
    expect(countsOf(some, 2, 2, "")).toBe(
      "2 of 1,500 reports and recordings listed",
    );
    expect(countsOf(some, 2, 1, "x")).toBe(
      "2 found, the newest 1 shown, 2 of 1,500 reports and recordings listed",
    );
  });

  it("are told with what is known of them", () => {
    expect(factsOf(reports[0]!)).toMatch(/12\.5 s · 700 tasks · 3 errors$/);
    const long = { ...reports[0]!, duration: 149 };
    expect(factsOf(long)).toContain(" · 2 m 29 s · ");
    expect(factsOf(reports[1]!)).toMatch(/^private · 2026/);
    expect(titleOf(reports[1]!)).toBe("b.html");
  });

  it("say under the pointer what they are called, where they lie and how large they are", () => {
    const report = { ...reports[1]!, size: 3_460_301 };
    expect(tooltipOf(report).split("\n")).toEqual([
      "b.html",
      "file:///home/ada/taxi.html",
      "3.30 MiB",
    ]);
    expect(tooltipOf(reports[0]!).split("\n")).toEqual([
      "Taxi, all of 2026",
      "taxi-20261118.html",
      "file:///home/ada/taxi.html",
    ]);
  });

  it("are called by where they were made, unless they have a title", () => {
    const made = { ...reports[1]!, source: "try.ipynb, In [23]" };
    expect(titleOf(made)).toBe("try.ipynb, In [23]");
    const titled = { ...made, title: "Taxi" };
    expect(titleOf(titled)).toBe("Taxi");
    expect(matching([titled], "try.ipynb 23")).toEqual([titled]);
  });

  it("are told from recordings", () => {
    const listed = {
      reports: [{ ...entry, kind: "recording" }, entry],
      total: 2,
    };
    const [one, two] = libraryList(listed, "list").reports;
    expect(factsOf(one!)).toMatch(/^recording · 2026/);
    expect(factsOf(two!)).not.toMatch(/recording/);
  });

  it("are not believed when they are something else", () => {
    expect(() => libraryList({ reports: [{}], total: 1 }, "list")).toThrow();
    expect(() => libraryList(null, "list")).toThrow();
  });
});

describe("the path that a card names", () => {
  it("opens when it is a report or a recording below the root", () => {
    for (const path of ["a.html", "runs/März 1/x.daskscope", "a b.HTM"]) {
      expect(checkedPath(path)).toBe(path);
    }
  });

  it("is a recording's by its ending, in capitals, too", () => {
    const names = ["x.daskscope", "runs/X.DASKSCOPE", "x.daskscope.html"];
    expect(names.map(isRecordingName)).toEqual([true, true, false]);
  });

  it.each([
    "",
    "/etc/x.html",
    "../x.html",
    "a/./x.html",
    "a//x.html",
    "a\\x.html",
    "a\u0000.html",
    "javascript:alert(1).html",
    "https://host/x.html",
    "x.ipynb",
    `${"x".repeat(5000)}.html`,
  ])("is refused otherwise: %j", (path) => {
    expect(checkedPath(path)).toBeNull();
  });
});

describe("what a cell wants opened at once", () => {
  const message = (daskscope: unknown, msg_type = "display_data") =>
    ({
      header: { msg_type },
      content: { data: {}, metadata: {}, transient: { daskscope } },
    }) as unknown as Parameters<typeof pathInMessage>[0];

  it("is a path below the root", () => {
    const path = "runs/a.html";
    expect(pathInMessage(message({ open: path }))).toBe(path);
  });

  it.each([
    { open: "../a.html" },
    { open: 7 },
    { open: "javascript:a.html" },
    {},
    "a.html",
    null,
  ])("is refused otherwise: %j", (wanted) => {
    expect(pathInMessage(message(wanted))).toBeNull();
  });

  it("is no part of other messages", () => {
    expect(pathInMessage(message({ open: "a.html" }, "stream"))).toBeNull();
  });
});
