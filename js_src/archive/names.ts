// The names of a file, in the lists that a page has: of actions the page knows some
// itself, and spans begin with none. So an index of the file may be another one here.

import type { Lane, Span } from "../model/types";
import { ACTIONS, MAX_NAMES, NAME_KINDS, type NameKind } from "../schema";
import { BadFileError } from "./problems";
import type { NAMES_SHAPE } from "./shapes";
import type { Records } from "./tables";

/** An index of an action is one byte. */
const MAX_ACTIONS = 255;
const MAX_NAME_CHARACTERS = 1_000;
/** Of all lists together: those of a recording have at most 18,180,000 each (recording/names.py). */
const MAX_CHARACTERS = 64_000_000;
const NO_SPAN = JSON.stringify([""]);

interface List<T> {
  readonly items: T[];
  readonly max: number;
  /** The texts that a name of the file is made of. */
  readonly textsOf: (text: string) => readonly string[];
  readonly itemOf: (texts: readonly string[]) => T;
  /** Where an item is, by its texts as JSON. */
  readonly index: Map<string, number>;
  /** By number in the file: its index in `items`. */
  readonly places: number[];
}

export class FileNames {
  private readonly lists = {
    prefixes: listOf<string>(MAX_NAMES, (text) => [text], theText),
    lanes: listOf<Lane>(MAX_NAMES, lanesTexts, ([worker, thread]) => ({
      worker,
      thread,
    })),
    actions: listOf<string>(MAX_ACTIONS, (text) => [text], theText),
    spans: listOf<Span>(
      MAX_NAMES,
      (text) => partsOf(text, "spans"),
      ([id, ...name]) => ({ id, name }),
    ),
  };
  /** Of all names as the file has them, before they are cut. */
  private characters = 0;

  constructor() {
    for (const action of ACTIONS) this.indexOf("actions", action);
    this.indexOf("spans", NO_SPAN);
  }

  get prefixes(): readonly string[] {
    return this.lists.prefixes.items;
  }

  get lanes(): readonly Lane[] {
    return this.lists.lanes.items;
  }

  get actions(): readonly string[] {
    return this.lists.actions.items;
  }

  get spans(): readonly Span[] {
    return this.lists.spans.items;
  }

  /** Append what one member of the file has. */
  take({ kind, name }: Records<typeof NAMES_SHAPE>): void {
    kind.forEach((listed, row) => {
      const known = NAME_KINDS.find((one) => one === listed);
      if (!known) throw new BadFileError(`has names of the kind '${listed}'`);
      this.characters += name[row].length;
      if (this.characters > MAX_CHARACTERS) {
        throw new BadFileError("has longer names than any recording has");
      }
      const { places, max } = this.lists[known];
      if (places.length >= max) throw tooMany();
      places.push(this.indexOf(known, name[row]));
    });
  }

  /** The index of a name in the page's list; it is appended when it is new. */
  indexOf(kind: NameKind, text: string): number {
    const list: List<unknown> = this.lists[kind];
    const key = JSON.stringify(list.textsOf(text).map(cut));
    const known = list.index.get(key);
    if (known !== undefined) return known;
    const place = list.items.length;
    if (place >= list.max) throw tooMany();
    // Out of the key: what was cut from a long text keeps all of it in memory.
    list.items.push(list.itemOf(JSON.parse(key) as string[]));
    list.index.set(key, place);
    return place;
  }

  /** The page's index of a name that the file has under a number. */
  placeOf(kind: NameKind, number: number): number {
    const place = this.lists[kind].places[number];
    if (place === undefined) throw new BadFileError(`has unknown ${kind}`);
    return place;
  }

  /** Turn indexes of the file into the page's; those that are none are refused. */
  translate(kind: NameKind, column: Uint8Array | Uint16Array): void {
    const { places } = this.lists[kind];
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
}

function listOf<T>(
  max: number,
  textsOf: List<T>["textsOf"],
  itemOf: List<T>["itemOf"],
): List<T> {
  return { items: [], max, textsOf, itemOf, index: new Map(), places: [] };
}

const theText = ([text]: readonly string[]): string => text;

function tooMany(): BadFileError {
  return new BadFileError("has more names than any recording has");
}

function cut(text: string): string {
  if (text.length <= MAX_NAME_CHARACTERS) return text;
  return `${text.slice(0, MAX_NAME_CHARACTERS - 1)}…`;
}

function lanesTexts(text: string): readonly string[] {
  const parts = partsOf(text, "lanes");
  if (parts.length !== 2) throw new BadFileError("has lanes that are none");
  return parts;
}

function partsOf(text: string, kind: NameKind): readonly string[] {
  let found: unknown;
  try {
    found = JSON.parse(text);
  } catch {
    found = null;
  }
  const good =
    Array.isArray(found) &&
    found.length > 0 &&
    found.every((part) => typeof part === "string");
  if (!good) throw new BadFileError(`has ${kind} that are none`);
  return found as string[];
}
