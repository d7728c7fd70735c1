// The state of the Profile panel, from the tables to the layout of its graph, as signals that
// are recomputed only if their inputs change.

import { batch, computed, type ReadonlySignal, signal } from "@preact/signals";
import { formatSeconds } from "../../base/format";
import { type CountWindow, ProfileCounts } from "../../derive/profile_counts";
import {
  type Layout,
  layoutOf,
  ranksOf,
  visible,
} from "../../derive/profile_layout";
import { callersAndCallees, inverted } from "../../derive/profile_callers";
import {
  compared,
  type Comparing,
  type Comparison,
  renumbered,
  unitedFrames,
  unitedStacks,
} from "../../derive/profile_compare";
import type { StackSums, SlicedCounts } from "../../derive/profile_slices";
import { search } from "../../derive/profile_search";
import { MODULES } from "../../derive/profile_modules";
import {
  collapsed,
  FIRST_GROUP,
  rootedAt,
  splitTree,
  type Stacks,
  type Tree,
  treeOf,
  without,
} from "../../derive/profile_tree";
import { hasWords } from "../../panel/filter_tools";
import type { OtherRecording } from "../../panel/host";
import type { PanelView } from "../../panel/panel_view";
import { tasksRan } from "../../panel/tasks_ran";
import { workerNames } from "../../panel/worker_groups";
import { SCOPES } from "../../schema";
import type { SessionStore } from "../../session/session";
import type { TableView } from "../../session/tables";
import type { Range } from "../../timeline/window";
import { Frames, ROOT } from "./frames";

export type Scope = (typeof SCOPES)[number];
export type Mode = "flame" | "sandwich" | "compare";
export type Order = "name" | "weight";
export type Split = "worker" | "prefix";
/** Frames from below the root to a node; identifies the same node in other trees, too. */
export type Path = readonly number[];

/** A graph sorted by weight is updated at most this often, so that frames rarely move. */
const CALM_S = 10;

/** Callers of smaller nodes are computed only on zoom, since they are too narrow to see. */
const LEAST_SHARE = 1e-4;

const ROOT_NAMES: Readonly<Record<Scope, string>> = {
  compute: "all workers",
  worker: "all workers",
  scheduler: "scheduler",
};

/** Which samples count: the parts of the focus that profiles support. */
export interface Filter extends CountWindow {
  /** Equal for equal filters; cache key of counts. */
  readonly id: string;
  /** Like `id`, but without the time. */
  readonly scopeId: string;
}

export interface Found {
  readonly text: string;
  /** By frame: 1 if it matches. */
  readonly frames: Uint8Array;
  /** By node of the graph: 1 if it, or a frame folded into it, matches. */
  readonly hits: Uint8Array;
  readonly functions: number;
  /** Share of all shown samples. */
  readonly share: number;
}

export interface Shown {
  readonly tree: Tree;
  readonly layout: Layout;
}

export class ProfileState {
  /** Until the user chooses one, a file shows the first scope with samples. */
  readonly scope: ReadonlySignal<Scope>;
  private readonly scopeChosen = signal<Scope | null>(null);
  readonly mode = signal<Mode>("flame");
  readonly order = signal<Order>("name");
  readonly inverted = signal(false);
  readonly recursion = signal(false);
  readonly libraries = signal(false);
  /** What the graph is split by; null for no split. */
  readonly split = signal<Split | null>(null);
  /** Whether the table of functions is shown; null: if there is room. */
  readonly table = signal<boolean | null>(null);
  /** The function that is the root of the graph; null for all functions. */
  readonly root = signal<number | null>(null);
  readonly hidden = signal<readonly number[]>([]);
  readonly text = signal("");
  readonly zoom = signal<Path>([]);
  readonly chosen = signal<Path | null>(null);
  /** The graph is not updated while a frame is pinned or the pointer is on it. */
  readonly pinned = signal(false);
  readonly pointed = signal(false);

