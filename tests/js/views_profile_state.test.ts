// The state of the panel of the profile: what each view shows, and what is chosen in it.

import { signal } from "@preact/signals";
import { describe, expect, it } from "vitest";
import type { Theme } from "../../js_src/base/theme";
import type { PanelHost } from "../../js_src/panel/host";
import { NO_FOCUS } from "../../js_src/model/types";
import { PanelView } from "../../js_src/panel/panel_view";
import { press } from "../../js_src/panels/profile/keys";
import {
  exactNode,
  ProfileState,
  stateOf,
} from "../../js_src/panels/profile/state";
import { HarnessSession } from "./harness/session";

interface Made {
  readonly state: ProfileState;
  readonly session: HarnessSession;
  /** The number of a function. */
  readonly frame: (name: string) => number;
}

/** Each line is a stack, its samples, and its time if not 0. Names with a dot are of libraries. */
function made(...lines: string[]): Made {
  const session = new HarnessSession("one");
  session.addNames(["", "inc", "sum"], []);
  const names = [""];
  const stacks = [{ parent: 0, frame: 0 }];
  const known = new Map([["", 0]]);
  const numberOf = (path: readonly string[]): number => {
    const id = path.join(" ");
    const number = known.get(id);
    if (number !== undefined) return number;
    const parent = numberOf(path.slice(0, -1));
    const name = path.at(-1)!;
    if (!names.includes(name)) names.push(name);
    known.set(id, stacks.length);
    return stacks.push({ parent, frame: names.indexOf(name) }) - 1;
  };
  const rows = lines.map((line) => {
    const path = line.split(" ").filter((word) => !/^\d/.test(word));
    const [count, time = 0] = line.split(" ").slice(path.length).map(Number);
    return {
      ...{ time, duration: 1, scope: 0, worker: "tcp://w", prefix: 1 },
      ...{ stack: numberOf(path), count: count! },
    };
  });
  session.fill(
    "frames",
    names.map((name) => ({
      name,
      file: `${name.includes(".") ? "/lib/python3.13/site-packages" : "/home"}/${name}.py`,
    })),
  );
  session.fill("stacks", stacks);
  session.fill("profile_counts", rows);
  profiled(session, { "tcp://w": 0.01 });
  const view = new PanelView(
    { session: signal(session), host: { inline: false } as PanelHost },
    {
      ...{ width: signal(1200), height: signal(700), visible: signal(true) },
      ...{ theme: signal({} as Theme), reducedMotion: signal(true) },
      dispose: () => undefined,
    },
  );
  const frame = (name: string): number => names.indexOf(name);
  return { state: stateOf(view), session, frame };
}

/** Seconds between two samples, by the address of a process. */
function profiled(
  session: HarnessSession,
  intervals: Record<string, number>,
): void {
  session.fill(
    "profiled",
    Object.entries(intervals).map(([worker, interval]) => ({
      ...{ worker, interval, cycle: 1 },
    })),
  );
}

const RUN = ["main a f 4", "main b f 6", "main b np.x np.y 3", "main b 1"];

const STEADY = Array.from({ length: 16 }, (_, time) => `main a 10 ${time}`);

/** The functions of the path that is chosen, if the graph has it. */
function chosenIn({ state, frame }: Made, names: readonly string[]): unknown {
  const path = state.chosen.value;
  if (!path || exactNode(state.graph.value, path) < 0) return path && "stale";
  return path.map((one) => names.find((name) => frame(name) === one)).join(" ");
}
const NAMES = ["main", "a", "b", "f", "np.x", "np.y"];

describe("the scope of the profile", () => {
  it("is the first with samples in a file, until one is chosen", () => {
    expect(made(...RUN).state.scope.value).toBe("compute");
    const { state, session } = made();
    const row = { duration: 1, worker: "", prefix: 0, stack: 0, count: 3 };
    session.fill("profile_counts", [{ time: 0, scope: 2, ...row }]);
    expect(state.scope.value).toBe("scheduler");
    state.setScope("worker");
    expect(state.scope.value).toBe("worker");
  });
});

