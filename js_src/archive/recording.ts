// One recording in a file: what is where, unpacked and decoded when it is
// asked for. Knows nothing of pages.

import type { Packing } from "../base/unpack";
import { cutKey } from "../model/long_keys";
import type { TaskBatch } from "../model/tasks";
import {
  COARSE_COLUMNS,
  type CoarseColumns,
  FILE_FORMAT,
  FILE_PART_ROWS,
  FILE_PART_TASKS,
  KEY_SEPARATOR,
  MAX_KEY_CHARACTERS,
  MAX_TEXT_CHARACTERS,
  STATUSES,
  STEPS,
  TABLES,
  type TableColumns,
  type TableName,
  type TasksColumns,
} from "../schema";
import {
  allColumns,
  columnsOfRing,
  noRows,
  type TableRows,
  tableShape,
} from "../link/columns";
import { type Facts, readTable } from "./arrow";
import type { ByteSource } from "./bytes";
import { FileNames } from "./names";
import { BadFileError, otherFormat } from "./problems";
import { decodeTable, type Stored } from "./tables";
import { listMembers, type Member, packedBytes, unpackMember } from "./zip";

const [HEADER, ABOUT, COARSE] = [
  "daskscope.json",
  "about.json",
  "coarse.arrow",
];
const MAX_JSON_BYTES = 16_000_000;
/** Of a log or a ring of a series, whatever it holds. */
const MAX_ROWS = 200_000;
const MAX_NAME_CHARACTERS = 1_000;
const MAX_PREVIEW_BLOCKS = 500_000;
/** Task numbers are 32 bits wide. */
const MAX_TASKS = 2 ** 32;

type JsonObject = Readonly<Record<string, unknown>>;
type Members = ReadonlyMap<string, Member>;

export interface TaskRange {
  readonly first: number;
  readonly tasks: number;
}

/** Some consecutive tasks; which ones is known once the part was read. */
export interface Part {
  readonly rows: Member;
  readonly keys: Member;
  range: TaskRange | null;
}

export interface PartRows extends TaskRange {
  readonly batch: TaskBatch;
}

export interface PackedKeys extends TaskRange {
  readonly packed: Uint8Array<ArrayBuffer>;
  readonly packing: Packing;
}

export class StoredRecording {
  private readonly tables = new Map<string, Promise<readonly TableRows[]>>();

  private constructor(
    private readonly source: ByteSource,
    private readonly members: Members,
    /** Oldest tasks first. */
    readonly parts: readonly Part[],
    readonly names: FileNames,
    /** What is known of the whole; of a file that was cut off, of its beginning. */
    readonly about: JsonObject,
    /** False when the file was cut off: tables and figures of the whole are missing. */
    readonly whole: boolean,
  ) {}

  static async open(source: ByteSource): Promise<StoredRecording> {
    const { members, whole } = await listMembers(source);
    const [first] = members;
    if (first?.name !== HEADER) {
      throw new BadFileError("is not a daskscope recording");
    }
    const header = await jsonOf(source, first);
    checkVersion(header["format"]);
    const names = new FileNames();
    const others = new Map<string, Member>();
    for (const member of members.slice(1)) {
      const [table] = member.name.split("/");
      const shape = tableShape(table);
      if (shape?.kind === "dictionary") {
        const bytes = await unpackMember(source, member);
        const most = () => MAX_NAME_CHARACTERS - 1;
        const stored = decodeTable(shape.columns, bytes, shape.limit!, most);
        names.take(table, stored.columns, stored.rows);
      } else {
        others.set(member.name, member);
      }
    }
    const last = others.get(ABOUT);
    const about = last ? await jsonOf(source, last) : begunWith(header);
    return new StoredRecording(
      source,
      others,
      partsOf(members),
      names,
      about,
      whole,
    );
  }