  readonly frames: ReadonlySignal<Frames>;
  readonly filter: ReadonlySignal<Filter>;
  private readonly read = new ProfileCounts();
  private readonly ranks: ReadonlySignal<Float64Array>;
  /** The tree as recorded. */
  readonly tree: ReadonlySignal<Tree>;
  /** The tree without hidden and collapsed frames. */
  private readonly called: ReadonlySignal<Tree>;
  /** The tree of the flame graph and its layout. */
  readonly shown: ReadonlySignal<Shown>;
  /** Like `shown`; in a comparison, the tree of both sides together. */
  readonly graph: ReadonlySignal<Shown>;
  readonly sandwich: ReadonlySignal<Sandwich | null>;
  readonly found: ReadonlySignal<Found | null>;
  /** The result of a comparison; null if there is none. */
  readonly compared: ReadonlySignal<Compared | null>;
  /** Why the comparison is not possible; null if it is. */
  readonly refused: ReadonlySignal<string | null>;
  /** The time to compare with; null for the rest of the run. */
  readonly reference = signal<Range | null>(null);
  /** The recording to compare with; null for this one. */
  readonly other = signal<OtherRecording | null>(null);
  /** Why a file could not be opened; null without an error. */
  readonly unread = signal<string | null>(null);
  /** The unit of differences; null for the default of the two sides. */
  readonly unit = signal<Unit | null>(null);
  /** A mask of stacks with a matching or chosen frame; null without search and choice. */
  readonly marked: ReadonlySignal<Uint8Array | null>;
  /** Seconds per sample. */
  readonly interval_s: ReadonlySignal<number>;
  /** All samples of the scope, ignoring the focus. */
  readonly samples: ReadonlySignal<number>;
  readonly reading: ReadonlySignal<Reading>;
  /** Addresses of all profiled processes, including those that left. */
  readonly workers: ReadonlySignal<readonly string[]>;
  /** By module: 1 if the graph has a frame of it. */
  readonly modulesUsed: ReadonlySignal<Uint8Array>;

