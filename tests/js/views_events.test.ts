// What happened beside the tasks: marks of the row of events, and the table of
// errors.

import { describe, expect, it } from "vitest";
import { parseColour, type Rgb } from "../../js_src/base/colour";
import { ACTION_COLOURS } from "../../js_src/base/palette";
import {
  eventItems,
  type EventItem,
  nextError,
} from "../../js_src/panels/task_stream/events";
import {
  MarkRow,
  mergedText,
  mergeMarks,
  TakenRow,
} from "../../js_src/timeline/marks";
import type { PlotArea } from "../../js_src/timeline/time_plot";
import { inOrder } from "../../js_src/panels/task_stream/cards";
import { notHere } from "../../js_src/panel/number_table";
import { actionRgb, tint } from "../../js_src/panel/pixel_colours";

const change = (time: number, worker: string, what: string) => ({
  time,
  worker,
  what,
  detail: "",
});
const name = (worker: string): string => `worker-${worker}`;

const LETTER_PX = 6;

/** A row on a plot of `width` pixels, a second each. */
function rowOn(
  width: number,
  draws: Record<string, unknown> & ThisType<{ fillStyle: string }>,
) {
  const context = {
    ...{ fillStyle: "", font: "", fillRect() {}, beginPath() {}, moveTo() {} },
    ...{ lineTo() {}, stroke() {}, fillText() {} },
    measureText: (text: string) => ({ width: text.length * LETTER_PX }),
    ...draws,
  };
  const theme = {
    ...{ panel: [255, 255, 255], text: [0, 0, 0], error: [200, 0, 0] },
    ...{ warn: [200, 100, 0], text2: [99, 99, 99], font: "f", dark: false },
    small_px: 11,
  };
  const area = {
    ...{ context, theme, left: 0, top: 0, width, height: 20, pixelRatio: 1 },
    ...{ range: [0, width], x: (time: number) => time, y: () => 0 },
  } as unknown as PlotArea;
  return { row: new MarkRow<EventItem>(), area };
}

describe("the row of events", () => {
  it("makes runs of what a worker does until it stops", () => {
    const marks = eventItems(
      [],
      [],
      [
        change(1, "a", "spilling"),
        change(2, "b", "spilling"),
        change(3, "a", "running"),
        change(4, "a", "not-spilling"),
        change(6, "b", "removed"),
      ],
      name,
    );
    expect(marks.map(({ start, stop, text }) => [start, stop, text])).toEqual([
      [1, 4, "worker-a spilling"],
      [2, 6, "worker-b spilling"],
      [6, 6, "worker-b left"],
    ]);
    const merged = mergeMarks(marks, 0);
    expect(merged.map((one) => mergedText(one, false))).toEqual([
      "2 workers spilling",
      "worker-b left",
    ]);
    expect(mergedText(merged[0]!, true)).toBe("2 spilling");
    expect([merged[0]!.start, merged[0]!.stop]).toEqual([1, 6]);
  });

  it("keeps what a paused worker spills apart from its pause", () => {
    const marks = eventItems(
      [],
      [],
      [
        change(1, "a", "paused"),
        change(2, "a", "spilling"),
        change(3, "a", "running"),
      ],
      name,
    );
    expect(marks.map(({ start, stop, text }) => [start, stop, text])).toEqual([
      [1, 3, "worker-a paused"],
      [2, Infinity, "worker-a spilling"],
    ]);
  });

  it("goes on for a worker that still spills", () => {
    const [mark] = eventItems([], [], [change(1, "a", "spilling")], name);
    expect(mark!.stop).toBe(Infinity);
  });

  it("merges errors that would overlap, and keeps others apart", () => {
    const error = (time: number, exception: string) => ({
      task: 0,
      prefix: 0,
      worker: "",
      time,
      exception,
    });
    const marks = eventItems(
      [
        error(1, "ValueError('x')"),
        error(1.1, "ValueError('y')"),
        error(9, "KeyError(1)"),
      ],
      [],
      [],
      name,
    );
    expect(mergeMarks(marks, 0.5).map((one) => mergedText(one, false))).toEqual(
      ["2 × ValueError", "KeyError"],
    );
    expect(mergeMarks(marks, 20).map((one) => mergedText(one, false))).toEqual([
      "3 errors",
    ]);
  });

  it("pins the errors of one mark one after the other", () => {
    const errors = [7, 8, 9].map((task) => ({
      task,
      prefix: 0,
      worker: "a",
      time: 1,
      exception: "KeyError(1)",
    }));
    const [merged] = mergeMarks(eventItems(errors, [], [], name), 1);
    const next = (pinned: number | null) => nextError(merged!, pinned)?.task;
    expect([next(null), next(7), next(9), next(100)]).toEqual([7, 8, 7, 7]);
    const gone = errors.map((error) => ({ ...error, task: -1 }));
    const [dropped] = mergeMarks(eventItems(gone, [], [], name), 1);
    expect(nextError(dropped!, null), "nobody has these tasks").toBeNull();
    const [left] = mergeMarks(
      eventItems([], [], [change(6, "b", "removed")], name),
      1,
    );
    expect(nextError(left!, null)).toBeNull();
  });

  it("shows gaps in the recording with their reason", () => {
    const [mark] = eventItems(
      [],
      [{ start: 1, stop: 3, reason: "restarted", text: "scheduler restarted" }],
      [],
      name,
    );
    expect(mark).toMatchObject({ level: "warn", text: "scheduler restarted" });
  });
});

