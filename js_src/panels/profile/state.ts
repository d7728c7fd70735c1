// What a panel shows of a profile, from the tables to the layout of its graph: signals, each
// computed again only where what it depends on has changed.

import { batch, computed, type ReadonlySignal, signal } from "@preact/signals";
import { type CountWindow, ProfileCounts } from "../../derive/profile_counts";
import {
  type Layout,
  layoutOf,
  ranksOf,
  visible,
} from "../../derive/profile_layout";
import { callersAndCallees, inverted } from "../../derive/profile_callers";
import { compared, type Comparison } from "../../derive/profile_compare";
import { search } from "../../derive/profile_search";
import { MODULES } from "../../derive/profile_modules";
import {
  collapsed,
  rootedAt,
  type Tree,
  treeOf,
  without,
} from "../../derive/profile_tree";
import { hasWords } from "../../panel/filter_tools";
import type { PanelView } from "../../panel/panel_view";
import { tasksRan } from "../../panel/tasks_ran";
import { SCOPES } from "../../schema";
import type { SessionStore } from "../../session";
import type { Range } from "../../timeline/window";
import { Frames, ROOT } from "./frames";

export type Scope = (typeof SCOPES)[number];
export type Mode = "flame" | "sandwich" | "compare";
export type Order = "name" | "weight";
/** Frames from the first below the root on: the same node in another tree, too. */
export type Path = readonly number[];

/** What is in order of weight may move so often. */
const CALM_S = 10;

/** Callers of what is less are not looked for: nobody sees it until they zoom. */
const LEAST_SHARE = 1e-4;

const ROOT_NAMES: Readonly<Record<Scope, string>> = {
  compute: "all workers",
  worker: "all workers",
  scheduler: "scheduler",
};

/** What is counted: the focus as far as a profile knows it. */
export interface Filter extends CountWindow {
  /** The same for the same counts. */
  readonly id: string;
  /** The same for the same counts in another time. */
  readonly scopeId: string;
}

export interface Found {
  readonly text: string;
  /** By frame, 1 for each that matches. */
  readonly frames: Uint8Array;
  /** By node of the graph, also those into which one that matches is folded. */
  readonly hits: Uint8Array;
  readonly functions: number;
  /** Of all samples that are shown. */
  readonly share: number;
}

export interface Shown {
  readonly tree: Tree;
  readonly layout: Layout;
}

export class ProfileState {
  readonly scope = signal<Scope>("compute");
  readonly mode = signal<Mode>("flame");
  readonly order = signal<Order>("name");
  readonly inverted = signal(false);
  readonly recursion = signal(false);
  readonly libraries = signal(false);
  /** Whether the table of functions is there; null is where there is room for it. */
  readonly table = signal<boolean | null>(null);
  /** The function of which only what it calls is shown. */
  readonly root = signal<number | null>(null);
  readonly hidden = signal<readonly number[]>([]);
  readonly text = signal("");
  readonly zoom = signal<Path>([]);
  readonly chosen = signal<Path | null>(null);
  /** The graph stands still while a frame is pinned, or the pointer is on it. */
  readonly pinned = signal(false);
  readonly pointed = signal(false);

  readonly frames: ReadonlySignal<Frames>;
  readonly filter: ReadonlySignal<Filter>;
  private readonly read = new ProfileCounts();
  private readonly ranks: ReadonlySignal<Float64Array>;
  /** Of each stack its samples, without those of what it called. */
  readonly counts: ReadonlySignal<Float64Array>;
  /** As it was recorded. */
  readonly tree: ReadonlySignal<Tree>;
  /** As it is shown. */
  readonly shown: ReadonlySignal<Shown>;
  readonly sandwich: ReadonlySignal<Sandwich | null>;
  readonly found: ReadonlySignal<Found | null>;
  /** What is selected next to another time; null where nothing is. */
  readonly compared: ReadonlySignal<Compared | null>;
  /** The time that is compared with; null is the rest of the run. */
  readonly reference = signal<Range | null>(null);
  /** Stacks with a frame that matches, or that is chosen, as a mask; null is none. */
  readonly marked: ReadonlySignal<Uint8Array | null>;
  /** Seconds of a sample. */
  readonly interval_s: ReadonlySignal<number>;
  /** All of the scope, whatever is in focus. */
  readonly samples: ReadonlySignal<number>;
  readonly reading: ReadonlySignal<Reading>;
  /** Addresses of processes that were profiled, those that left among them. */
  readonly workers: ReadonlySignal<readonly string[]>;
  /** Of each module whether a frame of the graph is of it. */
  readonly modulesUsed: ReadonlySignal<Uint8Array>;

