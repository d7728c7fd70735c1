// Whose code a frame is, by the path of its file: for colours, and for what is folded.

import { IN_ONE_OF } from "../schema";
import type { FrameColumns } from "./profile_tree";

export const FRAME_GROUPS = [
  "own",
  "dask",
  "pandas",
  "pyarrow",
  "numpy",
  "other",
] as const;
export type FrameGroup = (typeof FRAME_GROUPS)[number];

const OWN = 0;
const OTHER = FRAME_GROUPS.indexOf("other");

/** Packages with a colour of their own. */
const GROUP_OF_PACKAGE: Readonly<Record<string, FrameGroup>> = {
  dask: "dask",
  distributed: "dask",
  dask_expr: "dask",
  pandas: "pandas",
  pyarrow: "pyarrow",
  numpy: "numpy",
};

/** The first that matches; its group is `package` if that is a package that was installed. */
const RULES: readonly (readonly [file: RegExp, group: string])[] = [
  [/[/\\](?:site|dist)-packages[/\\](?<package>[^/\\.]+)/, "package"],
  [/^<__array_function__ internals>/, "numpy"],
  [/^<(?:frozen |built-in|decorator)/, "other"],
  // A checkout: a package of the same name in it.
  [/[/\\](?<package>dask|distributed|pandas)[/\\]\k<package>[/\\]/, "package"],
  [/[/\\](?:python|pypy)\d+(?:\.\d+)?t?(?:\.zip)?[/\\]/i, "other"],
  [/^[a-z]:\\.*\\lib\\[^\\]+\.py$/i, "other"],
];

/** By frame an index into FRAME_GROUPS; your code is what no rule matches. */
export function groupsOf({ name, file }: FrameColumns): Uint8Array {
  const ofFile = new Map<string, number>();
  return Uint8Array.from(file, (path, frame) => {
    if (path === "") return name[frame].startsWith(IN_ONE_OF) ? OTHER : OWN;
    let group = ofFile.get(path);
    if (group === undefined) ofFile.set(path, (group = groupOfFile(path)));
    return group;
  });
}

function groupOfFile(path: string): number {
  for (const [file, group] of RULES) {
    const found = file.exec(path);
    if (!found) continue;
    const name = found.groups?.["package"] ?? "";
    const known = Object.hasOwn(GROUP_OF_PACKAGE, name)
      ? GROUP_OF_PACKAGE[name]
      : "other";
    return FRAME_GROUPS.indexOf(
      group === "package" ? known : (group as FrameGroup),
    );
  }
  return OWN;
}

/** Whether a frame is of a library, or of Python's own: what may be folded. */
export const isLibrary = (group: number): boolean => group !== OWN;