  /** All rows of a part, and which tasks they are of. */
  async rowsOf(part: Part): Promise<PartRows> {
    const bytes = await unpackMember(this.source, part.rows);
    const shape = TABLES.tasks.columns;
    const stored = decodeTable(shape, bytes, FILE_PART_ROWS, uncut);
    const { columns, rows, facts } = stored as unknown as Stored<TasksColumns>;
    const range = rangeOf(facts);
    part.range = range;
    this.names.check(shape, stored.columns);
    checkTasks(columns.task, columns.status, range);
    return { ...range, batch: { ...columns, rows } };
  }

  /** The keys of a part as they are packed, once it is known that they are whole. */
  async keysOf(part: Part): Promise<PackedKeys> {
    const range = await this.rangeOf(part);
    const text = await unpackMember(this.source, part.keys);
    let keys = 1;
    for (let at = text.indexOf(0); at >= 0; at = text.indexOf(0, at + 1))
      keys++;
    if (keys !== range.tasks) {
      throw new BadFileError("has a different number of keys than of tasks");
    }
    // A copy: what a source hands out may be a part of much more that it read.
    const packed = (await packedBytes(this.source, part.keys)).slice();
    return { ...range, packed, packing: part.keys.packing };
  }

  async keyOf(part: Part, task: number): Promise<string> {
    const { first, tasks } = await this.rangeOf(part);
    const bytes = await unpackMember(this.source, part.keys);
    const text = new TextDecoder().decode(bytes);
    return cutKey(text.split(KEY_SEPARATOR, tasks)[task - first] ?? "");
  }

  /** The part that has a task, or else the next one. Few are looked at, since numbers rise. */
  async partFrom(task: number): Promise<Part | null> {
    let [low, high] = [0, this.parts.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      const { first, tasks } = await this.rangeOf(this.parts[middle]);
      if (task >= first + tasks) low = middle + 1;
      else high = middle;
    }
    return this.parts[low] ?? null;
  }

  async rangeOf(part: Part): Promise<TaskRange> {
    part.range ??= rangeOf(
      readTable(await unpackMember(this.source, part.rows)).facts,
    );
    return part.range;
  }

  /** The preview of all tasks; null where the file has none. */
  async coarse(): Promise<{ blocks: CoarseColumns; tasks: number } | null> {
    const member = this.members.get(COARSE);
    if (!member) return null;
    const bytes = await unpackMember(this.source, member);
    const stored = decodeTable(
      COARSE_COLUMNS,
      bytes,
      MAX_PREVIEW_BLOCKS,
      uncut,
    );
    const { columns, facts } = stored as unknown as Stored<CoarseColumns>;
    const tasks = whole(facts.get("tasks"));
    if (tasks > MAX_TASKS) {
      throw new BadFileError("has a preview of too many tasks");
    }
    this.names.check(COARSE_COLUMNS, stored.columns);
    return { blocks: placed(columns), tasks };
  }

  /** The columns of a log; without rows where the file has none. */
  async log<N extends TableName>(name: N): Promise<TableColumns[N]> {
    const [rows] = await this.table(name);
    return rows.columns as unknown as TableColumns[N];
  }

  /** A log, or each ring of a series; without rows where the file has none. */
  table(name: string): Promise<readonly TableRows[]> {
    const members =
      tableShape(name)!.kind === "series"
        ? STEPS.map((step) => `${name}/${step}.arrow`)
        : [`${name}.arrow`];
    const found =
      this.tables.get(name) ??
      Promise.all(members.map((member, ring) => this.read(name, ring, member)));
    this.tables.set(name, found);
    return found;
  }

