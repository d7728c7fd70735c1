// The recording that Python saved into tests/contract/files, as a page reads it.

import { describe, expect, it } from "vitest";
import { StoredRecording } from "../../js_src/archive/recording";
import { sumUp } from "../../js_src/archive/totals";
import { NO_FOCUS } from "../../js_src/model/types";
import {
  COARSE_COLUMNS,
  FILE_FORMAT,
  TABLES,
  type TasksColumns,
} from "../../js_src/schema";
import {
  type Figures,
  goldenContent,
  goldenFile,
  bytesOfBuffer,
} from "./archive_files";

const golden = goldenContent();
const recording = await StoredRecording.open(bytesOfBuffer(goldenFile()));

/** As Python's JSON has them: `null` is not a number. */
const plain = (column: Iterable<number | string>) =>
  [...column].map((value) => (Number.isNaN(value) ? null : value));

/** Of a series as measured: in which ring a row is Python tells beside it. */
const withoutStep = ({ step: _, ...columns }: Record<string, unknown>) =>
  columns;

const goOn = () => Promise.resolve(true);

describe("the golden recording", () => {
  it("is of the version that this page reads", () => {
    expect(FILE_FORMAT).toBe(golden.format);
  });

  it("is whole, and says what is known of it", () => {
    expect(recording.whole).toBe(true);
    expect({ ...recording.about, whole: true }).toEqual(golden.about);
  });

  it("has the names", () => {
    const { names } = recording;
    const { prefixes, lanes, actions, spans } = golden.names;
    expect(names.prefixes).toEqual(prefixes.name);
    expect(names.actions).toEqual(actions.name);
    expect(names.lanes.map(({ worker }) => worker)).toEqual(lanes.worker);
    expect(names.lanes.map(({ thread }) => thread)).toEqual(lanes.thread);
    expect(names.spans.map(({ id }) => id)).toEqual(spans.id);
    expect(names.spans.map(({ name }) => name)).toEqual(spans.name);
    const colours = names.pieces
      .filter(({ table }) => table === "prefixes")
      .flatMap(({ columns }) => [...(columns["colour"] as Uint8Array)]);
    expect(colours).toEqual(prefixes.colour);
  });

  it("has the rows, in parts that say which tasks they hold", async () => {
    expect(recording.parts).toHaveLength(2);
    const parts = await Promise.all(
      recording.parts.map((part) => recording.rowsOf(part)),
    );
    expect(parts.map(({ first, tasks }) => [first, tasks])).toEqual([
      [0, 5],
      [7, 3],
    ]);
    for (const name of Object.keys(TABLES.tasks.columns)) {
      const column = name as keyof TasksColumns;
      const values = parts.flatMap(({ batch }) => plain(batch[column]));
      expect(values, name).toEqual(golden.tasks[name]);
    }
    expect(golden.tasks["start"]).toContain(null);
  });

  it("tells which part has a task before its rows are unpacked", async () => {
    const fresh = await StoredRecording.open(bytesOfBuffer(goldenFile()));
    const [older, newer] = fresh.parts;
    expect(await fresh.partFrom(4)).toBe(older);
    expect(await fresh.partFrom(5)).toBe(newer);
    expect(await fresh.partFrom(9)).toBe(newer);
    expect(await fresh.partFrom(10)).toBeNull();
  });

  it("has the keys, whatever they hold", async () => {
    for (const [task, key] of Object.entries(golden.keys)) {
      const part = await recording.partFrom(Number(task));
      expect(await recording.keyOf(part!, Number(task)), task).toBe(key);
    }
    expect(Object.values(golden.keys).join()).toContain("<script>");
  });

  it("has the coarse picture, of rows that have a time", async () => {
    const { blocks, tasks } = (await recording.coarse())!;
    expect(tasks).toBe(10);
    const timed = golden.coarse["start"]!.map((start) => start > 0);
    expect(timed.filter(Boolean)).toHaveLength(9);
    for (const name of Object.keys(COARSE_COLUMNS)) {
      const column = blocks[name as keyof typeof COARSE_COLUMNS];
      const type = column.constructor as Float32ArrayConstructor;
      const wanted = golden.coarse[name]!.filter((_, row) => timed[row]);
      expect([...column], name).toEqual([...type.from(wanted)]);
    }
  });

  const tables = Object.entries(TABLES)
    .filter(([, { kind }]) => kind === "log" || kind === "series")
    .map(([name]) => name);

  it.each(tables)("has the table %s", async (name) => {
    const [rows] = await recording.table(name);
    const columns = Object.entries(rows!.columns).map(([column, values]) => [
      column,
      plain(values as Iterable<number | string>),
    ]);
    expect(Object.fromEntries(columns)).toMatchObject(
      golden.logs[name] ?? withoutStep(golden.series[name]!),
    );
    expect(rows!.numbers, "rows").not.toHaveLength(0);
  });

  const figures = (sums: Awaited<ReturnType<typeof sumUp>>): Figures => {
    const { prefixes, actions } = sums!.figures();
    return {
      prefixes: prefixes.map(({ prefix, tasks, seconds, erred, computes }) => [
        prefix,
        tasks,
        seconds,
        erred,
        computes,
      ]),
      actions: actions.map(({ action, rows, seconds }) => [
        action,
        rows,
        seconds,
      ]),
    };
  };

  it("has the figures that Python has, of everything and of a focus", async () => {
    const all = await sumUp(recording, NO_FOCUS, goOn);
    expect(figures(all)).toEqual(golden.totals);
    const focused = await sumUp(recording, golden.focus, goOn);
    expect(figures(focused)).toEqual(golden.totals_in_focus);
    expect(golden.totals_in_focus).not.toEqual(golden.totals);
  });
});
