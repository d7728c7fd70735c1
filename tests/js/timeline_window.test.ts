import { expect, it } from "vitest";
import { FOLLOWED_S, TimeWindow } from "../../js_src/timeline/window";

const T = 1_795_010_551;

function settle(window: TimeWindow): void {
  for (let frame = 0; frame < 200; frame++) {
    if (!window.advance(16)) return;
  }
  throw new Error("the window never comes to rest");
}

function following(run_s: number): TimeWindow {
  const window = new TimeWindow();
  window.setExtent({ start: T, stop: T + run_s });
  settle(window);
  return window;
}

it("shows a short run whole, and the end of a long one", () => {
  const short = following(20);
  expect(short.start).toBeLessThan(T);
  expect(short.stop).toBeGreaterThan(T + 20);
  const long = following(600);
  expect(long.width).toBeLessThan(FOLLOWED_S * 1.1);
  expect(long.stop).toBeGreaterThan(T + 600);
});

it("glides to the newest row and comes to rest", () => {
  const window = following(20);
  const before = window.stop;
  window.setExtent({ start: T, stop: T + 21 });
  window.advance(16);
  expect(window.stop).toBeGreaterThan(before);
  expect(window.stop).toBeLessThan(T + 21);
  settle(window);
  expect(window.stop).toBeGreaterThan(T + 21);
});

it("leaves live when panned and returns when asked", () => {
  const window = following(20);
  window.zoom(0.5, T + 20);
  expect(window.anchor).toBe("now");
  window.pan(-3);
  expect(window.anchor).toBe("free");
  const { start } = window;
  window.setExtent({ start: T, stop: T + 40 });
  settle(window);
  expect(window.start).toBe(start);
  window.goToNow();
  settle(window);
  expect(window.anchor).toBe("now");
  expect(window.stop).toBeGreaterThan(T + 40);
});

it("follows after a pause as it did before", () => {
  const whole = following(20);
  whole.fit();
  whole.hold();
  whole.pan(-3);
  whole.setExtent({ start: T, stop: T + 200 });
  whole.release();
  settle(whole);
  expect(whole.anchor).toBe("whole");
  expect(whole.start).toBeLessThan(T);
  expect(whole.stop).toBeGreaterThan(T + 200);

  const live = following(20);
  live.hold();
  live.setExtent({ start: T, stop: T + 40 });
  live.release();
  settle(live);
  expect(live.anchor).toBe("now");
  expect(live.start).toBeLessThan(T);

  const still = following(20);
  still.show(T + 3, T + 4);
  still.hold();
  still.release();
  expect([still.anchor, still.start]).toEqual(["free", T + 3]);
  still.hold();
  still.fit(); // asked for while it was paused
  still.release();
  expect(still.anchor).toBe("whole");
});

it("keeps the newest row in place while it zooms and follows the end", () => {
  const window = following(600);
  const { stop } = window;
  window.zoom(0.25, T + 560);
  expect(window.anchor).toBe("now");
  expect(window.stop).toBeCloseTo(stop, 6);
  window.setExtent({ start: T, stop: T + 605 });
  settle(window);
  expect(window.stop - (T + 605)).toBeLessThan(0.5);
  expect(window.stop).toBeGreaterThan(T + 605);
});

it.each<[string, (window: TimeWindow) => void]>([
  ["a short run that it follows", () => {}],
  ["what F fitted", (window) => window.fit()],
  ["what it was zoomed out to", (window) => window.zoom(2, T + 2)],
])("zooms at the pointer where the whole run is shown: %s", (_, show) => {
  const window = following(20);
  show(window);
  settle(window);
  const at = T + 8;
  const part = (at - window.start) / window.width;
  window.zoom(0.5, at);
  expect((at - window.start) / window.width).toBeCloseTo(part, 6);
  expect(window.anchor).toBe("free");
  const { start } = window;
  window.setExtent({ start: T, stop: T + 40 });
  settle(window);
  expect(window.start).toBe(start);
});

it.each<[string, (window: TimeWindow) => void, number | null]>([
  ["beside the newest row", () => {}, T + 20.1],
  ["beside that of a fitted run", (window) => window.fit(), T + 20.1],
  ["without a pointer", () => {}, null],
])("goes on following when it is zoomed %s", (_, show, at) => {
  const window = following(20);
  show(window);
  settle(window);
  const { stop } = window;
  window.zoom(0.5, at);
  expect(window.anchor).toBe("now");
  expect(window.stop).toBeCloseTo(stop, 6);
  window.setExtent({ start: T, stop: T + 25 });
  settle(window);
  expect(window.stop).toBeGreaterThan(T + 25);
});

it("keeps the time under the pointer while it zooms freely", () => {
  const window = following(20);
  window.pan(-1);
  const at = window.start + window.width * 0.3;
  window.zoom(0.5, at);
  expect(window.start + window.width * 0.3).toBeCloseTo(at, 6);
  window.zoom(3, at, true);
  settle(window);
  expect(window.start + window.width * 0.3).toBeCloseTo(at, 6);
});