  constructor(readonly view: PanelView) {
    this.frames = computed(
      () =>
        new Frames(view.table("frames").columns, ROOT_NAMES[this.scope.value]),
    );
    this.ranks = computed(() => ranksOf(this.frames.value.columns));
    this.filter = computed(() => filterOf(view, this.scope.value));
    let held: { id: string; counts: Float64Array; time: number } | null = null;
    this.counts = computed(() => {
      const filter = this.filter.value;
      if (held?.id === filter.id && this.isStill(held.time)) {
        return held.counts;
      }
      const counts = this.rows().in(filter);
      held = { id: filter.id, counts, time: view.now.peek() };
      return counts;
    });
    this.tree = computed(() =>
      treeOf(view.table("stacks").columns, this.counts.value),
    );
    this.shown = computed(() => this.transformed());
    this.sandwich = computed(() => this.callersAndCallees());
    this.compared = computed(() => this.compare());
    this.found = computed(() => this.search());
    this.marked = computed(() => this.stacksMarked());
    this.interval_s = computed(() => usualInterval(view, this.scope.value));
    this.samples = computed(() => {
      const scope = SCOPES.indexOf(this.scope.value);
      const counts = this.rows().in({
        start: -Infinity,
        stop: Infinity,
        scope,
      });
      return counts.reduce((sum, count) => sum + count, 0);
    });
    this.reading = computed(() => readingOf(view, this.scope.value));
    this.workers = computed(() =>
      [...new Set(view.table("profiled").columns.worker)].filter(Boolean),
    );
    this.modulesUsed = computed(() => {
      const { frame } = this.shown.value.tree;
      const used = new Uint8Array(MODULES.length);
      for (let node = 1; node < frame.length; node++) {
        used[this.frames.value.moduleOf(frame[node])] = 1;
      }
      return used;
    });
  }

  /** Whether the graph of a moment stays as it is. */
  private isStill(time: number): boolean {
    if (this.pinned.value || this.pointed.value) return true;
    return this.order.value === "weight" && this.view.now.value < time + CALM_S;
  }

  /** Reads a signal. */
  rows(): ProfileCounts {
    this.read.update(this.view.table("profile_counts").rings);
    return this.read;
  }

  /** Nodes of another scope are others. */
  setScope(scope: Scope): void {
    batch(() => {
      this.scope.value = scope;
      this.forget();
      this.hidden.value = [];
      this.root.value = null;
    });
  }

  choose(path: Path, pins: boolean): void {
    batch(() => {
      const again =
        pins && this.pinned.peek() && same(path, this.chosen.peek());
      this.chosen.value = path.length === 0 || again ? null : path;
      this.pinned.value = pins && !again && path.length > 0;
      if (!pins && this.mode.peek() !== "sandwich") this.zoom.value = path;
    });
  }

  /** In the graph, where it has most samples. */
  chooseFunction(frame: number): void {
    const { tree } = this.inView;
    let heaviest = -1;
    for (let node = 1; node < tree.frame.length; node++) {
      if (tree.frame[node] !== frame) continue;
      if (heaviest < 0 || tree.total[node] > tree.total[heaviest])
        heaviest = node;
    }
    const inGraph = this.mode.peek() !== "sandwich" && heaviest > 0;
    this.chosen.value = inGraph ? pathOf(tree, heaviest) : [frame];
  }

  /** One step back; false where there is none. */
  back(): boolean {
    if (this.pinned.peek()) this.pinned.value = false;
    else if (this.mode.peek() !== "flame") this.mode.value = "flame";
    else if (this.zoom.peek().length > 0) {
      const zoom = this.zoom.peek().slice(0, -1);
      this.zoom.value = zoom;
      this.chosen.value = zoom.length > 0 ? zoom : null;
    } else if (this.chosen.peek()) this.chosen.value = null;
    else if (this.text.peek() !== "") this.text.value = "";
    else return false;
    return true;
  }

  private get inView(): Shown {
    return this.compared.peek()?.shown ?? this.shown.peek();
  }

  /** From frame to frame in the graph: to its caller, a callee, its neighbours. */
  step(key: string): boolean {
    const shown = this.inView;
    const { tree, layout } = shown;
    const at = nodeOf(shown, this.chosen.peek() ?? this.zoom.peek());
    const place = layout.nodes.indexOf(at, layout.rows[tree.depth[at]]);
    const beside = layout.nodes[place + (key === "ArrowLeft" ? -1 : 1)];
    let next: number | undefined;
    if (key === "ArrowUp") next = at > 0 ? tree.parent[at] : undefined;
    else if (key === "ArrowDown") next = heaviestChild(shown, at);
    else if (tree.depth[beside] === tree.depth[at]) next = beside;
    if (next === undefined) return at > 0;
    this.chosen.value = pathOf(tree, next);
    return true;
  }

