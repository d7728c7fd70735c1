// The dictionaries of a file, in the lists that a page has: some entries the page knows
// itself, so an index of the file may be another one here.

import type { Lane, Span } from "../model/types";
import { TABLES } from "../schema";
import { BadFileError } from "./problems";
import { type Column, type Columns, type Shape, shapeOf } from "./tables";

const MAX_NAME_CHARACTERS = 1_000;
/** Of all dictionaries together: those of a recording have at most 18,180,000 each (names.py). */
const MAX_CHARACTERS = 64_000_000;

type Cell = string | readonly string[] | number;
type Declared = Readonly<Record<string, { type: string; into?: string }>>;

interface List {
  readonly max: number;
  /** How many entries every recording begins with. */
  readonly first: number;
  /** The columns of an entry; a colour is none of them. */
  readonly columns: Declared;
  readonly items: unknown[];
  /** The cells of the items. */
  readonly cells: Cell[][];
  readonly colours: number[];
  /** Where an item is, by its cells as JSON. */
  readonly index: Map<string, number>;
  /** By number in the file: its index in `items`. */
  readonly places: number[];
}

export class FileNames {
  private readonly lists = new Map<string, List>();
  /** Of all names as the file has them, before they are cut. */
  private characters = 0;

  constructor() {
    for (const [kind, table] of Object.entries(TABLES)) {
      if (table.kind !== "dictionary") continue;
      const columns = Object.fromEntries(
        Object.entries(table.columns).filter(([name]) => name !== "colour"),
      ) as Declared;
      this.lists.set(kind, {
        max: table.limit,
        first: table.first.length,
        columns,
        items: [],
        cells: [],
        colours: [],
        index: new Map(),
        places: [],
      });
      for (const cells of table.first) this.indexOf(kind, [...cells]);
    }
  }

  get prefixes(): readonly string[] {
    return this.items("prefixes");
  }

  get lanes(): readonly Lane[] {
    return this.items("lanes");
  }

  get actions(): readonly string[] {
    return this.items("actions");
  }

  get spans(): readonly Span[] {
    return this.items("spans");
  }

  /** Whether that is a dictionary. */
  has(kind: string): boolean {
    return this.lists.has(kind);
  }

  /** The entries of a dictionary: a text where it has one column, else an object. */
  items<T>(kind: string): readonly T[] {
    return this.list(kind).items as T[];
  }

  /** The same as columns. */
  columns(kind: string): Columns<Shape> {
    const { cells, columns, colours } = this.list(kind);
    const found = Object.keys(columns).map((name, place) => [
      name,
      cells.map((cell) => cell[place]),
    ]);
    const colour = Uint8Array.from(cells, (_, row) => colours[row] ?? 0);
    const isColoured = "colour" in shapeOfDictionary(kind);
    return {
      ...(Object.fromEntries(found) as Columns<Shape>),
      ...(isColoured && { colour }),
    };
  }

  /** Append what one member of the file has. */
  take(kind: string, columns: Readonly<Record<string, Column>>): void {
    const list = this.list(kind);
    const names = Object.keys(list.columns);
    const rows = columns[names[0]].length;
    const colours = columns["colour"] as ArrayLike<number> | undefined;
    for (let row = 0; row < rows; row++) {
      const cells = names.map((name) => {
        const cell = columns[name][row] as Cell;
        const { into } = list.columns[name];
        if (!into) return cell;
        const own = list.places.length;
        if (into === kind && cell === own) {
          return own < list.first ? own : list.items.length;
        }
        return this.placeOf(into, cell as number);
      });
      for (const cell of cells) this.characters += charactersOf(cell);
      if (this.characters > MAX_CHARACTERS) {
        throw new BadFileError("has longer names than any recording has");
      }
      if (list.places.length >= list.max) throw tooMany();
      list.places.push(this.indexOf(kind, cells, colours?.[row]));
    }
  }

  /** The page's index of a name that the file has under a number. */
  placeOf(kind: string, number: number): number {
    const place = this.list(kind).places[number];
    if (place === undefined) throw new BadFileError(`has unknown ${kind}`);
    return place;
  }

  /** Turn indexes of the file into the page's; those that are none are refused. */
  translate(
    kind: string,
    column: Uint8Array | Uint16Array | Uint32Array,
  ): void {
    const { places } = this.list(kind);
    const { length } = places;
    const same = places.every((place, i) => place === i);
    for (let row = 0; row < column.length; row++) {
      const index = column[row];
      if (index >= length) {
        throw new BadFileError(`has rows with unknown ${kind}`);
      }
      if (!same) column[row] = places[index];
    }
  }

  /** Turn the indexes in the columns of a table into the page's. */
  translateAll(
    declared: Declared,
    columns: Readonly<Record<string, Column>>,
  ): void {
    for (const [name, { into }] of Object.entries(declared)) {
      if (into && this.has(into)) {
        this.translate(into, columns[name] as Uint16Array);
      }
    }
  }

  private list(kind: string): List {
    return this.lists.get(kind)!;
  }

  /** The index of an entry in the page's list; it is appended when it is new. */
  private indexOf(kind: string, cells: readonly Cell[], colour = 0): number {
    const list = this.list(kind);
    const key = JSON.stringify(cells.map(cut));
    const known = list.index.get(key);
    if (known !== undefined) return known;
    const place = list.items.length;
    if (place >= list.max) throw tooMany();
    // Out of the key: what was cut from a long text keeps all of it in memory.
    const kept = JSON.parse(key) as Cell[];
    const names = Object.keys(list.columns);
    list.items.push(
      names.length > 1
        ? Object.fromEntries(names.map((name, i) => [name, kept[i]]))
        : kept[0],
    );
    list.cells.push(kept);
    list.colours.push(colour);
    list.index.set(key, place);
    return place;
  }
}

/** The columns of a dictionary, and what each is of. */
export function shapeOfDictionary(kind: string): Shape {
  return shapeOf(
    (TABLES as Record<string, { columns: Declared }>)[kind].columns,
  );
}

function tooMany(): BadFileError {
  return new BadFileError("has more names than any recording has");
}

function charactersOf(cell: Cell): number {
  if (typeof cell === "number") return 0;
  if (typeof cell === "string") return cell.length;
  return cell.reduce((sum, part) => sum + part.length, 0);
}

function cut(cell: Cell): Cell {
  if (typeof cell === "number") return cell;
  if (typeof cell !== "string") return cell.map((part) => cut(part) as string);
  if (cell.length <= MAX_NAME_CHARACTERS) return cell;
  return `${cell.slice(0, MAX_NAME_CHARACTERS - 1)}…`;
}