describe("what is chosen in the profile", () => {
  it("is in the graph again after a caller was chosen in the sandwich", () => {
    const run = made(...RUN);
    const { state, frame } = run;
    state.chooseFunction(frame("f"));
    press(state, "c", false);
    expect(state.sandwich.value?.frame).toBe(frame("f"));
    state.chooseFunction(frame("a"));
    expect(state.sandwich.value?.frame).toBe(frame("a"));
    press(state, "ArrowUp", false);
    expect(state.sandwich.value?.frame).toBe(frame("main"));
    state.chooseFunction(frame("a"));
    press(state, "Escape", false);
    expect(state.mode.value).toBe("flame");
    expect(chosenIn(run, NAMES)).toBe("main a");
  });

  it("stays the function where the tree becomes another one", () => {
    const run = made(...RUN);
    const { state, frame } = run;
    const path = ["main", "b", "np.x", "np.y"].map(frame);
    state.choose(path.slice(0, 3), false);
    press(state, "i", false);
    expect(state.zoom.value).toEqual([]);
    expect(chosenIn(run, NAMES)).toBe("np.y np.x");
    press(state, "i", false);
    expect(chosenIn(run, NAMES)).toBe("main b np.x");
    state.choose(path, false);
    state.changeTree(() => (state.libraries.value = true));
    expect(state.zoom.value).toEqual([]);
    expect(state.chosen.value).toBe(null);
  });

  it("is in the graph of a view that is not split or inverted", () => {
    const run = made(...RUN.map((row, at) => `${row} ${at}`));
    const { state, frame } = run;
    state.splitBy("prefix");
    const group = state.graph.value.tree.frame[1]!;
    state.choose([group, frame("main"), frame("a")], false);
    state.rootAt(group);
    state.choose([frame("main"), frame("a")], false);
    state.setMode("compare");
    expect(state.root.value).toBe(null);
    expect(chosenIn(run, NAMES)).toBe("main a");
  });
});

describe("what the graph begins at, and what it leaves out", () => {
  it("is no worker or prefix once the graph is split by something else", () => {
    const { state, frame } = made(...RUN);
    state.splitBy("prefix");
    const group = state.graph.value.tree.frame[1]!;
    state.rootAt(group);
    state.hide(group);
    state.hide(frame("f"));
    state.splitBy("worker");
    expect(state.root.value).toBe(null);
    expect(state.hidden.value).toEqual([frame("f")]);
  });

  it("is said where neither side of a comparison has it", () => {
    const { state, session, frame } = made(...STEADY, "main b 10 20");
    state.setMode("compare");
    state.rootAt(frame("b"));
    session.setFocus({ ...NO_FOCUS, time: [8, 16] });
    state.reference.value = [0, 8];
    expect(state.compared.value).toBe(null);
    expect(state.refused.value).toContain("in b");
    state.rootAt(frame("a"));
    expect(state.compared.value?.samples).toEqual([80, 80]);
  });
});

describe("a search", () => {
  it("steps through what only the first side of a comparison has", () => {
    const run = made(...STEADY, "main b 10 2");
    const { state, session } = run;
    state.setMode("compare");
    session.setFocus({ ...NO_FOCUS, time: [8, 16] });
    state.text.value = "/b.py";
    expect(state.found.value?.share).toBeCloseTo(10 / 170);
    state.stepToMatch(1);
    expect(chosenIn(run, NAMES)).toBe("main b");
  });
});

describe("callers and callees of a function", () => {
  it("are without what is hidden or collapsed, as the table is", () => {
    const { state, frame } = made(...RUN);
    state.setMode("sandwich");
    state.chooseFunction(frame("b"));
    const names = () => {
      const { tree } = state.sandwich.value!.callees;
      return [...tree.frame].map((one) => NAMES.find((n) => frame(n) === one));
    };
    expect(names()).toEqual(["b", "f", "np.x", "np.y"]);
    state.changeTree(() => (state.libraries.value = true));
    expect(names()).toEqual(["b", "f", "np.x"]);
    state.hide(frame("f"));
    state.chooseFunction(frame("b"));
    expect(names()).toEqual(["b", "np.x"]);
    expect(state.sandwich.value!.total).toBe(10);
  });
});

describe("the interval of samples", () => {
  it("is that of the processes that were sampled", () => {
    const { state, session } = made(...RUN);
    profiled(session, { "": 0.02, "tcp://w": 0.01 });
    expect(state.interval_s.value).toBe(0.01);
    profiled(session, { "": 0.01, "tcp://w": 0.02 });
    expect(state.interval_s.value).toBe(0.02);
  });

  it("is the same in both recordings that are compared", () => {
    const { state, session } = made(...STEADY);
    const other = made(...STEADY).session;
    state.setMode("compare");
    state.compareWith({ name: "before", session: other });
    profiled(session, { "": 0.05, "tcp://w": 0.01 });
    profiled(other, { "": 0.02, "tcp://w": 0.01 });
    expect(state.refused.value).toBe(null);
    expect(state.compared.value?.samples).toEqual([160, 160]);
    profiled(other, { "tcp://w": 0.02 });
    expect(state.refused.value).toContain("20 ms in A and 10 ms in B");
    profiled(other, {});
    expect(state.refused.value).toContain("unknown interval in A and 10 ms");
  });
});