  /** To the next node that matches the search, in order of rows. */
  stepToMatch(by: number): void {
    const found = this.found.peek();
    const shown = this.shown.peek();
    if (!found) return;
    const all = [...shown.layout.nodes].filter(
      (node) => found.hits[node] === 1,
    );
    if (all.length === 0) return;
    const chosen = this.chosen.peek();
    const from = chosen ? all.indexOf(nodeOf(shown, chosen)) : -1;
    const at = from < 0 && by < 0 ? all.length - 1 : from + by;
    const node = all[(at + all.length) % all.length];
    this.chosen.value = pathOf(shown.tree, node);
  }

  hide(frame: number): void {
    if (frame === ROOT) return;
    batch(() => {
      this.hidden.value = [...this.hidden.peek(), frame];
      this.forget();
    });
  }

  rootAt(frame: number): void {
    if (frame === ROOT) return;
    batch(() => {
      this.root.value = frame;
      this.forget();
    });
  }

  /** Paths of one tree lead nowhere in another. */
  private forget(): void {
    this.zoom.value = [];
    this.chosen.value = null;
    this.pinned.value = false;
  }

  private transformed(): Shown {
    let tree = this.folded(this.tree.value);
    if (this.inverted.value) {
      const least = tree.total[0] * LEAST_SHARE;
      tree = inverted(tree, { least, along: this.zoom.value });
    }
    return this.laidOut(tree);
  }

  private folded(tree: Tree): Tree {
    const frames = this.frames.value;
    const root = this.root.value;
    if (root !== null) tree = rootedAt(tree, root);
    const hidden = this.hidden.value;
    if (hidden.length > 0) tree = without(tree, ...hidden);
    const recursion = this.recursion.value;
    const library = this.libraries.value
      ? (frame: number): boolean => frames.isLibrary(frame)
      : null;
    if (recursion || library) tree = collapsed(tree, { recursion, library });
    return tree;
  }

  private callersAndCallees(): Sandwich | null {
    const frame = this.chosen.value?.at(-1);
    if (this.mode.value !== "sandwich" || frame === undefined) return null;
    const { callers, callees, total } = callersAndCallees(
      this.tree.value,
      frame,
      { least: this.tree.value.total[0] * LEAST_SHARE },
    );
    return {
      ...{ frame, total },
      callers: this.laidOut(callers),
      callees: this.laidOut(callees),
    };
  }

  private laidOut(tree: Tree): Shown {
    const ranks = this.order.value === "name" ? this.ranks.value : null;
    return { tree, layout: layoutOf(tree, ranks) };
  }

  private compare(): Compared | null {
    const { time } = this.view.focus.value;
    if (this.mode.value !== "compare" || !time) return null;
    const filter = this.filter.value;
    const reference = this.reference.value;
    const others = reference
      ? [{ ...filter, start: reference[0], stop: reference[1] }]
      : [
          { ...filter, start: -Infinity, stop: filter.start },
          { ...filter, start: filter.stop, stop: Infinity },
        ];
    const rows = this.rows();
    const before = rows.stretches(...others);
    const after = rows.stretches(filter);
    const counts = this.counts.value.slice();
    const all = others.map((window) => rows.in(window));
    const size = Math.max(counts.length, ...all.map(({ length }) => length));
    const sum = new Float64Array(size);
    for (const some of [counts, ...all]) {
      some.forEach((count, stack) => (sum[stack] += count));
    }
    const both = this.folded(treeOf(this.view.table("stacks").columns, sum));
    const comparison = compared(both, before, after, { by: "share" });
    return {
      ...comparison,
      ...{ time, reference, samples: [before.samples, after.samples] },
      shown: this.laidOut(comparison.tree),
    };
  }

  private stacksMarked(): Uint8Array | null {
    const found = this.found.value?.frames;
    const chosen = this.chosen.value?.at(-1);
    if (!found && chosen === undefined) return null;
    const { parent, frame } = this.view.table("stacks").columns;
    const marked = new Uint8Array(frame.length);
    for (let stack = 1; stack < frame.length; stack++) {
      const own = found ? found[frame[stack]] : Number(frame[stack] === chosen);
      marked[stack] = own || marked[parent[stack]];
    }
    return marked;
  }

  private search(): Found | null {
    const text = this.text.value.trim();
    const has = hasWords(text);
    if (!has) return null;
    const frames = this.frames.value.matching(has);
    const { tree } = this.shown.value;
    const { hits, share } = search(tree, frames);
    const functions = new Set<number>();
    for (let node = 0; node < hits.length; node++) {
      if (hits[node] === 1) functions.add(tree.frame[node]);
    }
    return { ...{ text, frames, hits, share }, functions: functions.size };
  }
}

