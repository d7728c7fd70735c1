// Whose code a frame is, judged by its file path; used for colours and folding. The rules
// match `derive/modules.py`; tests/contract/profile.json checks both.

import { IN_ONE_OF } from "../schema";
import type { FrameColumns } from "./profile_tree";

/** In the order of the legend. */
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

/** The first match decides; its group `package`, if any, names the module. */
const RULES: readonly RegExp[] = [
  /[/\\](?:site|dist)-packages[/\\](?<package>[^/\\.]+)/,
  // A git checkout has the package folder inside a folder of the same name.
  /[/\\](?<package>dask|distributed|pandas)[/\\]\k<package>[/\\]/,
  // Paths of compiled code, and shortened paths, begin with the package.
  /^(?<package>\w+)[/\\].*\.(?:py|pyx|pxi|pxd|pxd\.in|c|cpp)$/,
  /^<__array_function__ (?<package>internals)>/,
  // Python's own modules.
  /^<frozen /,
  /[/\\](?:python|pypy)\d[\d.]*t?(?:\.zip)?[/\\]/,
  /^[A-Za-z]:\\.*\\[Ll]ib\\.*\.py$/,
];

/** An index into MODULES by frame; frames that match no rule are the user's own code. */
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
