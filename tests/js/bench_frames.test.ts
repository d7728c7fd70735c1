// The bar for frames must not be passed by rounding.

import { expect, it } from "vitest";
// @ts-expect-error: a plain script of the benchmark
import * as script from "../bench/browser/frames.mjs";

const frames = script as {
  onScreen(gaps: number[]): number[];
  lateShare(gaps: number[]): number;
};

it("counts a frame that missed its refresh as two, however little it was late", () => {
  const shown = frames.onScreen([16.4, 16.9, 17.5, 24.9, 33.4, 33.8]);
  expect(shown.map((gap) => Math.round(gap * 0.06))).toEqual([
    1, 1, 2, 2, 2, 3,
  ]);
});

it("calls a frame late when it is later than the clock scatters", () => {
  expect(frames.lateShare([16.6, 16.9, 17.1, 25])).toBe(0.5);
});
