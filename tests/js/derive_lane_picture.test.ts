import { describe, expect, it } from "vitest";
import { LanePicture } from "../../js_src/derive/lane_picture";
import { TaskModel } from "../../js_src/model/tasks";
import { batchOf, chunksOf, randomRun, T0 } from "./model_rows";
import { LANE_COLOURS, modelOf, alpha, colour } from "./raster_samples";

describe("a kept picture", () => {
  const rows = randomRun(60_000, 4);
  const lanes = [0, 1, 2, 3];
  const HOUR_MS = 3_600_000;

  /** The same, but for the rounding of sums: a shade, or a tie decided otherwise. */
  function expectSame(kept: LanePicture, model: TaskModel): void {
    const fresh = new LanePicture();
    fresh.update(model, lanes, kept.window, LANE_COLOURS, HOUR_MS);
    let otherShade = 0;
    let otherColour = 0;
    for (const lane of lanes) {
      for (const row of ["base", "strip"] as const) {
        const a = kept[row](lane) ?? new Uint32Array(400);
        const b = fresh[row](lane) ?? new Uint32Array(400);
        for (let x = 0; x < 400; x++) {
          if (Math.abs(alpha(a[x]) - alpha(b[x])) > 2) otherShade++;
          if (colour(a[x]) !== colour(b[x])) otherColour++;
        }
      }
    }
    expect(otherShade).toBe(0);
    expect(otherColour).toBeLessThan(8);
  }

  it.each([0.0005, 0.01, 0.2, 3])(
    "is the same after panning as when drawn anew, at %f s a pixel",
    (secondsPerPixel) => {
      const model = modelOf(rows);
      const picture = new LanePicture();
      const window = { start: T0, secondsPerPixel, width_px: 400 };
      for (const pixels of [0, 3, 50, -20, 399, 0.4, -700, 1000, 17]) {
        window.start = picture.window.start + pixels * secondsPerPixel;
        if (pixels === 0) window.start = T0 + 20;
        picture.update(model, lanes, window, LANE_COLOURS, HOUR_MS);
        expectSame(picture, model);
      }
    },
  );

  it("shows rows that come while nobody moves", () => {
    const model = new TaskModel();
    const picture = new LanePicture();
    const window = { start: T0, secondsPerPixel: 0.5, width_px: 400 };
    for (const batch of chunksOf(rows, 3000)) {
      model.insert(batchOf(batch));
      picture.update(model, lanes, window, LANE_COLOURS, HOUR_MS);
    }
    // A segment that has grown may take blocks of another size: rounding apart, the
    // picture is the one that is drawn anew.
    const fresh = new LanePicture();
    fresh.update(model, lanes, window, LANE_COLOURS, HOUR_MS);
    let different = 0;
    for (const lane of lanes) {
      const a = picture.base(lane)!;
      const b = fresh.base(lane)!;
      for (let x = 0; x < 400; x++) {
        if (Math.abs(alpha(a[x]) - alpha(b[x])) > 24) different++;
      }
    }
    expect(different).toBeLessThan(16);
  });

  it("is rough when time is short, and fine in the end", () => {
    const model = modelOf(rows);
    const picture = new LanePicture();
    const window = { start: T0, secondsPerPixel: 0.5, width_px: 400 };
    expect(picture.update(model, lanes, window, LANE_COLOURS, -1)).toBe(false);
    for (const lane of lanes) expect(picture.base(lane)).not.toBeNull();
    expect(picture.update(model, lanes, window, LANE_COLOURS, -1)).toBe(false);
    expect(picture.update(model, lanes, window, LANE_COLOURS, HOUR_MS)).toBe(
      true,
    );
    expectSame(picture, model);
    const { version } = picture;
    picture.update(model, lanes, window, LANE_COLOURS, HOUR_MS);
    expect(picture.version).toBe(version);
  });

  it("gives each of many lanes its turn, and is right in the end", () => {
    const model = modelOf(rows);
    const picture = new LanePicture();
    const window = { start: T0, secondsPerPixel: 0.5, width_px: 400 };
    picture.update(model, lanes, window, LANE_COLOURS, HOUR_MS);
    // No time at all: what was shown is stretched.
    const zoomed = { ...window, start: T0 + 50, secondsPerPixel: 0.25 };
    const before = picture.base(0)!.slice();
    expect(picture.update(model, lanes, zoomed, LANE_COLOURS, -1)).toBe(false);
    const after = picture.base(0)!;
    for (let x = 0; x < 400; x++) {
      expect(after[x]).toBe(before[100 + (x >> 1)]);
    }
    picture.update(model, lanes, zoomed, LANE_COLOURS, HOUR_MS);
    expectSame(picture, model);
  });

  it("does not keep rows of lanes that were scrolled away", () => {
    const model = modelOf(rows);
    const picture = new LanePicture();
    const window = { start: T0, secondsPerPixel: 0.5, width_px: 40 };
    const many = Array.from({ length: 500 }, (_, lane) => lane);
    expect(picture.base(3)).toBeNull();
    picture.update(model, many, window, LANE_COLOURS, HOUR_MS);
    expect(picture.base(3)).not.toBeNull();
    picture.update(model, [0], window, LANE_COLOURS, HOUR_MS);
    expect(picture.base(0)).not.toBeNull();
    expect(picture.base(3)).toBeNull();
  });
});
