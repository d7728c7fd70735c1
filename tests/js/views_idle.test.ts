// What a panel does not do: nothing follows from a status that says nothing new of
// where things are, and nothing at all while nobody looks.

import { effect, signal } from "@preact/signals";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { PanelHost } from "../../js_src/panel/host";
import type { PanelEnvironment } from "../../js_src/panel/environment";
import { EventsRow } from "../../js_src/panels/task_stream/events";
import { type Item, MarkRow } from "../../js_src/timeline/marks";
import { LaneMap } from "../../js_src/timeline/lanes";
import { firstOf } from "../../js_src/panel/number_table";
import type { WorkerGroup } from "../../js_src/panel/worker_groups";
import { PanelState } from "../../js_src/panels/task_stream/panel_state";
import { toBatch } from "./harness/run";
import { HarnessSession } from "./harness/session";
import { T0 } from "./model_rows";

const visible = signal(true);
const environment = {
  visible,
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

const worker = (at: number, process: number) => ({
  address: `tcp://h:${at}`,
  name: String(at),
  host: "",
  threads: 2,
  memory_limit: 0,
  process,
  managed: 0,
  spilled: 0,
  status: "running",
  running: null,
});

let view: PanelState;
let stopFollowing: () => void;
let session: HarnessSession;

/** As every half second: the same workers with other figures. */
function status(memory: number, workers = 2): void {
  session.now.value += 0.5;
  session.workers.value = Array.from({ length: workers }, (_, at) =>
    worker(at, memory),
  );
}

function addTask(task: number): void {
  const row = { start: T0 + task, duration: 1, lane: 0, prefix: 0, task };
  const rest = { action: 0, status: 0, nbytes: 0, span: 0 };
  session.addRows(toBatch([{ ...row, ...rest }]), task, 1);
}

beforeEach(() => {
  visible.value = true;
  session = new HarnessSession("one");
  session.addNames(["inc"], [{ worker: "tcp://h:0", thread: "1" }]);
  view = new PanelState(environment, host);
  vi.stubGlobal("requestAnimationFrame", () => 1);
  vi.stubGlobal("cancelAnimationFrame", () => {});
  stopFollowing = view.followRun();
  view.use(session);
  status(0);
});
afterEach(() => {
  stopFollowing();
  vi.unstubAllGlobals();
});

/** How often what reads signals was run anew, after the first time. */
function counted(read: () => void): { times: () => number; stop: () => void } {
  let times = -1;
  const stop = effect(() => {
    read();
    times += 1;
  });
  return { times: () => times, stop };
}

describe("a status that moves nothing", () => {
  it("lays no lane out anew and reads no event again", () => {
    const map = new LaneMap<WorkerGroup>();
    const events = new EventsRow();
    const lay = () => map.update(view.placed.peek(), 400, 1, 26);
    lay();
    const reads = counted(() => events.read(view));
    const places = counted(() => {
      void view.placed.value;
      void view.narrowing.value;
    });
    for (let at = 1; at <= 10; at++) status(at * 1e6);
    expect([lay(), reads.times(), places.times()]).toEqual([false, 0, 0]);
    expect(view.groups.value[0]!.info!.process).toBe(10e6);
    status(0, 3);
    expect([lay(), reads.times() > 0, places.times() > 0]).toEqual([
      ...[true, true, true],
    ]);
    reads.stop();
    places.stop();
  });

  it("does not change that there is something to show", () => {
    addTask(0);
    const changes = counted(() => void view.hasTasks.value);
    for (let task = 1; task < 20; task++) addTask(task);
    expect([changes.times(), view.loadedTasks.value]).toEqual([0, 20]);
    changes.stop();
  });
});

describe("a panel that nobody sees", () => {
  it("follows nothing, and knows all as soon as somebody looks", () => {
    addTask(0);
    const changes = counted(() => {
      void view.dataVersion.value;
      void view.workers.value;
      void view.now.value;
      void view.totals.value;
      void view.loadedTasks.value;
      void view.narrowing.value;
    });
    visible.value = false;
    for (let task = 1; task < 20; task++) {
      addTask(task);
      status(task, 3);
    }
    expect([changes.times(), view.extent!.stop]).toEqual([0, T0 + 1]);
    visible.value = true;
    expect(changes.times()).toBe(1);
    expect([view.loadedTasks.value, view.groups.value.length]).toEqual([20, 3]);
    expect(view.extent!.stop).toBe(T0 + 20);
    changes.stop();
  });

  it("lets go of the session, also when it is never seen again", () => {
    visible.value = false;
    const follows = counted(() => void view.groups.value);
    view.use(null);
    visible.value = true;
    const before = follows.times();
    status(1, 5);
    expect([follows.times(), view.groups.value]).toEqual([before, []]);
    follows.stop();
  });
});

describe("the marks of the row of events", () => {
  it("are merged some times in a zoom, not for each frame", () => {
    const moment = (start: number): Item => ({
      ...{ start, stop: start, level: "error", text: "E" },
      ...{ one: "error", many: "errors" },
    });
    const row = new MarkRow<Item>();
    row.items = [1, 2, 3, 50].map(moment);
    const made = new Set<unknown>();
    // Twice as far in one second.
    for (let frame = 0; frame < 60; frame++) {
      made.add(row.update(10 * 2 ** (-frame / 60)));
    }
    expect(made.size).toBeLessThanOrEqual(5);
    expect(row.update(10)).toHaveLength(2);
    expect(row.update(0.5)).toHaveLength(4);
  });
});

describe("a table of very many rows", () => {
  it("shows the first of them, and says of how many", () => {
    const rows = Array.from({ length: 1_200 }, (_, at) => at);
    const { rows: first, words } = firstOf(rows, "prefixes");
    expect(first).toHaveLength(500);
    expect(words).toBe("; the first 500 of 1,200 prefixes");
    expect(firstOf(rows.slice(0, 500), "prefixes").words).toBe("");
  });
});
