// What the panels of one session share.

import type { PanelEnvironment } from "../../js_src/panel/environment";
import type { PanelHost } from "../../js_src/panel/host";
import { signal } from "@preact/signals";
import { describe, expect, it, vi } from "vitest";
import { whatOf } from "../../js_src/model/segment";
import { NO_FOCUS } from "../../js_src/model/types";
import { PanelState } from "../../js_src/panels/task_stream/panel_state";
import { toBatch } from "./harness/run";
import { HarnessSession } from "./harness/session";
import { T0 } from "./model_rows";

const environment = {
  visible: signal(true),
  width: signal(1200),
  height: signal(640),
  theme: signal({ small_px: 11 }),
  reducedMotion: signal(true),
} as unknown as PanelEnvironment;
const host: PanelHost = {
  inline: false,
  live: true,
  emptyState: signal(null),
  capturesWheel: true,
};

function panel(store: HarnessSession): PanelState {
  const view = new PanelState(environment, host);
  view.use(store);
  return view;
}

describe("panels of one session", () => {
  let store: HarnessSession;

  function open(): [PanelState, PanelState] {
    store = new HarnessSession("shared");
    store.addNames(["read", "add"], [{ worker: "w", thread: "1" }]);
    return [panel(store), panel(store)];
  }

  it("know what the other isolated", () => {
    const [one, other] = open();
    one.isolateActions(["transfer"]);
    expect(other.actions.value).toEqual(["transfer"]);
    expect(other.filterVersion.value).toBe(one.filterVersion.value);
    const before = store.model.filter;
    expect(before).not.toBeNull();
    other.isolateActions([]);
    expect(one.actions.value).toEqual([]);
    expect(store.model.filter).toBeNull();
    one.use(null);
    other.use(null);
  });

  it("follow the workers in focus, with lanes that come later, too", () => {
    const [one, other] = open();
    const lit = () =>
      [0, 1, 2].map((lane) => store.model.filter?.hasLane(lane));
    store.addNames([], [{ worker: "v", thread: "1" }]);
    store.setFocus({ ...NO_FOCUS, workers: ["w"] });
    expect(lit()).toEqual([true, false, false]);
    store.addNames([], [{ worker: "w", thread: "2" }]);
    expect(lit()).toEqual([true, false, true]);
    store.setFocus(NO_FOCUS);
    expect(store.model.filter).toBeNull();
    one.use(null);
    other.use(null);
  });

  it("show a time in focus at once where it was out of sight", () => {
    vi.stubGlobal("requestAnimationFrame", () => 1);
    vi.stubGlobal("cancelAnimationFrame", () => {});
    const [view, other] = open();
    const stop = view.followRun();
    const row = { lane: 0, prefix: 0, action: 0, status: 0, nbytes: 0 };
    const rows = [0, 300].map((start, task) => ({
      ...{ ...row, task, span: 0, start: T0 + start, duration: 1 },
    }));
    store.now.value = T0 + 301;
    store.addRows(toBatch(rows), 0, 2);
    view.window.noAnimation = false;
    const shown = () => [view.timeline.shown.value, view.range.value];
    expect(view.window.start).toBeGreaterThan(T0 + 200);
    store.setFocus({ ...NO_FOCUS, time: [T0 + 10, T0 + 20] });
    const time = [T0 + 10, T0 + 20];
    expect(shown()).toEqual([time, time]);
    store.setFocus(NO_FOCUS);
    expect(view.range.value[0]).toBeLessThanOrEqual(T0);
    expect(view.range.value[1]).toBeGreaterThan(T0 + 300);
    stop();
    other.use(null);
    vi.unstubAllGlobals();
  });

  it("keep the filter until the last one is closed, whoever began", () => {
    const [one, other] = open();
    one.isolateActions(["transfer"]);
    one.use(null);
    expect(store.model.filter).not.toBeNull();
    other.isolateActions(["disk"]);
    expect(other.actions.value).toEqual(["disk"]);
    expect(store.model.filter).not.toBeNull();
    other.use(null);
    expect(store.model.filter).toBeNull();
  });

  it("see one search, as far as it got", async () => {
    const [one, other] = open();
    await store.addKeys(0, ["read-1", "add-2"]);
    store.counts.value = { ...store.counts.peek(), captured: 2, kept: 2 };
    store.model.markCovered(0, 2);
    one.searchFor("add");
    expect(other.search.value.text).toBe("add");
    await vi.waitFor(() =>
      expect(other.search.value.found).toEqual(Uint32Array.of(1)),
    );
    expect(other.step(1)).toBe(1);
    expect(one.search.value.at).toBe(0);
    one.use(null);
    other.use(null);
  });

  it("light what the newest search found, also when it is as much as before", async () => {
    const [one, other] = open();
    const row = { start: 0, duration: 1, lane: 0, action: 0, status: 0 };
    const batch = toBatch(
      [0, 1].map((task) => ({ ...row, prefix: task, nbytes: 0, task })),
    );
    store.addRows(batch, 0, 2);
    await store.addKeys(0, ["read-1", "add-2"]);
    const rows = { ...batch, what: whatOf(batch.action, batch.status) };
    const lit = () =>
      [0, 1].filter((at) => store.model.filter?.matches(rows, at));
    one.searchFor("read-1");
    await vi.waitFor(() => expect(lit()).toEqual([0]));
    one.searchFor("add-2");
    await vi.waitFor(() => expect(one.search.value.running).toBe(false));
    expect(one.search.value.found).toEqual(Uint32Array.of(1));
    expect(lit()).toEqual([1]);
    one.use(null);
    other.use(null);
  });

  it("begin anew after the last one was closed", () => {
    const [one, other] = open();
    one.isolateActions(["transfer"]);
    one.use(null);
    other.use(null);
    const again = panel(store);
    expect(again.actions.value).toEqual([]);
    expect(store.model.filter).toBeNull();
    again.use(null);
  });
});
