import { readFileSync } from "node:fs";
import { describe, expect, it, vi } from "vitest";
import {
  decimalsFor,
  formatBytes,
  formatBytesOf,
  formatCount,
  formatDuration,
  formatExact,
  formatMoment,
  formatMean,
  formatSeconds,
  formatSecondsAmong,
  formatShare,
  formatRange,
  formatZone,
  plural,
} from "../../js_src/base/format";

/** Read by Python's tests, too. */
const shared = JSON.parse(
  readFileSync("tests/contract/words/durations.json", "utf-8"),
) as {
  alone: [seconds: number, text: string][];
  "in a column": [seconds: number, longest: number, text: string][];
};

it.each(shared["in a column"])(
  "writes %f s in a column up to %f s",
  (seconds, longest, text) => {
    expect(formatSecondsAmong(seconds, longest)).toBe(text);
  },
);

describe("durations that stand alone", () => {
  it.each([...shared.alone, [0.4e-6, "0.4 µs"], [NaN, "–"], [Infinity, "–"]])(
    "writes %f s as %s",
    (seconds, text) => {
      expect(formatDuration(seconds)).toBe(text);
    },
  );

  it("never writes a value that belongs to the next unit", () => {
    for (const seconds of [0.9996e-3, 9.96e-3, 0.9996, 9.996, 119.96, 3599.6]) {
      expect(formatDuration(seconds)).not.toMatch(/1,?000 |10\.0 ms|60 s$/);
    }
  });
});

it("writes sizes in binary units", () => {
  expect(formatBytes(912)).toBe("912 B");
  expect(formatBytes(48.3 * 2 ** 20)).toBe("48.3 MiB");
  expect(formatBytes(184 * 2 ** 20)).toBe("184 MiB");
  expect(formatBytes(1023.9 * 2 ** 20)).toBe("1.00 GiB");
  expect(formatBytesOf(2.62 * 2 ** 30, 4 * 2 ** 30)).toBe("2.62 / 4.00 GiB");
  expect(formatBytesOf(146 * 2 ** 20, 11.8 * 2 ** 30)).toBe(
    "146 MiB / 11.8 GiB",
  );
  expect(formatBytesOf(5, 0)).toBe("5 B");
});

it("tells a mean of counts to a tenth, unless it is whole", () => {
  expect([3.5, 4, 1211.04, NaN].map(formatMean)).toEqual([
    ...["3.5", "4", "1,211.0", "–"],
  ]);
});

it("abbreviates counts from a million on, and keeps the exact one at hand", () => {
  expect(formatCount(1211)).toBe("1,211");
  expect(formatCount(999_949)).toBe("999,949");
  expect(formatCount(1_204_331)).toBe("1.2 M");
  expect(formatExact(1_204_331)).toBe("1,204,331");
  expect(plural(1, "task")).toBe("1 task");
  expect(plural(1211, "task")).toBe("1,211 tasks");
  expect([0.884, 0.003, 0, NaN].map((share) => formatShare(share))).toEqual([
    ...["88 %", "< 1 %", "0 %", "–"],
  ]);
  expect([0.8841, 0.0004, 0].map((share) => formatShare(share, 1))).toEqual([
    ...["88.4 %", "< 0.1 %", "0.0 %"],
  ]);
});

it("writes sums of time in seconds, and from ten hours on in hours", () => {
  expect(formatSeconds(74.3)).toBe("74.3 s");
  expect(formatSeconds(157.96)).toBe("158.0 s");
  expect(formatSeconds(36_000)).toBe("10.0 h");
  expect(formatSeconds(0.0064)).toBe("6.4 ms");
  expect(formatSeconds(NaN)).toBe("–");
});

it("writes moments of a run from its beginning", () => {
  expect(formatMoment(18.4551, 3)).toBe("18.455 s");
  expect(formatMoment(-0.03, 2)).toBe("−0.03 s");
  expect(formatMoment(119.97, 2)).toBe("119.97 s");
  expect(formatMoment(119.97, 1)).toBe("2:00.0");
  expect(formatMoment(149, 1)).toBe("2:29.0");
  expect(formatMoment(3723.284, 3)).toBe("1:02:03.284");
  expect(formatMoment(3599.99, 0)).toBe("1:00:00");
  expect(formatRange(14.3, 21.3)).toBe("14.3 – 21.3 s");
  expect(formatRange(149, 160)).toBe("2:29.0 – 2:40.0");
});

it("writes both ends of a range alike, and all ranges of a list", () => {
  expect(formatRange(100, 160)).toBe("1:40.0 – 2:40.0");
  expect(formatRange(14.3, 21.3, [0, 300])).toBe("0:14.3 – 0:21.3");
});

it("has as many decimals as tell two pixels apart", () => {
  expect(decimalsFor(0.007)).toBe(3);
  expect(decimalsFor(1)).toBe(0);
  expect(decimalsFor(2e-6)).toBe(6);
});

it.each([
  [0, "UTC"],
  [-60, "UTC+1"],
  [210, "UTC−3:30"],
])(
  "names the zone of a clock that is %i minutes behind UTC",
  (behind, zone) => {
    vi.spyOn(Date.prototype, "getTimezoneOffset").mockReturnValue(behind);
    expect(formatZone(1_800_000_000)).toBe(zone);
  },
);
