// The view of a report in its address: what goes in comes out, and nothing else.

import { describe, expect, it } from "vitest";
import { fromFragment, toFragment } from "../../js_src/homes/report/fragment";
import { NO_FOCUS } from "../../js_src/model/types";

const WHOLE = { tab: "summary", focus: NO_FOCUS };

describe("the fragment of a report's address", () => {
  it("brings tab and focus back as they were", () => {
    const place = {
      tab: "task-stream",
      focus: {
        time: [1_795_010_565.3, 1_795_010_572.123456],
        prefixes: ["read-parquet", "a,b&c=d#e", "emoji-🦜", "100 %"],
        workers: ["tcp://10.4.0.21:39411"],
        spans: ["span id"],
        cells: ["In [7]"],
      },
    } as const;
    const focus = {
      ...place.focus,
      time: [...place.focus.time] as [number, number],
      prefixes: [...place.focus.prefixes],
      workers: [...place.focus.workers],
      spans: [...place.focus.spans],
      cells: [...place.focus.cells],
    };
    const fragment = toFragment({ tab: place.tab, focus });
    expect(fragment).toMatch(/^tab=task-stream&time=1795010565\.3&time=/);
    expect(fragment).not.toMatch(/[#\s<>"]/);
    expect(fromFragment(`#${fragment}`)).toEqual({ ...place, focus });
  });

  it("brings back names that are empty", () => {
    const focus = { ...NO_FOCUS, prefixes: ["", "~", "a"], workers: [""] };
    const fragment = toFragment({ tab: "events", focus });
    expect(fromFragment(fragment).focus).toEqual(focus);
  });

  it("brings back times as near to each other as numbers can be", () => {
    const start = 1_795_010_565.3;
    const time: [number, number] = [start, start + 3e-7];
    expect(time[1]).toBeGreaterThan(time[0]);
    const focus = { ...NO_FOCUS, time };
    expect(fromFragment(toFragment({ tab: "logs", focus })).focus).toEqual(
      focus,
    );
  });

  it("brings back all workers that a recording may name", () => {
    const workers = Array.from({ length: 10_000 }, (_, at) => `tcp://h:${at}`);
    const focus = { ...NO_FOCUS, workers };
    expect(fromFragment(toFragment({ tab: "logs", focus })).focus).toEqual(
      focus,
    );
  });

  it("writes a name that is no text as far as it can", () => {
    const focus = { ...NO_FOCUS, prefixes: ["half \ud83e"] };
    const back = fromFragment(toFragment({ tab: "logs", focus }));
    expect(back.focus.prefixes).toEqual(["half \ufffd"]);
  });

  it.each([
    "",
    "#",
    "tab=nothing",
    "tab=constructor",
    "time=2&time=1",
    "time=1&time=1",
    "time=1&time=1e999",
    "time=NaN&time=Infinity",
    "time=1",
    "=&&&==",
    `prefixes=${"x".repeat(1_000_000)}`,
  ])("ignores what it does not understand: %.20s", (fragment) => {
    expect(fromFragment(fragment)).toEqual(WHOLE);
  });

  it("keeps what it understands beside what it does not", () => {
    const { tab, focus } = fromFragment(
      "tab=events&time=x&workers=a&what=1&workers=b&workers=a",
    );
    expect(tab).toBe("events");
    expect(focus).toEqual({ ...NO_FOCUS, workers: ["a", "b"] });
  });

  it("takes no more names than somebody could have chosen", () => {
    const many = Array.from(
      { length: 20_000 },
      (_, at) => `prefixes=n${at}`,
    ).join("&");
    expect(fromFragment(many).focus.prefixes).toHaveLength(10_000);
  });
});
