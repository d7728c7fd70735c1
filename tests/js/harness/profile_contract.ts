// What Python makes of profiles: tests/contract/profile.py writes it.

import { readFileSync } from "node:fs";

interface Figures {
  readonly before: number[];
  readonly after: number[];
  readonly bound: number[];
  readonly sign: number[];
}

interface Rows {
  readonly time: number[];
  readonly duration: number[];
  readonly worker: string[];
  readonly stack: number[];
  readonly count: number[];
}

export const CONTRACT = JSON.parse(
  readFileSync(new URL("../../contract/profile.json", import.meta.url), "utf8"),
) as {
  /** By file. */
  modules: Record<string, string>;
  one_of: string;
  /** By stack. */
  parent: number[];
  frame: number[];
  comparisons: {
    name: string;
    before: Rows;
    after: Rows;
    nodes: Figures;
    functions: Figures;
  }[];
};
