// Series as a page gets them: a day of memory by worker, of the samples of a sampler, and
// whatever else `seriesOf` is asked for. A page has the newest rows of each ring, up to its bound.

import {
  MEASURES,
  STEPS,
  type TableName,
  TABLES,
} from "../../../js_src/schema";
import { emptyTable, type TableView } from "../../../js_src/session/tables";
import {
  columnsOfRing,
  numbersType,
  type TableShape,
  type Values,
} from "../../../js_src/link/columns";
import { T0 } from "../../js/model_rows";

export const DAY_S = 86_400;
/** So often memory is sampled. */
const SAMPLE_S = 0.5;
/** So often each of 200 workers reports, and has a row then. */
const BEAT_S = 2;
const LIMIT = 16 * 2 ** 30;
/** What the sender counts for a text: `TEXT_BYTES` in stream/messages.py. */
const TEXT_BYTES = 16;

type Cell = number | string;
/** The keys of the rows of a moment, of the sample with that number; step 0 is as measured. */
type KeysAt = (sample: number, step: number) => readonly number[];
type CellOf = (
  key: number,
  column: string,
  time: number,
  length: number,
) => Cell;

/** Of the limit, which a worker has: hills, noise, and a few spikes. */
function shareAt(worker: number, time: number): number {
  const hill = Math.sin(time / 900 + worker) * Math.sin(time / 7000) + 1;
  const noise = Math.sin(time * 12.9898 + worker * 78.233) * 43758.5453;
  const spike = noise - Math.floor(noise);
  return hill * 0.35 + spike * 0.1 + (spike > 0.999 ? 0.15 : 0);
}

const PARTS: Readonly<Record<string, number>> = {
  ...{ process: 1, managed: 0.6, managed_total: 0.65, spilled: 0.05 },
  ...{ unmanaged: 0.4, unmanaged_old: 0.25, unmanaged_recent: 0.15 },
  ...{ optimistic: 0.85, cpu: 1e-8 },
};
const ENDS: Readonly<Record<string, number>> = { least: 0.97, most: 1.05 };

/** A value of a worker; 0 is the whole cluster. */
function bytesOf(worker: number, workers: number, name: string, time: number) {
  const [, base, end] = /^(.+?)(?:_(least|most))?$/.exec(name)!;
  const all = worker === 0 ? workers : 1;
  if (base === "limit") return LIMIT * all;
  const share = shareAt(worker, time) * (PARTS[base] ?? 0);
  return share * LIMIT * all * (ENDS[end] ?? 1);
}

/** A worker has a row when it has reported, the cluster always. */
export function memoryDay(
  workers: number,
  seconds = DAY_S,
): TableView<"memory"> {
  const turns = BEAT_S / SAMPLE_S;
  const every = Array.from({ length: workers + 1 }, (_, at) => at);
  const inTurn = Array.from({ length: turns }, (_, turn) =>
    every.filter((at) => at === 0 || at % turns === turn),
  );
  return seriesOf(
    "memory",
    (sample, step) => (step === 0 ? inTurn[sample % turns] : every),
    (worker, column, time) =>
      column === "worker"
        ? worker && `tcp://10.0.0.${worker - 1}:40000`
        : bytesOf(worker, workers, column, time),
    seconds,
    SAMPLE_S,
  );
}

/** One label was sampled all day. */
export function samplesDay(workers: number): TableView<"samples"> {
  const every = [...MEASURES.keys()];
  return seriesOf(
    "samples",
    () => every,
    (measure, column, time) => {
      if (column === "label") return "a day";
      if (column === "measure") return MEASURES[measure];
      const [of] = column.split("_");
      const worker = { cluster: 0, limit: 0, least: 1, median: 2, most: 3 }[of];
      const name = column.replace(of, of === "limit" ? of : MEASURES[measure]);
      return bytesOf(worker ?? 0, workers, name, time);
    },
    DAY_S,
    SAMPLE_S,
  );
}

export function seriesOf<N extends TableName>(
  name: N,
  keysAt: KeysAt,
  cellOf: CellOf,
  seconds: number,
  sample_s: number,
): TableView<N> {
  const shape: TableShape = TABLES[name];
  const rings = STEPS.map((step, ring) =>
    ringOf(shape, ring, step, keysAt, cellOf, seconds, sample_s),
  );
  const columns = rings[0].columns;
  const view = { state: "ready", rows: rings[0].rows, rings, columns };
  return { ...emptyTable(name), ...view } as unknown as TableView<N>;
}

function ringOf(
  shape: TableShape,
  ring: number,
  step: number,
  keysAt: KeysAt,
  cellOf: CellOf,
  seconds: number,
  sample_s: number,
) {
  const columns = Object.entries(columnsOfRing(shape, ring));
  const row_bytes = columns.reduce(
    (sum, [, { type }]) =>
      sum + (numbersType(type)?.BYTES_PER_ELEMENT ?? TEXT_BYTES),
    0,
  );
  let room = shape.bytes! / STEPS.length / row_bytes;
  const length = step || sample_s;
  const moments: (readonly number[])[] = [];
  const last = Math.floor(seconds / length);
  for (let sample = last - 1; sample >= 0; sample--) {
    const keys = keysAt(sample, step);
    room -= keys.length;
    if (room < 0) break;
    moments.unshift(keys);
  }
  const first = last - moments.length;
  const rows = moments.reduce((sum, { length }) => sum + length, 0);
  const cells = columns.map(([name, { type }]): readonly [string, Values] => {
    const found = new Array<Cell>(rows);
    let row = 0;
    moments.forEach((keys, at) => {
      const time = T0 + (first + at) * length;
      for (const key of keys) {
        found[row++] = name === "time" ? time : cellOf(key, name, time, length);
      }
    });
    const numbers = numbersType(type);
    if (numbers) return [name, new numbers(found as number[])];
    // As a page has them: what is equal in a column is one text.
    const texts = found.map((text) => String(text || ""));
    const known = new Map(texts.map((text) => [text, text]));
    return [name, texts.map((text) => known.get(text)!)];
  });
  const begin = first > 0 ? T0 + first * length : undefined;
  return { step, rows, columns: Object.fromEntries(cells), begin };
}
