// The lists of a report: errors by exception, what happened, lines of logs.

import { describe, expect, it } from "vitest";
import { NO_FOCUS } from "../../js_src/model/types";
import { withoutErrors, errorGroups } from "../../js_src/panel/errors";
import {
  eventList,
  narrow,
  groupEvents,
} from "../../js_src/panels/events/event_list";
import { lanesIn, lanesOf } from "../../js_src/panels/events/lanes";
import { levelsOf, narrowLines } from "../../js_src/panels/logs";
import { hasWords } from "../../js_src/panel/filter_tools";
import type { TableName } from "../../js_src/schema";
import { emptyTable, type TableView } from "../../js_src/session/tables";

const [A, B] = ["tcp://10.0.0.1:1", "tcp://10.0.0.2:2"] as const;
const nameOf = (address: string): string =>
  ({ [A]: "worker-0", [B]: "worker-1" })[address] ?? address;

/** A table that is here. */
function tableOf<N extends TableName>(
  name: N,
  columns: Partial<Record<string, readonly unknown[]>>,
): TableView<N> {
  const rows = Object.values(columns)[0]!.length;
  const table = { ...emptyTable(name), state: "ready" as const, rows };
  return { ...table, columns: { ...table.columns, ...columns } };
}

const PREFIXES = ["load", "sum"];

describe("errors", () => {
  const table = tableOf("errors", {
    time: [5, 1, 3, 2],
    key: ["a", "b", "c", "d"],
    prefix: [0, 0, 1, 0],
    worker: [A, B, A, A],
    exception: ["KeyError('x')", "Gone()", "KeyError('x')", "KeyError('x')"],
    traceback: ["", "", "", ""],
    task: [0, 1, -1, 3],
  });

  it("are grouped by exception, the first one first, each in order of time", () => {
    const groups = errorGroups(table, PREFIXES, NO_FOCUS);
    expect(groups.map(({ type, message }) => [type, message])).toEqual([
      ["Gone", ""],
      ["KeyError", "x"],
    ]);
    expect(groups[1]!.rows).toEqual([3, 2, 0]);
    expect(groups[0]!.workers).toEqual([B]);
    expect(groups[1]!.prefixes).toEqual(["load", "sum"]);
  });

  it("follow the focus", () => {
    const rows = (focus: object) =>
      errorGroups(table, PREFIXES, { ...NO_FOCUS, ...focus }).flatMap(
        (one) => one.rows,
      );
    expect(rows({ workers: [B] })).toEqual([1]);
    expect(rows({ time: [2, 3] })).toEqual([3, 2]);
    expect(rows({ prefixes: ["sum"] })).toEqual([2]);
  });
});

it.each([
  [0, false, /^No task/],
  [1, false, /^1 task .*dropped/],
  [2, false, /^2 tasks .*dropped/],
  [2, true, /^2 tasks .*truncated/],
  [0, true, /truncated/],
])("says of %i errors without a table what is known", (total, cut, text) => {
  expect(withoutErrors(total, cut)).toMatch(text);
});

