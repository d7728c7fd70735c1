// What frames are called, where they are from, and whose code they are.

import { IN_ONE_OF, type TableColumns } from "../../schema";

export type FrameColumns = TableColumns["frames"];

/** Whose code a frame is: the order is that of the legend. */
export const MODULES = [
  "yours",
  "dask",
  "pandas",
  "pyarrow",
  "numpy",
  "other",
] as const;
export type Module = (typeof MODULES)[number];

export const MODULE_NAMES: Readonly<Record<Module, string>> = {
  yours: "Your code",
  dask: "dask, distributed",
  pandas: "pandas",
  pyarrow: "pyarrow",
  numpy: "numpy",
  other: "other",
};

const OF_PACKAGE: Readonly<Record<string, Module>> = {
  ...{ dask: "dask", distributed: "dask", tornado: "dask", daskscope: "dask" },
  ...{ pandas: "pandas", pyarrow: "pyarrow", numpy: "numpy" },
};

/** What is installed lies in these, and what belongs to Python in the last. */
const INSTALLED = /^.*[/\\](?:site|dist)-packages[/\\]/;
const STANDARD = /^.*[/\\]python3[^/\\]*[/\\](?!(?:site|dist)-packages)/;
/** A checkout of Dask that somebody works on. */
const CHECKOUT = /[/\\](dask|distributed)[/\\](?=[^/\\]*\.py$|[^/\\]+[/\\])/;
const COMPILED = /\.(?:pyx|pxi|pxd|pxd\.in|c|cpp)$/;
const CELL = /ipykernel_\d+[/\\]|^<ipython-input/;

/** The package that a file is of; null of what is nobody's package, so yours. */
export function packageOf(file: string): string | null {
  const path = INSTALLED.exec(file)
    ? file.replace(INSTALLED, "")
    : COMPILED.test(file) && !/^([/\\]|\w:)/.test(file)
      ? file
      : null;
  if (path !== null) return path.split(/[/\\.]/)[0];
  return CHECKOUT.exec(file)?.[1] ?? null;
}

export function moduleOf(name: string, file: string): Module {
  if (file === "" || name.startsWith(IN_ONE_OF)) return "other";
  const known = packageOf(file);
  if (known !== null) {
    return Object.hasOwn(OF_PACKAGE, known) ? OF_PACKAGE[known] : "other";
  }
  if (STANDARD.test(file) || file.startsWith("<frozen")) return "other";
  return "yours";
}

/** A file as short as it can be told: within its package, or its last two parts. */
export function shortFile(file: string): string {
  if (CELL.test(file)) return "a cell";
  for (const begin of [INSTALLED, STANDARD]) {
    if (begin.test(file)) return file.replace(begin, "");
  }
  return file.split(/[/\\]/).slice(-2).join("/");
}

export const ROOT = 0;

/** The frames of a recording, with what is asked of them in every picture. */
export class Frames {
  private readonly places: (string | undefined)[] = [];
  private readonly modules: (number | undefined)[] = [];

  constructor(
    readonly columns: FrameColumns,
    readonly rootName: string,
  ) {}

  get size(): number {
    return this.columns.name.length;
  }

  nameOf(frame: number): string {
    if (frame === ROOT) return this.rootName;
    return this.columns.name[frame] || "(no name)";
  }

  fileOf(frame: number): string {
    return this.columns.file[frame] ?? "";
  }

  sourceOf(frame: number): string {
    return this.columns.source[frame] ?? "";
  }

  lineOf(frame: number): number {
    return this.columns.line[frame] ?? 0;
  }

  /** It stands for several, since leaves are not counted. */
  isOneOf(frame: number): boolean {
    return (this.columns.name[frame] ?? "").startsWith(IN_ONE_OF);
  }

  /** `dask/_task_spec.py:741`; empty where it is not known. */
  placeOf(frame: number): string {
    let place = this.places[frame];
    if (place === undefined) {
      const file = this.fileOf(frame);
      const line = this.lineOf(frame);
      const short = shortFile(file);
      const cell = short === "a cell";
      const at = cell ? `, line ${line}` : `:${line}`;
      place = file === "" ? "" : line > 0 ? `${short}${at}` : short;
      this.places[frame] = place;
    }
    return place;
  }

  /** An index into `MODULES`. */
  moduleOf(frame: number): number {
    return (this.modules[frame] ??= MODULES.indexOf(
      moduleOf(this.columns.name[frame] ?? "", this.fileOf(frame)),
    ));
  }

  /** Of Dask, of what is installed, or of Python: not yours. */
  isLibrary(frame: number): boolean {
    return frame !== ROOT && MODULES[this.moduleOf(frame)] !== "yours";
  }

  /** Which frames have all of some words in their name or file, as a mask. */
  matching(has: (text: string) => boolean): Uint8Array {
    const found = new Uint8Array(this.size);
    for (let frame = 1; frame < this.size; frame++) {
      const text = `${this.nameOf(frame)} ${this.fileOf(frame)}`;
      if (has(text)) found[frame] = 1;
    }
    return found;
  }
}
