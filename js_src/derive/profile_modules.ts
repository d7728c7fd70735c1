// Whose code a frame is, by the path of its file: for colours, and for what is folded.
// `derive/modules.py` has the same rules; tests/contract/profile.json holds both to the same answers.

import { IN_ONE_OF } from "../schema";
import type { FrameColumns } from "./profile_tree";

/** The order is that of the legend. */
export const MODULES = [
  "yours",
  "dask",
  "pandas",
  "pyarrow",
  "numpy",
  "other",
] as const;
export type Module = (typeof MODULES)[number];

const OF_PACKAGE: Readonly<Record<string, Module>> = {
  ...{ dask: "dask", dask_expr: "dask", distributed: "dask", tornado: "dask" },
  ...{ daskscope: "dask", pandas: "pandas", pyarrow: "pyarrow" },
  ...{ numpy: "numpy", internals: "numpy" },
};

/** The first that matches says it, by the package in it, if one is named. */
const RULES: readonly RegExp[] = [
  /[/\\](?:site|dist)-packages[/\\](?<package>[^/\\.]+)/,
  // A checkout has a folder of the package's name in another one.
  /[/\\](?<package>dask|distributed|pandas)[/\\]\k<package>[/\\]/,
  // What is compiled, or cut out of a path, begins with its package.
  /^(?<package>\w+)[/\\].*\.(?:py|pyx|pxi|pxd|pxd\.in|c|cpp)$/,
  /^<__array_function__ (?<package>internals)>/,
  // Python's own.
  /^<frozen /,
  /[/\\](?:python|pypy)\d[\d.]*t?(?:\.zip)?[/\\]/,
  /^[A-Za-z]:\\.*\\[Ll]ib\\.*\.py$/,
];

/** By frame an index into MODULES; what no rule matches is yours. */
export function modulesOf({ name, file }: FrameColumns): Uint8Array {
  const ofFile = new Map([["", MODULES.indexOf("other")]]);
  return Uint8Array.from(file, (path, frame) => {
    const key = name[frame].startsWith(IN_ONE_OF) ? "" : path;
    let module = ofFile.get(key);
    if (module === undefined) {
      module = MODULES.indexOf(moduleOf(key));
      ofFile.set(key, module);
    }
    return module;
  });
}

function moduleOf(file: string): Module {
  for (const rule of RULES) {
    const found = rule.exec(file);
    if (!found) continue;
    const name = found.groups?.["package"] ?? "";
    return Object.hasOwn(OF_PACKAGE, name) ? OF_PACKAGE[name] : "other";
  }
  return "yours";
}
