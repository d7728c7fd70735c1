// Names of frames, their files, and whose code they are.

import { MODULES, type Module, modulesOf } from "../../derive/profile_modules";
import { FIRST_GROUP, type FrameColumns } from "../../derive/profile_tree";
import { IN_ONE_OF } from "../../schema";

export const MODULE_NAMES: Readonly<Record<Module, string>> = {
  yours: "Your code",
  dask: "dask, distributed",
  pandas: "pandas",
  pyarrow: "pyarrow",
  numpy: "numpy",
  other: "other",
};

const INSTALLED = /^.*[/\\](?:site|dist)-packages[/\\]/;
const STANDARD = /^.*[/\\]python3[^/\\]*[/\\]/;
const CELL = /ipykernel_\d+[/\\]|^<ipython-input/;

/** A short path: within its package, or the last two parts. */
export function shortFile(file: string): string {
  if (CELL.test(file)) return "a cell";
  for (const begin of [INSTALLED, STANDARD]) {
    if (begin.test(file)) return file.replace(begin, "");
  }
  return file.split(/[/\\]/).slice(-2).join("/");
}

export const ROOT = 0;
const OTHER = MODULES.indexOf("other");

/** The frames of a recording, with cached properties for drawing. */
export class Frames {
  private readonly places: (string | undefined)[] = [];
  /** Index into `MODULES`, by frame. */
  private readonly modules: Uint8Array;

  constructor(
    readonly columns: FrameColumns,
    readonly rootName: string,
    /** Names of the groups that split the graph (frames from `FIRST_GROUP` on). */
    private readonly groupName: (group: number) => string = () => "",
  ) {
    this.modules = modulesOf(columns);
    this.modules[ROOT] = OTHER;
  }

  get size(): number {
    return this.columns.name.length;
  }

  /** False for frames of a recording or split that is no longer shown. */
  knows(frame: number): boolean {
    return frame < this.size || this.groupName(frame - FIRST_GROUP) !== "";
  }

  nameOf(frame: number): string {
    if (frame === ROOT) return this.rootName;
    if (frame >= FIRST_GROUP) return this.groupName(frame - FIRST_GROUP);
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

  /** Whether it stands for several functions ("in one of …"). */
  isOneOf(frame: number): boolean {
    return (this.columns.name[frame] ?? "").startsWith(IN_ONE_OF);
  }

  /** Such as `dask/_task_spec.py:741`; empty if unknown. */
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

  /** Without folders, such as `_task_spec.py:741`. */
  briefPlaceOf(frame: number): string {
    return this.placeOf(frame).replace(/^.*\//, "");
  }

  /** An index into `MODULES`. */
  moduleOf(frame: number): number {
    return this.modules[frame] ?? OTHER;
  }

  /** Whether it is code of Dask, an installed package or Python, not the user's. */
  isLibrary(frame: number): boolean {
    if (frame === ROOT || frame >= FIRST_GROUP) return false;
    return MODULES[this.moduleOf(frame)] !== "yours";
  }

  /** A mask of frames whose name or file matches a search. */
  matching(has: (text: string) => boolean): Uint8Array {
    const found = new Uint8Array(this.size);
    for (let frame = 1; frame < this.size; frame++) {
      const text = `${this.nameOf(frame)} ${this.fileOf(frame)}`;
      if (has(text)) found[frame] = 1;
    }
    return found;
  }
}