  constructor(readonly view: PanelView) {
    this.scope = computed(
      () =>
        this.scopeChosen.value ??
        (view.host.live ? null : SCOPES.find((one) => this.samplesOf(one))) ??
        "compute",
    );
    const split = computed(() => {
      const { value: scope } = this.scope;
      const by = this.mode.value === "compare" ? null : this.split.value;
      return scope === "compute" || (scope === "worker" && by === "worker")
        ? by
        : null;
    });
    const united = computed(() => this.united());
    this.frames = computed(
      () =>
        new Frames(
          united.value?.frames ?? view.table("frames").columns,
          ROOT_NAMES[this.scope.value],
          this.groupNames(split.value),
        ),
    );
    this.filter = computed(() => filterOf(view, this.scope.value));
    const cache = this.frozenCache<Counted>();
    const counted = computed(() => {
      const filter = this.filter.value;
      const by = split.value;
      return cache(`${by} ${filter.id}`, () => ({
        counts: this.rows().in(filter),
        groups: by && this.rows().by(by, filter),
      }));
    });
    this.tree = computed(() => {
      const { columns } = view.table("stacks");
      const { counts, groups } = counted.value;
      return groups ? splitTree(columns, groups) : treeOf(columns, counts);
    });
    const ranks = computed(() => ranksOf(this.frames.value.columns));
    this.ranks = computed(() => {
      const { groups } = counted.value;
      return groups
        ? withGroups(ranks.value, [...groups.keys()], this.frames.value)
        : ranks.value;
    });
    this.called = computed(() => this.folded(this.tree.value));
    this.shown = computed(() => this.transformed());
    this.sandwich = computed(() => this.callersAndCallees());
    const sidesCache = this.frozenCache<Sides>();
    const comparison = computed(() => this.compare(united.value, sidesCache));
    const one = <T>(is: (of: unknown) => boolean): ReadonlySignal<T | null> =>
      computed(() => (is(comparison.value) ? (comparison.value as T) : null));
    this.compared = one<Compared>((of) => typeof of !== "string");
    this.refused = one<string>((of) => typeof of === "string");
    this.graph = computed(() => this.compared.value?.shown ?? this.shown.value);
    this.found = computed(() => this.search());
    this.marked = computed(() => this.stacksMarked());
    this.interval_s = computed(() => usualInterval(view, this.scope.value));
    this.samples = computed(() => this.samplesOf(this.scope.value));
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

  /** Whether a graph computed at `time` is kept. */
  private isFrozen(time: number): boolean {
    if (this.pinned.value || this.pointed.value) return true;
    return this.order.value === "weight" && this.view.now.value < time + CALM_S;
  }

  /** Returns a cache of one value, which is kept while its id is the same and `isFrozen`. */
  private frozenCache<T>(): (id: string, read: () => T) => T {
    let cached: { id: string; value: T; time: number } | null = null;
    return (id, read) => {
      if (cached?.id === id && this.isFrozen(cached.time)) return cached.value;
      cached = { id, value: read(), time: this.view.now.peek() };
      return cached.value;
    };
  }

  private groupNames(split: Split | null): (group: number) => string {
    const { view } = this;
    if (split === "worker") {
      const nameOf = workerNames(view);
      return (group) => nameOf(this.read.workerOf(group));
    }
    if (split === null) return () => "";
    void view.namesVersion.value;
    const prefixes = view.session.value?.prefixes ?? [];
    return (group) => prefixes[group] || "no prefix";
  }

  /** Reads a signal. */
  rows(): ProfileCounts {
    this.read.update(this.view.table("profile_counts").rings);
    return this.read;
  }

  private samplesOf(scope: Scope): number {
    const counts = this.rows().in({
      start: -Infinity,
      stop: Infinity,
      scope: SCOPES.indexOf(scope),
    });
    return counts.reduce((sum, count) => sum + count, 0);
  }

  /** Sets the scope; resets all choices of frames, which another scope does not have. */
  setScope(scope: Scope): void {
    batch(() => {
      this.scopeChosen.value = scope;
      this.forget();
      this.hidden.value = [];
      this.root.value = null;
    });
  }

  choose(path: Path, pins: boolean): void {
    batch(() => {
      const deselects =
        pins && this.pinned.peek() && same(path, this.chosen.peek());
      this.chosen.value = path.length === 0 || deselects ? null : path;
      this.pinned.value = pins && !deselects && path.length > 0;
      if (!pins && this.mode.peek() !== "sandwich") this.zoom.value = path;
    });
  }

  /** Chooses the node of a function that has the most samples. */
  chooseFunction(frame: number): void {
    this.chosen.value = this.heaviestPath(frame) ?? [frame];
  }

  /** The path to the largest node of a function; null if the graph does not have it. */
  private heaviestPath(frame: number): Path | null {
    const { tree } = this.inView;
    let heaviest = -1;
    for (let node = 1; node < tree.frame.length; node++) {
      if (tree.frame[node] !== frame) continue;
      if (heaviest < 0 || tree.total[node] > tree.total[heaviest])
        heaviest = node;
    }
    return heaviest > 0 ? pathOf(tree, heaviest) : null;
  }

  /** Changes the view; replaces paths that do not exist in the tree of the new view. */
  setMode(mode: Mode): void {
    batch(() => {
      this.mode.value = mode;
      if (mode === "compare") this.dropGroups();
      if (exactNode(this.inView, this.zoom.peek()) < 0) this.zoom.value = [];
      const chosen = this.chosen.peek();
      if (chosen && exactNode(this.inView, chosen) < 0) {
        this.chosen.value = this.heaviestPath(chosen.at(-1)!);
      }
    });
  }

  /** Applies a change of the tree; keeps the chosen function if the new tree has it. */
  changeTree(change: () => void): void {
    batch(() => {
      const frame = this.chosen.peek()?.at(-1);
      change();
      this.forget();
      if (frame !== undefined) this.chosen.value = this.heaviestPath(frame);
    });
  }

  /** Splits the graph by worker or prefix; the same split again removes it. */
  splitBy(by: Split): void {
    batch(() => {
      this.split.value = this.split.peek() === by ? null : by;
      this.dropGroups();
      this.forget();
    });
  }

  /** Resets choices of groups, since another split uses the same numbers for other groups. */
  private dropGroups(): void {
    const { root, hidden } = this;
    if (root.peek() !== null && root.peek()! >= FIRST_GROUP) root.value = null;
    hidden.value = hidden.peek().filter((frame) => frame < FIRST_GROUP);
  }

  compareWith(other: OtherRecording | null): void {
    batch(() => {
      this.other.value = other;
      this.reference.value = this.unread.value = null;
      this.forget();
    });
  }

  /** Undoes one step, such as a zoom; returns false if there is none. */
  back(): boolean {
    if (this.pinned.peek()) this.pinned.value = false;
    else if (this.mode.peek() !== "flame") this.setMode("flame");
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
    return this.graph.peek();
  }

  /** Moves the choice by arrow key: to the caller, a callee or a neighbour. */
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

  /** Goes to the next or previous node that matches the search, row by row. */
  stepToMatch(by: number): void {
    const found = this.found.peek();
    const shown = this.inView;
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

  /** Resets all paths, which are invalid in another tree. */
  private forget(): void {
    this.zoom.value = [];
    this.chosen.value = null;
    this.pinned.value = false;
  }

  private transformed(): Shown {
    let tree = this.called.value;
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
    const tree = this.called.value;
    const least = tree.total[0] * LEAST_SHARE;
    const { callers, callees, total } = callersAndCallees(tree, frame, {
      least,
    });
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

  /** The merged frames and stacks of two recordings; null unless two are compared. */
  private united(): United | null {
    const other = this.other.value?.session;
    if (this.mode.value !== "compare" || !other) return null;
    const table = <N extends "frames" | "stacks">(name: N) =>
      [this.view.table(name), other.table(name).value] as const;
    const [frames, theirFrames] = table("frames");
    const [stacks, theirStacks] = table("stacks");
    const all = unitedFrames(frames.columns, theirFrames.columns);
    return {
      frames: all.frames,
      ...unitedStacks(stacks.columns, theirStacks.columns, all.numbers),
    };
  }

  private compare(
    united: United | null,
    sidesCache: (id: string, read: () => Sides) => Sides,
  ): Compared | string | null {
    const { time } = this.view.focus.value;
    const other = this.other.value;
    if (this.mode.value !== "compare") return null;
    if (this.unread.value) return this.unread.value;
    if (!time && !other) return null;
    const refused = other && this.whyNotComparable(other);
    if (refused) return refused;
    const reference = this.reference.value;
    const of = `${other?.name} ${united?.frames.name.length}`;
    const { before, after, stacks } = sidesCache(
      `${this.filter.value.id} ${reference?.join()} ${of}`,
      () =>
        other && united ? this.sidesWith(other, united) : this.sidesOfRun(),
    );
    const why = tooShort("A", before) ?? tooShort("B", after);
    if (why) return why;
    const sum = new Float64Array(stacks.parent.length);
    for (const { stack, count } of [...before.parts, ...after.parts]) {
      stack.forEach((one, row) => (sum[one] += count[row]));
    }
    const by = this.unit.value ?? (other ? "samples" : "share");
    const both = this.folded(treeOf(stacks, sum));
    const root = this.root.value;
    if (root !== null && both.total[0] === 0) {
      return `Neither side has samples in ${this.frames.value.nameOf(root)}.`;
    }
    const comparison = compared(both, before, after, { by });
    return {
      ...comparison,
      ...{ by, time, reference: other ? null : reference },
      other: other?.name ?? null,
      samples: [before.samples, after.samples],
      counted: both,
      shown: this.laidOut(comparison.tree),
    };
  }

  /** Both sides within this run: the reference time (or the rest), and the selected time. */
  private sidesOfRun(): Sides {
    const filter = this.filter.value;
    const reference = this.reference.value;
    const others = reference
      ? [{ ...filter, start: reference[0], stop: reference[1] }]
      : [
          { ...filter, start: -Infinity, stop: filter.start },
          { ...filter, start: filter.stop, stop: Infinity },
        ];
    const rows = this.rows();
    return {
      stacks: this.view.table("stacks").columns,
      before: rows.slices(...others),
      after: rows.slices(filter),
    };
  }

  /** Why the other recording cannot be compared (yet); null if it can. */
  private whyNotComparable({ name, session }: OtherRecording): string | null {
    const table = session.table("profile_counts").value;
    const problem =
      table.problem ??
      session.notices.value.find(({ level }) => level === "error");
    if (problem) return `${problem.text} ${problem.next}`;
    const [profiled, theirProfiled] = [
      this.view.table("profiled"),
      session.table("profiled").value,
    ];
    if ([table, profiled, theirProfiled].some(isWaiting)) {
      return `Reading ${name} …`;
    }
    const scope = this.scope.value;
    const own = intervalsOf(profiled, scope);
    const theirs = intervalsOf(theirProfiled, scope);
    return own === theirs
      ? null
      : `Samples were taken at different intervals: ${theirs} in A and ${own} in B. Compare runs with the same distributed.worker.profile.interval.`;
  }

  /** Both sides for two recordings: all of the other one, and the focus in this one. */
  private sidesWith({ session }: OtherRecording, united: United): Sides {
    const { rows, all } = this.rowsOf(session);
    const before = rows.slices(all);
    const after = this.rows().slices(this.filter.value);
    return {
      stacks: united.stacks,
      before: renumbered(before, united.ofOther),
      after: renumbered(after, united.ofOne),
    };
  }

  /** The counts of another recording, and the window to compare. Reads signals. */
  private rowsOf(session: SessionStore): {
    readonly rows: ProfileCounts;
    readonly all: CountWindow;
  } {
    const { scope, prefixes } = this.filter.value;
    const names = this.view.session.value?.prefixes ?? [];
    const rows = new ProfileCounts();
    rows.update(session.table("profile_counts").value.rings);
    const all = {
      ...{ scope, start: -Infinity, stop: Infinity },
      prefixes:
        prefixes?.map((at) => session.prefixes.indexOf(names[at])) ?? null,
    };
    return { rows, all };
  }

  /** Samples over time of the other recording (A), shifted so that both begin together. */
  spreadOfOther([start, stop]: Range, columns: number): Float64Array | null {
    const { value: other } = this.other;
    if (!this.compared.value?.other || !other) return null;
    const { rows, all } = this.rowsOf(other.session);
    const by = other.session.origin.value - this.view.origin.value;
    const time = { start: start + by, stop: stop + by };
    return rows.spread({ ...all, ...time }, columns, () => 0, 1);
  }

  private stacksMarked(): Uint8Array | null {
    const found = this.found.value?.frames;
    const chosen = this.chosen.value?.at(-1) ?? FIRST_GROUP;
    if (!found && chosen >= FIRST_GROUP) return null;
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
    const tree = this.compared.value?.counted ?? this.shown.value.tree;
    const { hits, share } = search(tree, frames);
    const functions = new Set<number>();
    for (let node = 0; node < hits.length; node++) {
      if (hits[node] === 1) functions.add(tree.frame[node]);
    }
    return { ...{ text, frames, hits, share }, functions: functions.size };
  }
}

export type Unit = Comparing["by"];

export interface Compared extends Comparison {
  readonly shown: Shown;
  /** The same nodes, with the samples of both sides summed. */
  readonly counted: Tree;
  readonly by: Unit;
  /** The time of the second side; null for all. */
  readonly time: Range | null;
  /** The time of the first side; null for the rest of the run or another recording. */
  readonly reference: Range | null;
  /** Name of the other recording, which is the first side; else null. */
  readonly other: string | null;
  /** Total samples of the first and the second side. */
  readonly samples: readonly number[];
}

/** The counts of both sides of a comparison. */
interface Sides {
  readonly stacks: Stacks;
  readonly before: SlicedCounts;
  readonly after: SlicedCounts;
}

type United = ReturnType<typeof unitedStacks> &
  Pick<ReturnType<typeof unitedFrames>, "frames">;

/** Counts by stack and, in a split, by group. */
interface Counted {
  readonly counts: Float64Array;
  readonly groups: ReadonlyMap<number, StackSums> | null;
}

/** Why a side has too few samples; chance is estimated from at least two slices. */
function tooShort(
  side: string,
  { parts, groups, samples }: SlicedCounts,
): string | null {
  if (samples === 0) {
    return `${side} has no samples: there is nothing to compare with.`;
  }
  return parts.length < 2 * groups
    ? `${side} has only one cycle of Dask’s profiler, too little to tell a difference from chance. Choose a longer time.`
    : null;
}

/** Adds ranks of groups by name, `worker-2` before `worker-10`. */
function withGroups(
  ranks: Float64Array,
  groups: number[],
  frames: Frames,
): Float64Array {
  const all = new Float64Array(FIRST_GROUP + Math.max(0, ...groups) + 1);
  all.set(ranks);
  const { compare } = new Intl.Collator("en", { numeric: true });
  const name = (group: number): string => frames.nameOf(FIRST_GROUP + group);
  groups
    .sort((one, other) => compare(name(one), name(other)))
    .forEach((group, rank) => (all[FIRST_GROUP + group] = rank));
  return all;
}

export interface Sandwich {
  readonly frame: number;
  readonly total: number;
  readonly callers: Shown;
  readonly callees: Shown;
}

const states = new WeakMap<PanelView, [SessionStore | null, ProfileState]>();

/** The state for a panel and its session. Reads a signal. */
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
  /** Delay of the process that was read least recently; NaN without processes. */
  readonly behind_s: number;
  /** Cycles that processes discarded before they were read. */
  readonly lost: number;
  /** The scheduler refuses plugins, so samples come from Dask's own endpoints. */
  readonly byRoutes: boolean;
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
  const byRoutes =
    scope === "compute" && columns.compute.some((one) => one === "refused");
  return { behind_s: view.now.value - until, lost, byRoutes };
}

/** Number of processes per interval. Event loops are sampled once per cycle. */
function intervals(
  { rows, columns }: TableView<"profiled">,
  scope: Scope,
): Map<number, number> {
  const of = columns[scope === "compute" ? "interval" : "cycle"];
  const counts = new Map<number, number>();
  for (let row = 0; row < rows; row++) {
    const isScheduler = columns.worker[row] === "";
    if (isScheduler !== (scope === "scheduler")) continue;
    if (of[row] > 0) counts.set(of[row], (counts.get(of[row]) ?? 0) + 1);
  }
  return counts;
}

/** The interval that most processes use. */
function usualInterval(view: PanelView, scope: Scope): number {
  const [most] = [...intervals(view.table("profiled"), scope)].sort(
    (one, other) => other[1] - one[1],
  );
  return most?.[0] ?? USUAL_INTERVAL_S;
}

/** All intervals, in words. */
const intervalsOf = (profiled: TableView<"profiled">, scope: Scope): string =>
  [...intervals(profiled, scope).keys()]
    .sort((one, other) => one - other)
    .map(formatSeconds)
    .join(" or ") || "an unknown interval";

const isWaiting = ({ state }: { state: string }): boolean =>
  state === "waiting";

/** The default of distributed. */
const USUAL_INTERVAL_S = 0.01;

/** The frames from the root (exclusive) to a node. */
export function pathOf({ parent, frame }: Tree, node: number): Path {
  const path: number[] = [];
  for (let at = node; at > 0; at = parent[at]) path.push(frame[at]);
  return path.reverse();
}

/** The node at the end of a path, or the last one on it that this tree has. */
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

/** The node at the end of a path; -1 if this tree does not have it. */
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
