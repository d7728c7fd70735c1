import { describe, expect, it } from "vitest";
import {
  askedByMessage,
  checkedPath,
} from "../../js_src/homes/lab/asked_report";
import {
  factsOf,
  libraryList,
  matching,
  titleOf,
} from "../../js_src/homes/lab/library_entries";

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

  it("are told with what is known of them", () => {
    expect(factsOf(reports[0]!)).toMatch(/12\.5 s · 700 tasks · 3 errors$/);
    expect(factsOf(reports[1]!)).toMatch(/2026.* · private$/);
    expect(titleOf(reports[1]!)).toBe("b.html");
  });

  it("are told from recordings", () => {
    const listed = {
      reports: [{ ...entry, kind: "recording" }, entry],
      total: 2,
    };
    const [one, two] = libraryList(listed, "list").reports;
    expect(factsOf(one!)).toMatch(/ · recording$/);
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
    }) as unknown as Parameters<typeof askedByMessage>[0];

  it("is a path below the root, or a copy in the library", () => {
    const path = "runs/a.html";
    expect(askedByMessage(message({ open: path }))).toEqual({
      kind: "path",
      path,
    });
    expect(askedByMessage(message({ library: "a-1.html" }))).toEqual({
      kind: "library",
      filename: "a-1.html",
    });
  });

  it.each([
    { open: "../a.html" },
    { open: 7 },
    { library: "runs/a.html" },
    { library: "javascript:a.html" },
    {},
    "a.html",
    null,
  ])("is refused otherwise: %j", (wanted) => {
    expect(askedByMessage(message(wanted))).toBeNull();
  });

  it("is no part of other messages", () => {
    expect(askedByMessage(message({ open: "a.html" }, "stream"))).toBeNull();
  });
});
