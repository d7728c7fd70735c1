// What an exported picture says beside the plot.

import { describe, expect, it } from "vitest";
import { type LegendEntry, legendLines } from "../../js_src/panel/legend";

const entry = (
  name: string,
  weight: number,
  kind: LegendEntry["kind"] = "prefix",
): LegendEntry => ({
  ...{ id: name, kind, name, weight },
  ...{ colour: "", detail: "", count: "", title: [], nothing: weight === 0 },
});

/** Three entries of 50 px a line, and 40 px for "+5 more". */
function laidOut(entries: readonly LegendEntry[]): [string[], number] {
  const { lines, rest } = legendLines(entries, () => 50, 160, 40);
  const names = lines.map((line) => line.map(({ name }) => name).join(" "));
  return [names, rest];
}

describe("the legend of a picture", () => {
  it("takes as many lines as it needs, in its own order", () => {
    const few = [..."abcde"].map((name, at) => entry(name, at));
    expect(laidOut(few)).toEqual([["a b c", "d e"], 0]);
    expect(laidOut([])).toEqual([[], 0]);
  });

  it("keeps actions and what took most time, and counts the rest", () => {
    const many = [..."abcdefghijklmno"].map((name, at) =>
      entry(name, 100 - at),
    );
    const disk = entry("disk", 1, "action");
    // Eleven and the count fill four lines.
    expect(laidOut([...many, disk])).toEqual([
      ["a b c", "d e f", "g h i", "j disk"],
      5,
    ]);
  });
});
