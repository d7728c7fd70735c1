// The dictionaries of a file. They begin with the entries that every page has, so an index
// in the file is valid on the page.

import { type Lane, type Span } from "../model/types";
import {
  type Columns,
  namesOf,
  pointsAtKnown,
  type TableRows,
  type TableShape,
  tableShape,
} from "../link/columns";
import { BadFileError } from "./problems";

/** Of all dictionaries together: each of a recording has at most 18,180,000 (recording/names.py). */
const MAX_CHARACTERS = 64_000_000;

export class FileNames {
  /** What each member of the file has, in their order. */
  readonly pieces: TableRows[] = [];
  private readonly lists = new Map<string, unknown[]>();
  private characters = 0;

  get prefixes(): readonly string[] {
    return this.list("prefixes") as string[];
  }

  get lanes(): readonly Lane[] {
    return this.list("lanes") as Lane[];
  }

  get actions(): readonly string[] {
    return this.list("actions") as string[];
  }

  get spans(): readonly Span[] {
    return this.list("spans") as Span[];
  }

  /** Append what one member of the file has. */
  take(table: string, columns: Columns, rows: number): void {
    const { limit = 0, first: begun = [] } = tableShape(table)!;
    const list = this.list(table);
    const first = list.length;
    this.check(tableShape(table)!.columns, columns, { table, first });
    list.push(...namesOf(columns, rows));
    this.characters += JSON.stringify(list.slice(first)).length;
    if (list.length > limit || this.characters > MAX_CHARACTERS) {
      throw new BadFileError("has too many names");
    }
    const cells = list.slice(0, begun.length).map(cellsOf);
    if (JSON.stringify(cells) !== JSON.stringify(begun.slice(0, list.length))) {
      throw new BadFileError(`has unexpected first rows in ${table}`);
    }
    const numbers = Float64Array.from(
      { length: rows },
      (_, row) => first + row,
    );
    const about = { ring: 0, oldest: 0, dropped: 0, complete: true };
    this.pieces.push({ table, first, count: rows, numbers, columns, ...about });
  }

  /** Refuses indexes of entries that the file has not. */
  check(
    shape: TableShape["columns"],
    columns: Columns,
    own: { readonly table: string; readonly first: number } | null = null,
  ): void {
    const known = (dictionary: string) => this.list(dictionary).length;
    if (!pointsAtKnown(shape, columns, known, own)) {
      throw new BadFileError("has rows with unknown names");
    }
  }

  private list(dictionary: string): unknown[] {
    const list = this.lists.get(dictionary) ?? [];
    this.lists.set(dictionary, list);
    return list;
  }
}

function cellsOf(entry: unknown): unknown[] {
  return typeof entry === "object" ? Object.values(entry!) : [entry];
}