export interface Compared extends Comparison {
  readonly shown: Shown;
  readonly time: Range;
  readonly reference: Range | null;
  /** Of both sides. */
  readonly samples: readonly number[];
}

export interface Sandwich {
  readonly frame: number;
  readonly total: number;
  readonly callers: Shown;
  readonly callees: Shown;
}

const states = new WeakMap<PanelView, [SessionStore | null, ProfileState]>();

/** Of a panel and the session that it shows. Reads a signal. */
export function stateOf(view: PanelView): ProfileState {
  const store = view.session.value;
  const [of, known] = states.get(view) ?? [];
  if (known && of === store) return known;
  const state = new ProfileState(view);
  states.set(view, [store, state]);
  return state;
}

function filterOf(view: PanelView, scope: Scope): Filter {
  const { time, prefixes, workers, cells, spans } = view.focus.value;
  void view.namesVersion.value;
  const names = view.session.value?.prefixes ?? [];
  let [start, stop] = time ?? [-Infinity, Infinity];
  let some =
    prefixes.length > 0
      ? prefixes.map((name) => names.indexOf(name)).filter((at) => at >= 0)
      : null;
  if (cells.length > 0 || spans.length > 0) {
    const ran = tasksRan(view, cells, spans);
    start = Math.max(start, ran.time[0]);
    stop = Math.max(start, Math.min(stop, ran.time[1]));
    const { prefixes: own } = ran;
    if (own) some = some?.filter((at) => own.has(at)) ?? [...own];
  }
  const counted = {
    scope: SCOPES.indexOf(scope),
    prefixes: scope === "compute" ? some : null,
    workers: scope !== "scheduler" && workers.length > 0 ? workers : null,
  };
  const scopeId = JSON.stringify(counted);
  const id = `${scopeId} ${start} ${stop}`;
  return { ...counted, start, stop, scopeId, id };
}

const same = (one: Path, other: Path | null): boolean =>
  one.join() === other?.join();

interface Reading {
  /** Of the process that was read least recently; NaN where none is. */
  readonly behind_s: number;
  /** Cycles that were gone before they were read. */
  readonly lost: number;
}

function readingOf(view: PanelView, scope: Scope): Reading {
  const { rows, columns } = view.table("profiled");
  const there = new Set(
    scope === "scheduler" ? [""] : view.workers.value.map((one) => one.address),
  );
  let [until, lost] = [Infinity, 0];
  for (let row = 0; row < rows; row++) {
    lost += columns.lost[row];
    const isThere = there.has(columns.worker[row]);
    if (isThere) until = Math.min(until, columns.until[row]);
  }
  return { behind_s: view.now.value - until, lost };
}

/** Of most processes, where they differ. Event loops are sampled once a cycle. */
function usualInterval(view: PanelView, scope: Scope): number {
  const { rows, columns } = view.table("profiled");
  const of = columns[scope === "compute" ? "interval" : "cycle"];
  const counts = new Map<number, number>();
  for (let row = 0; row < rows; row++) {
    if (of[row] > 0) counts.set(of[row], (counts.get(of[row]) ?? 0) + 1);
  }
  const [most] = [...counts].sort((one, other) => other[1] - one[1]);
  return most?.[0] ?? USUAL_INTERVAL_S;
}

/** Of distributed, where nobody configured another. */
const USUAL_INTERVAL_S = 0.01;

/** The frames from the root to a node, the root left out. */
export function pathOf({ parent, frame }: Tree, node: number): Path {
  const path: number[] = [];
  for (let at = node; at > 0; at = parent[at]) path.push(frame[at]);
  return path.reverse();
}

/** The node that a path leads to, or as far as it does in this tree. */
export function nodeOf(shown: Shown, path: Path): number {
  let node = 0;
  for (const frame of path) {
    const child = childrenOf(shown, node).find(
      (one) => shown.tree.frame[one] === frame,
    );
    if (child === undefined) return node;
    node = child;
  }
  return node;
}

/** -1 where the path leads to nothing in this tree. */
export function exactNode(shown: Shown, path: Path): number {
  const node = nodeOf(shown, path);
  return shown.tree.depth[node] === path.length ? node : -1;
}

function childrenOf({ tree, layout }: Shown, node: number): number[] {
  const { x0, x1, nodes } = layout;
  const between = { from: x0[node], to: x1[node], least: 0 };
  const found: number[] = [];
  visible(layout, tree.depth[node] + 1, between, (first) => {
    if (tree.parent[nodes[first]] === node) found.push(nodes[first]);
  });
  return found;
}

function heaviestChild(shown: Shown, node: number): number | undefined {
  const { total } = shown.tree;
  return childrenOf(shown, node).sort((a, b) => total[b] - total[a])[0];
}