it("stops where doubles stop, and a few runs out", () => {
  const window = following(20);
  window.pan(-1);
  for (let i = 0; i < 100; i++) window.zoom(0.5, T + 5);
  expect(window.width).toBeGreaterThanOrEqual(199e-6);
  for (let i = 0; i < 200; i++) window.zoom(2, T + 5);
  expect(window.width).toBeLessThanOrEqual(61);
});

it("never loses the data out of sight", () => {
  const window = following(20);
  for (let i = 0; i < 100; i++) window.pan(-10);
  expect(window.stop).toBeGreaterThan(T);
  for (let i = 0; i < 100; i++) window.pan(10);
  expect(window.start).toBeLessThan(T + 20);
});

it("does not animate for those who asked for stillness", () => {
  const window = following(20);
  window.noAnimation = true;
  window.show(T + 3, T + 4, true);
  expect([window.start, window.stop]).toEqual([T + 3, T + 4]);
  window.fit();
  expect(window.start).toBeLessThan(T);
});

it.each<[string, (window: TimeWindow) => void]>([
  ["pan", (window) => window.pan(-1, true)],
  ["zoom", (window) => window.zoom(0.5, 0.5, true)],
  ["show", (window) => window.show(0.2, 0.4)],
  ["hold", (window) => window.hold()],
  ["fit", (window) => window.fit()],
])("is not moved by %s before there are data to show", (_, move) => {
  const window = new TimeWindow();
  move(window);
  window.setExtent({ start: T, stop: T + 200 });
  settle(window);
  const { anchor, start, stop } = following(200);
  expect([window.anchor, window.start, window.stop]).toEqual([
    ...[anchor, start, stop],
  ]);
});

it("places itself anew for another session", () => {
  const window = following(20);
  window.pan(-1);
  window.reset();
  window.setExtent({ start: T + 5000, stop: T + 5001 });
  expect(window.start).toBeLessThanOrEqual(T + 5000);
  expect(window.stop).toBeGreaterThanOrEqual(T + 5001);
});

const HALF_MINUTE = [T, T + 30] as const;

/** That of charts over a run that has gone on for some seconds. */
function charts(run_s = 20): TimeWindow {
  const window = new TimeWindow("whole");
  window.setExtent({ start: T, stop: T + run_s }, HALF_MINUTE);
  return window;
}

it("shows the whole run as its axis, which grows in steps without a movement", () => {
  const window = charts();
  expect([window.start, window.stop]).toEqual(HALF_MINUTE);
  window.setExtent({ start: T, stop: T + 29 }, HALF_MINUTE);
  expect(window.advance(16)).toBe(false);
  expect([window.start, window.stop]).toEqual(HALF_MINUTE);
  window.setExtent({ start: T, stop: T + 30 }, [T, T + 60]);
  expect([window.start, window.stop]).toEqual([T, T + 60]);
});

it("has nothing to move by while it shows an axis, and all when it is zoomed", () => {
  const window = charts();
  window.pan(5);
  expect([window.anchor, window.start]).toEqual(["whole", T]);
  window.zoom(0.5, T + 10);
  expect([window.anchor, window.width]).toEqual(["free", 15]);
  expect(window.start + window.width / 3).toBeCloseTo(T + 10, 6);
  window.pan(2);
  expect(window.start).toBeCloseTo(T + 7, 6);
  window.setExtent({ start: T, stop: T + 31 }, [T, T + 60]);
  settle(window);
  expect(window.start).toBeCloseTo(T + 7, 6);
});

it("is whole again when it is fitted, and when it is zoomed out as far as its axis", () => {
  for (const back of [
    (window: TimeWindow) => window.fit(),
    (window: TimeWindow) => window.zoom(4, T + 12),
  ]) {
    const window = charts();
    window.zoom(0.3, T + 10);
    back(window);
    settle(window);
    expect(window.anchor).toBe("whole");
    expect([window.start, window.stop]).toEqual(HALF_MINUTE);
  }
});

it("follows the newest row of an axis with time to come", () => {
  const window = charts();
  window.zoom(0.2, T + 25);
  expect(window.anchor).toBe("now");
  settle(window);
  expect(window.stop - (T + 20)).toBeLessThan(1);
  expect(window.width).toBeCloseTo(6, 6);
  window.setExtent({ start: T, stop: T + 24 }, HALF_MINUTE);
  settle(window);
  expect(window.stop).toBeGreaterThan(T + 24);
  expect(window.width).toBeCloseTo(6, 3);
  window.show(T + 3, T + 5);
  window.goToNow();
  settle(window);
  expect([window.anchor, window.stop > T + 24]).toEqual(["now", true]);
});

it("goes on following what came while it moved there", () => {
  const window = following(600);
  window.show(T + 3, T + 5);
  window.goToNow();
  window.advance(60);
  window.setExtent({ start: T, stop: T + 604 });
  settle(window);
  expect(window.stop).toBeGreaterThan(T + 604);
});
