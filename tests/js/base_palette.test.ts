import { expect, it } from "vitest";
import {
  contrast,
  parseColour,
  textOn,
  toPixel,
} from "../../js_src/base/colour";
import {
  ACTION_COLOURS,
  actionColour,
  NO_SLOT,
  PREFIX_SHADES,
  SlotAssigner,
  slotColour,
} from "../../js_src/base/palette";
import { csvField } from "../../js_src/base/save";

function assignSlots(names: readonly string[]): number[] {
  const assigner = new SlotAssigner();
  return names.map((name) => assigner.next(name));
}

it("gives known names their known slots", () => {
  expect(
    assignSlots([
      "read-parquet",
      "rename",
      "shuffle-transfer",
      "shuffle-barrier",
      "shuffle-p2p",
      "groupby-chunk",
      "groupby-agg",
    ]),
  ).toEqual([7, 1, 10, 2, 4, 5, 8]);
});

it("gives each of the first 24 names a slot of its own, later ones none", () => {
  const names = Array.from({ length: 30 }, (_, at) => `name-${at}`);
  const slots = assignSlots(names);
  expect([...slots.slice(0, 12)].sort((a, b) => a - b)).toEqual(
    Array.from({ length: 12 }, (_, at) => at),
  );
  expect([...slots.slice(12, 24)].sort((a, b) => a - b)).toEqual(
    Array.from({ length: 12 }, (_, at) => at + 12),
  );
  expect(slots.slice(24).every((slot) => slot === NO_SLOT)).toBe(true);
  expect(slotColour(NO_SLOT, false, "grey")).toBe("grey");
});

it("gives whatever names there are a slot", () => {
  const names = ["ä", "🦜", "", "<script>", "x".repeat(10_000)];
  const slots = assignSlots(names);
  expect(new Set(slots).size).toBe(names.length);
  expect(slots.every((slot) => slot >= 0 && slot < 12)).toBe(true);
});

it("has a readable text for every fill", () => {
  const fills = [
    ...PREFIX_SHADES.light,
    ...PREFIX_SHADES.dark,
    ...Object.values(ACTION_COLOURS).flatMap(({ light, dark }) => [
      light,
      dark,
    ]),
  ];
  for (const fill of fills) {
    const colour = parseColour(fill)!;
    const text = parseColour(textOn(colour))!;
    expect(contrast(colour, text)).toBeGreaterThanOrEqual(4.5);
  }
});

it("colours actions as Dask users know them, and unknown ones as overhead", () => {
  expect(actionColour("compute")).toBeNull();
  expect(actionColour("transfer")).toBe("transfer");
  expect(actionColour("disk-write")).toBe("disk");
  expect(actionColour("something-new")).toBe("deserialize");
});

it("writes pixels in the byte order of ImageData", () => {
  const pixel = new Uint32Array([toPixel([0x12, 0x34, 0x56])]);
  expect([...new Uint8Array(pixel.buffer)]).toEqual([0x12, 0x34, 0x56, 255]);
});

it("writes no field that a spreadsheet would run", () => {
  expect(csvField("=1+1")).toBe("'=1+1");
  expect(csvField("@SUM(A1)")).toBe("'@SUM(A1)");
  expect(csvField('a "b", c')).toBe('"a ""b"", c"');
  expect(csvField("two\nlines")).toBe('"two\nlines"');
  expect(csvField(-3.5)).toBe("-3.5");
});
