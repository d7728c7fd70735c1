import { describe, expect, it } from "vitest";
import { mixPixels, PixelRows } from "../../js_src/render/pixel_rows";

const WHITE = 0xffffffff;
const RED = 0xff0000ff;
const BLUE = 0xffff0000;
const GRID = 0xffcccccc;

/** A picture as text: one letter a pixel. */
function picture(rows: PixelRows): string[] {
  const letters = new Map([
    [WHITE, "."],
    [RED, "r"],
    [BLUE, "b"],
    [GRID, "|"],
  ]);
  const out: string[] = [];
  for (let y = 0; y < rows.height; y++) {
    const line = rows.pixels.subarray(y * rows.width, (y + 1) * rows.width);
    out.push([...line].map((pixel) => letters.get(pixel) ?? "?").join(""));
  }
  return out;
}

function sized(width: number, height: number): PixelRows {
  const rows = new PixelRows();
  rows.resize(width, height);
  rows.clear(WHITE);
  return rows;
}

describe("rows of pixels", () => {
  it("are repeated to their height", () => {
    const rows = sized(3, 4);
    rows.row(1, 2, Uint32Array.of(RED, 0, BLUE), null);
    expect(picture(rows)).toEqual(["...", "r.b", "r.b", "..."]);
  });

  it("carry strips on the bottom 36 %, with an edge of background", () => {
    const rows = sized(9, 11);
    const base = new Uint32Array(9).fill(RED);
    const strip = Uint32Array.of(0, 0, BLUE, BLUE, BLUE, BLUE, 0, 0, 0);
    rows.row(0, 11, base, strip);
    expect(picture(rows)).toEqual([
      ...Array<string>(6).fill("rrrrrrrrr"),
      "rr....rrr",
      ...Array<string>(4).fill("r.bbbb.rr"),
    ]);
  });

  it("have no edges where they are low", () => {
    const rows = sized(4, 3);
    const base = new Uint32Array(4).fill(RED);
    rows.row(0, 3, base, Uint32Array.of(0, BLUE, BLUE, 0));
    expect(picture(rows)).toEqual(["rrrr", "rrrr", "rbbr"]);
  });

  it("show strips where nothing is below them", () => {
    const rows = sized(2, 3);
    rows.row(0, 3, null, Uint32Array.of(0, BLUE));
    expect(picture(rows)).toEqual(["..", "..", ".b"]);
  });

  it("lie over grid lines and rules", () => {
    const rows = new PixelRows();
    rows.resize(3, 3);
    rows.clear(WHITE, [1, 7, -1], GRID);
    rows.rule(2, RED);
    rows.rule(9, RED);
    rows.row(1, 1, Uint32Array.of(0, 0, BLUE), null);
    expect(picture(rows)).toEqual([".|.", ".|b", "rrr"]);
  });

  it("blend with the background by their alpha", () => {
    const rows = sized(1, 1);
    rows.row(0, 1, Uint32Array.of(0x80000000), null);
    expect(rows.pixels[0]).toBe(0xff7e7e7e);
  });

  it("are cut at the edges of the picture", () => {
    const rows = sized(2, 4);
    const base = Uint32Array.of(RED, RED);
    rows.row(-2, 3, base, null);
    rows.row(3, 5, base, Uint32Array.of(BLUE, BLUE));
    rows.row(9, 5, base, null);
    rows.row(-9, 5, base, null);
    expect(picture(rows)).toEqual(["rr", "..", "..", "rr"]);
  });

  it("fill an image of the canvas", () => {
    const data = new Uint8ClampedArray(2 * 1 * 4);
    const image = { data, width: 2, height: 1 } as unknown as ImageData;
    const rows = new PixelRows();
    rows.resize(2, 1, image);
    rows.clear(WHITE);
    rows.row(0, 1, Uint32Array.of(RED, 0), null);
    expect([...data]).toEqual([255, 0, 0, 255, 255, 255, 255, 255]);
  });
});

describe("blending", () => {
  it("gives either colour at the ends, and is monotone between", () => {
    expect(mixPixels(WHITE, RED, 255) >>> 0).toBe(RED);
    expect(mixPixels(WHITE, RED, 0) >>> 0).toBe(WHITE);
    let last = 255;
    for (let alpha = 0; alpha <= 255; alpha++) {
      const green = (mixPixels(WHITE, RED, alpha) >>> 8) & 255;
      expect(green).toBeLessThanOrEqual(last);
      last = green;
    }
  });
});