describe("the caption of a table", () => {
  it("says of the dropped ones alone that they are missing", () => {
    expect(notHere(0, 1_500)).toBe(""); // they are still to come
    expect(notHere(20, 0)).toBe("; 20 of 20 are missing"); // counts come later
    expect(notHere(1, 2, " changes")).toBe("; 1 of 2 changes are missing");
  });
});

it.each(["light", "dark"] as const)(
  "bars in the row of events are a tint of the %s theme's orange",
  (mode) => {
    const fills: string[] = [];
    const { row, area } = rowOn(400, {
      fillRect() {
        fills.push(this.fillStyle);
      },
    });
    const panel: Rgb = mode === "dark" ? [33, 33, 33] : [255, 255, 255];
    const theme = { ...area.theme, dark: mode === "dark", panel };
    row.items = eventItems(
      [],
      [],
      [change(30, "a", "paused"), change(60, "a", "running")],
      name,
    );
    row.paint({ ...area, theme }, 0, actionRgb("disk", theme));
    const orange = parseColour(ACTION_COLOURS.disk[mode])!;
    const share = mode === "dark" ? 0.26 : 0.2;
    expect(fills).toContain(tint(orange, theme, share));
  },
);

describe("the words in the row of events", () => {
  const error = (time: number) => ({
    task: 0,
    prefix: 0,
    worker: "",
    time,
    exception: "ValueError('x')",
  });
  /** What is written on a plot of `width` pixels, a second each. */
  function written(width: number, items: EventItem[]) {
    const words: { text: string; from: number; to: number }[] = [];
    const { row, area } = rowOn(width, {
      fillText(text: string, from: number) {
        words.push({ text, from, to: from + text.length * LETTER_PX });
      },
    });
    row.items = items;
    row.paint(area, 0, area.theme.warn);
    return words.sort((one, other) => one.from - other.from);
  }
  const spilling = ["a", "b"].map((worker) => change(30, worker, "spilling"));

  it("keep apart from each other and from the signs of others", () => {
    const errors = [40, 80, 180].map(error);
    const words = written(400, eventItems(errors, [], spilling, name));
    expect(words.map(({ text }) => text)).toContain("2 spilling");
    for (const [at, { from, to }] of words.entries()) {
      const next = words[at + 1];
      if (next) expect(next.from - to).toBeGreaterThanOrEqual(10);
      for (const { time } of errors) {
        const free = to <= time - 8 || from >= time + 8;
        expect(free, `the cross at ${time}`).toBe(true);
      }
    }
  });

  it("are left out where there is no room, rather than cut to a number", () => {
    const marks = eventItems(
      [],
      [],
      [
        ...spilling,
        ...["a", "b"].map((worker) => change(60, worker, "not-spilling")),
      ],
      name,
    );
    expect(written(400, marks)).toEqual([]);
  });

  it("are a bare count only right beside its cross", () => {
    const errors = [40, 49, 58, 67, 76].map(error);
    const counted = (changes: ReturnType<typeof change>[]) =>
      written(110, eventItems(errors, [], changes, name)).map(
        ({ text }) => text,
      );
    expect(counted([])).toEqual(["5"]);
    expect(counted([change(52, "a", "removed")])).not.toContain("5");
  });

  it("say of how many errors a bar is where the bar is too short for it", () => {
    const errors = [40, 47, 54, 66].map(error);
    const words = written(400, eventItems(errors, [], [], name));
    expect(words[0]!.text).toBe("3");
  });
});

describe("the card of several events", () => {
  it("lists workers in order that began together, as far as time is told", () => {
    const began = ["10", "9", "2"].map((worker, at) =>
      change(34.98 + at * 1e-4, worker, "spilling"),
    );
    const marks = eventItems(
      [],
      [],
      [change(35.5, "1", "spilling"), ...began],
      name,
    );
    expect(inOrder(marks, 0).map(({ worker }) => worker)).toEqual(
      ["2", "9", "10", "1"].map(name),
    );
  });
});

describe("the occupied ranges of the row of events", () => {
  it("gives a free place as it is", () => {
    expect(new TakenRow().place(10, 100, 40)).toBe(10);
  });

  it("moves on behind whatever is in the way", () => {
    const row = new TakenRow();
    row.take(60, 80);
    row.take(5, 20);
    expect(row.place(10, 200, 30)).toBe(20);
    expect(row.place(10, 200, 50)).toBe(80);
  });

  it("says so when there is no room before the end", () => {
    const row = new TakenRow();
    row.take(40, 90);
    expect(row.place(10, 100, 40)).toBeNull();
    row.clear();
    expect(row.place(10, 100, 40)).toBe(10);
  });
});
