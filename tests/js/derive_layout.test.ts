import { describe, expect, it } from "vitest";
import { laneAt, layOutLanes } from "../../js_src/derive/layout";

const lanesOf = (workers: number, threads: number): number[] =>
  new Array<number>(workers).fill(threads);

describe("the layout of lanes", () => {
  it("groups lanes by worker, 10 px apart, at most 26 px high", () => {
    const layout = layOutLanes(lanesOf(2, 2), 700);
    expect(layout.height).toBe(26);
    expect([...layout.top]).toEqual([0, 28, 66, 94]);
    expect(layout.groups.map(({ bottom }) => bottom)).toEqual([54, 120]);
    expect(layout.contentHeight).toBe(120);
  });

  it("has higher lanes where larger text has to fit in them", () => {
    const lanes = lanesOf(2, 2);
    expect(layOutLanes(lanes, 700, 1, 31).height).toBe(31);
    expect(layOutLanes(lanes, 1400, 2, 31).height).toBe(62);
    expect(layOutLanes(lanes, 60, 1, 31).height, "no more than fits").toBe(10);
  });

  it("has smaller gaps between lower lanes", () => {
    const gapOf = (lanes: number): number => {
      const { top, height } = layOutLanes(lanesOf(1, lanes), 700);
      return top[1] - top[0] - height;
    };
    expect(gapOf(20)).toBe(2);
    expect(gapOf(110)).toBe(1);
    expect(gapOf(350)).toBe(0);
  });

  it("fits whatever number of lanes as long as each has a pixel", () => {
    for (const [workers, threads] of [
      ...[
        [1, 1],
        [4, 4],
        [8, 8],
      ],
      ...[
        [64, 4],
        [500, 1],
        [3, 200],
      ],
    ]) {
      const layout = layOutLanes(lanesOf(workers, threads), 700);
      if (workers * threads + workers < 700) {
        expect(layout.contentHeight).toBeLessThanOrEqual(701);
      }
      expect(layout.height).toBeGreaterThanOrEqual(1);
    }
  });

  it("is higher than its space when there are more lanes than pixels", () => {
    const layout = layOutLanes(lanesOf(10, 200), 700);
    expect(layout.height).toBe(1);
    expect(layout.contentHeight).toBeGreaterThan(2000);
  });

  it("is the same on a dense screen, in finer pixels", () => {
    const layout = layOutLanes(lanesOf(2, 2), 1400, 2);
    expect(layout.height).toBe(52);
    expect([...layout.top]).toEqual([0, 56, 132, 188]);
  });

  it("finds the lane at a height, and none in the gaps", () => {
    const layout = layOutLanes(lanesOf(2, 2), 700);
    expect(
      [0, 25, 26, 28, 60, 66, 119, 120].map((y) => laneAt(layout, y)),
    ).toEqual([0, 0, -1, 1, -1, 2, 3, -1]);
    expect(laneAt(layout, -1)).toBe(-1);
  });

  it("is empty without lanes", () => {
    const layout = layOutLanes([], 700);
    expect(layout.contentHeight).toBe(0);
    expect(laneAt(layout, 0)).toBe(-1);
  });
});