  private async read(
    table: string,
    ring: number,
    name: string,
  ): Promise<TableRows> {
    const shape = tableShape(table)!;
    const member = this.members.get(name);
    const stored = member
      ? decodeTable(
          columnsOfRing(shape, ring),
          await unpackMember(this.source, member),
          MAX_ROWS,
          maxCharacters,
        )
      : { columns: noRows(shape), rows: 0 };
    const { rows } = stored;
    const columns = allColumns(shape, stored.columns);
    this.names.check(shape.columns, columns);
    const numbers = Float64Array.from({ length: rows }, (_, row) => row);
    const dropped = numberIn(this.about["dropped"], table);
    const range = { first: 0, count: rows, oldest: 0, complete: true };
    return { table, ring, ...range, numbers, columns, dropped };
  }
}

const uncut = () => Infinity;

/** As much of a text as a recording keeps: longer ones block the page. */
const maxCharacters = (column: string): number =>
  column === "key" ? MAX_KEY_CHARACTERS : MAX_TEXT_CHARACTERS;

function numberIn(counts: unknown, name: string): number {
  const found = isObject(counts) ? counts[name] : 0;
  return Number.isSafeInteger(found) ? Math.max(0, found as number) : 0;
}

/** Rows and keys come in turns. */
function partsOf(members: readonly Member[]): Part[] {
  const parts: Part[] = [];
  let rows: Member | null = null;
  for (const member of members) {
    if (member.name.startsWith("tasks/")) {
      if (rows) throw new BadFileError("has tasks out of order");
      rows = member;
    } else if (member.name.startsWith("keys/")) {
      if (!rows) throw new BadFileError("has keys without tasks");
      parts.push({ rows, keys: member, range: null });
      rows = null;
    }
  }
  return parts;
}

/** What was known when writing began; figures would be of what is not here. */
function begunWith({ facts }: JsonObject): JsonObject {
  return isObject(facts) ? { ...facts, summary: undefined } : {};
}

function checkVersion(version: unknown): void {
  if (!Number.isSafeInteger(version) || (version as number) < 1) {
    const what = "does not state its version of the format";
    throw new BadFileError(what);
  }
  if (version !== FILE_FORMAT) throw otherFormat(version as number);
}

/** Without those of rows whose start was no time: they are written as 0. */
function placed(blocks: CoarseColumns): CoarseColumns {
  const { start } = blocks;
  if (start.every((time) => time > 0)) return blocks;
  const columns = Object.entries(blocks).map(
    ([name, column]: [string, CoarseColumns[keyof CoarseColumns]]) => [
      name,
      column.filter((_, row) => start[row] > 0),
    ],
  );
  return Object.fromEntries(columns) as CoarseColumns;
}

function rangeOf(facts: Facts): TaskRange {
  const first = whole(facts.get("first"));
  const tasks = whole(facts.get("tasks"));
  if (tasks > FILE_PART_TASKS) {
    throw new BadFileError("has a part with too many tasks");
  }
  if (!(tasks >= 1 && first <= MAX_TASKS - tasks)) {
    throw new BadFileError("has tasks out of order");
  }
  return { first, tasks };
}

function whole(text = ""): number {
  if (!/^\d{1,15}$/.test(text)) {
    throw new BadFileError("has counts that are not numbers");
  }
  return Number(text);
}

function checkTasks(
  task: Uint32Array,
  status: Uint8Array,
  { first, tasks }: TaskRange,
): void {
  let before = first;
  for (let row = 0; row < task.length; row++) {
    const number = task[row];
    if (number < first || number >= first + tasks) {
      throw new BadFileError("has rows of other tasks");
    }
    if (number < before) throw new BadFileError("has tasks out of order");
    if (status[row] >= STATUSES.length) {
      throw new BadFileError("has rows with an unknown status");
    }
    before = number;
  }
}

async function jsonOf(source: ByteSource, member: Member): Promise<JsonObject> {
  const bytes = await unpackMember(source, member);
  if (bytes.byteLength > MAX_JSON_BYTES) {
    throw new BadFileError("has a description that is too long");
  }
  let found: unknown;
  try {
    found = JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    throw new BadFileError("contains invalid JSON");
  }
  if (!isObject(found)) throw new BadFileError("contains unexpected JSON");
  return found;
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