describe("what happened", () => {
  const all = eventList(
    {
      events: tableOf("events", {
        time: [4, 2],
        topic: ["all", `${A},stealing`],
        message: ['"plain text"', '{"n": 1}'],
      }),
      workers: tableOf("workers", {
        time: [1, 3, 5],
        worker: [A, A, ""],
        name: ["0", "", ""],
        what: ["present", "paused", "restarted"],
        detail: ["4 threads", "was running", "all tasks were forgotten"],
      }),
      gaps: tableOf("gaps", {
        ...{ start: [2.5], stop: [9], reason: ["lost"], text: [""] },
      }),
    },
    nameOf,
  );
  const texts = (narrowed: Partial<Parameters<typeof narrow>[1]>) =>
    narrow(all, {
      ...{ focus: NO_FOCUS, kind: null, has: null },
      ...narrowed,
    }).map(({ text }) => text);

  it("is one list in order of time, in words", () => {
    expect(all.map(({ about, text }) => `${about}: ${text}`)).toEqual([
      "worker-0: present, 4 threads",
      "worker-0, stealing: n 1",
      "recording: nothing recorded: lost",
      "worker-0: paused, was running",
      "all: plain text",
      "all workers: restarted, all tasks were forgotten",
    ]);
  });

  it("shows one kind alone where it was chosen", () => {
    expect(texts({ kind: "gap" })).toEqual(["nothing recorded: lost"]);
    expect(texts({ kind: "dask" })).toEqual(["n 1", "plain text"]);
  });

  it("tells events of Dask from those that users logged", () => {
    const topics = ["all", "stealing", "Client-1", B, "print", `${A}, mine`];
    const events = tableOf("events", {
      ...{ time: topics.map((_, at) => at), topic: topics },
      message: topics.map(() => "{}"),
    });
    const workers = tableOf("workers", { worker: [A] });
    const gaps = tableOf("gaps", { start: [] });
    const kinds = eventList({ events, workers, gaps }, nameOf).map(
      ({ kind, about }) => `${kind} ${about}`,
    );
    expect(kinds).toEqual([
      ...["dask all", "dask stealing", "dask Client-1"],
      ...[
        `dask ${B}`,
        "yours print",
        "yours worker-0, mine",
        "worker worker-0",
      ],
    ]);
  });

  it("is one row of workers that changed alike at once", () => {
    const addresses = ["a", "b", "c", "d", "e"];
    const workers = tableOf("workers", {
      time: [1, 1.2, 1.4, 1.5, 9],
      worker: addresses,
      name: addresses,
      what: ["added", "added", "added", "paused", "added"],
      detail: ["4 threads", "4 threads", "2 threads", "", "2 threads"],
    });
    const none = {
      events: tableOf("events", { time: [] }),
      gaps: tableOf("gaps", { start: [] }),
    };
    const rows = groupEvents(eventList({ ...none, workers }, (name) => name));
    expect(
      rows.map(({ first, all: some }) => [first.text, some.length]),
    ).toEqual([
      ["joined, 4 threads", 2],
      ["joined, 2 threads", 1],
      ["paused", 1],
      ["joined, 2 threads", 1],
    ]);
  });

  it("has a lane for errors and for each kind, as far as they are in focus", () => {
    const errors = tableOf("errors", {
      ...{ time: [2, 1], key: ["a", "b"], prefix: [0, 1], worker: [A, B] },
      ...{ exception: ["KeyError('x')", "Gone()"], traceback: ["", ""] },
      task: [0, 1],
    });
    const texts = (focus: object) =>
      lanesIn(lanesOf(errors, PREFIXES, all), { ...NO_FOCUS, ...focus }).map(
        ({ name, items }) =>
          `${name}: ${items.map(({ text }) => text).join("; ")}`,
      );
    expect(texts({})).toEqual([
      "Errors: Gone; KeyError",
      "Workers: worker-0 present; worker-0 paused; all workers restarted",
      "Dask: n 1; plain text",
      "Yours: ",
      "Gaps: nothing recorded: lost",
    ]);
    expect(texts({ workers: [B], time: [7, 8] })[0]).toBe("Errors: Gone");
  });

  it("follows the focus: a gap is in every time that it touches", () => {
    const focus = { ...NO_FOCUS, time: [7, 8] as [number, number] };
    expect(texts({ focus })).toEqual(["nothing recorded: lost"]);
    expect(texts({ focus: { ...NO_FOCUS, workers: [B] } })).toEqual([
      "nothing recorded: lost",
      "plain text",
      "restarted, all tasks were forgotten",
    ]);
  });

  it("is searched in topic and text for all words", () => {
    expect(texts({ has: hasWords("PAUSED worker-0") })).toHaveLength(1);
    expect(texts({ has: hasWords("paused stealing") })).toHaveLength(0);
    expect(texts({ has: hasWords('{"n": 1}') })).toEqual(["n 1"]);
  });
});

describe("lines of logs", () => {
  const table = tableOf("logs", {
    time: [3, 1, 2],
    source: ["scheduler", A, B],
    level: ["INFO", "ERROR", "WARNING"],
    text: ["third", "first", "second"],
  });
  const rows = (filter: object) =>
    narrowLines(table, {
      ...{ focus: NO_FOCUS, level: "", source: "", has: () => true },
      ...filter,
    });

  it("come in order of time, whichever process wrote them", () => {
    expect(rows({})).toEqual([1, 2, 0]);
  });

  it("are narrowed by level and above, by source, by text and by focus", () => {
    expect(levelsOf(table)).toEqual(["INFO", "WARNING", "ERROR"]);
    expect(rows({ level: "WARNING" })).toEqual([1, 2]);
    expect(rows({ source: "scheduler" })).toEqual([0]);
    expect(rows({ has: hasWords("sec") })).toEqual([2]);
    // What the scheduler says is of all workers.
    expect(rows({ focus: { ...NO_FOCUS, workers: [B] } })).toEqual([2, 0]);
    expect(rows({ focus: { ...NO_FOCUS, time: [0, 1] } })).toEqual([1]);
  });
});

describe("rows without a time", () => {
  const time = [5, NaN, 1, 9, NaN, 2, 8, 3];
  const inOrder = [1, 2, 3, 5, 8, 9, NaN, NaN];
  const same = (text: string) => time.map(() => text);
  const none = { time: [], worker: [], name: [], what: [], detail: [] };

  it("are the last errors of their group", () => {
    const table = tableOf("errors", {
      ...{ time, key: same("k"), prefix: time.map(() => 0), worker: same(A) },
      ...{ exception: same("Gone()"), traceback: same("") },
      task: time.map(() => -1),
    });
    const [group] = errorGroups(table, PREFIXES, NO_FOCUS);
    expect(group!.rows.map((row) => time[row])).toEqual(inOrder);
  });

  it("are the last of what happened", () => {
    const all = eventList(
      {
        events: tableOf("events", {
          ...{ time, topic: same("all"), message: same("{}") },
        }),
        workers: tableOf("workers", none),
        gaps: tableOf("gaps", { start: [], stop: [], reason: [], text: [] }),
      },
      nameOf,
    );
    expect(all.map(({ start }) => start)).toEqual(inOrder);
  });

  it("are the last lines of the logs", () => {
    const table = tableOf("logs", {
      ...{ time, source: same(A), level: same("INFO"), text: same("") },
    });
    const filter = { focus: NO_FOCUS, level: "", source: "", has: () => true };
    const rows = narrowLines(table, filter);
    expect(rows.map((row) => time[row])).toEqual(inOrder);
  });
});
