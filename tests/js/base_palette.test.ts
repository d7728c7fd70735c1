import { readFileSync } from "node:fs";
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
  activityColour,
  activityKind,
  activityRank,
  NO_SLOT_COLOUR,
  PREFIX_SHADES,
  slotColour,
} from "../../js_src/base/palette";
import { ACTIONS } from "../../js_src/schema";
import { csvField } from "../../js_src/base/save";
import { LIGHT } from "../../js_src/base/theme";

/** L* of CIELAB, 0 to 100, of a grey. */
function lightness(grey: string): number {
  const white = contrast(parseColour(grey)!, [0, 0, 0]) * 0.05 - 0.05;
  return 116 * Math.cbrt(white) - 16;
}

it("tells every activity in a stacked bar from the others", () => {
  for (const dark of [false, true]) {
    const colours = [...ACTIONS, "something new"].map((action) =>
      activityColour(action, dark),
    );
    expect(new Set(colours.slice(0, -1)).size).toBe(ACTIONS.length);
    expect(colours).toContain(dark ? "#a8641c" : "#8c4a00");
  }
});

it("knows the kinds of activities that Python knows", () => {
  const words = new URL("../contract/words/", import.meta.url);
  const file = new URL("activity_kinds.json", words);
  const kinds = JSON.parse(readFileSync(file, "utf8")) as [string, unknown][];
  expect(kinds.length).toBeGreaterThan(20);
  for (const [activity, kind] of kinds) {
    expect([activity, activityKind(activity)]).toEqual([activity, kind]);
  }
});

it("colours activities of no known kind by the slot of their name", () => {
  for (const dark of [false, true]) {
    const mode = dark ? "dark" : "light";
    expect(activityColour("gpu", dark, 5)).toBe(PREFIX_SHADES[mode][5]);
    expect(activityColour("p2p-shard", dark, 5)).toBe(
      activityColour("p2p", dark),
    );
    expect(activityColour("gpu", dark)).toBe(NO_SLOT_COLOUR[mode]);
  }
  expect(activityRank("gpu")).toBeGreaterThan(activityRank("other"));
});

it("has a colour for each of 24 slots, and grey where none is known", () => {
  const slots = Array.from({ length: 24 }, (_, slot) => slot);
  for (const dark of [false, true]) {
    const colours = new Set(slots.map((slot) => slotColour(slot, dark)));
    const grey = NO_SLOT_COLOUR[dark ? "dark" : "light"];
    expect(colours.size).toBe(24);
    expect(colours).not.toContain(grey);
    expect(slotColour(24, dark)).toBe(grey);
    expect(slotColour(undefined, dark)).toBe(grey);
  }
});

it("tells names without a colour from errors, overhead and background", () => {
  const panels = { light: "#ffffff", dark: "#212121" };
  for (const mode of ["light", "dark"] as const) {
    const grey = lightness(NO_SLOT_COLOUR[mode]);
    const away = (from: string) => Math.abs(grey - lightness(from));
    expect(away(ACTION_COLOURS.erred[mode])).toBeGreaterThan(45);
    expect(away(ACTION_COLOURS.deserialize[mode])).toBeGreaterThan(10);
    expect(away(panels[mode])).toBeGreaterThan(25);
  }
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

it("has in the style sheet each colour that canvases read", () => {
  const style = readFileSync("style/variables.css", "utf8");
  for (const name of Object.keys(LIGHT)) {
    if (name !== "dark") expect(style).toContain(`--ds-${name}:`);
  }
});
