// Filter and search of a session. The model has one filter, so all panels of a session share
// this object. The first panel creates it, and the last to release it disposes of it.

import { effect, signal } from "@preact/signals";
import type { FilterSpec } from "../model/filter";
import { formatCount, formatExact } from "../base/format";
import type { SessionStore } from "../session/session";
import type { Fact } from "./status_line";
import { ERRED, legendAction } from "./action_words";

const known = new WeakMap<SessionStore, SharedSelection>();

export class SharedSelection {
  readonly search: Search;
  /** Isolated actions, by their legend names; prefixes are in the focus. */
  readonly actions = signal<readonly string[]>([]);
  readonly version = signal(0);
  private readonly stop: () => void;
  private applied = "";
  private appliedFound: Uint32Array | null = null;
  private panels = 0;

  private constructor(private readonly store: SessionStore) {
    this.search = new Search(store);
    this.stop = effect(() => this.apply());
  }

  static acquire(store: SessionStore): SharedSelection {
    const shared = known.get(store) ?? new SharedSelection(store);
    known.set(store, shared);
    shared.panels += 1;
    return shared;
  }

  release(): void {
    this.panels -= 1;
    if (this.panels > 0) return;
    known.delete(this.store);
    this.stop();
    this.search.clear();
    this.store.model.setFilter(null);
  }

  private apply(): void {
    const spec = this.filter();
    const { found } = this.search.state.value;
    // New names arrive often but rarely change the filter.
    const rest = JSON.stringify({ ...spec, tasks: null });
    if (rest === this.applied && found === this.appliedFound) return;
    this.applied = rest;
    this.appliedFound = found;
    this.store.model.setFilter(spec);
    this.version.value = this.version.peek() + 1;
  }

  /** The filter for rows; null if all rows pass. */
  private filter(): FilterSpec | null {
    const { store } = this;
    const { prefixes, spans, workers, cells } = store.focus.value;
    const actions = this.actions.value;
    const search = this.search.state.value;
    void store.namesVersion.value;
    const spec: FilterSpec = {};
    if (prefixes.length > 0)
      spec.prefixes = indexesOf(store.prefixes, prefixes);
    if (spans.length > 0) {
      const wanted = new Set(spans);
      spec.spans = store.spans.flatMap((span, at) =>
        wanted.has(span.id) ? [at] : [],
      );
    }
    if (workers.length > 0) {
      const wanted = new Set(workers);
      spec.lanes = store.lanes.flatMap(({ worker }, at) =>
        wanted.has(worker) ? [at] : [],
      );
    }
    if (cells.length > 0) {
      const { cell, computation } = store.table("computations").value.columns;
      const wanted = new Set(cells);
      spec.computations = Array.from(computation).filter((_, row) =>
        wanted.has(cell[row]),
      );
    }
    const drawn = actions.filter((action) => action !== ERRED);
    if (drawn.length > 0) {
      spec.actions = store.actions.flatMap((action, at) =>
        drawn.includes(legendAction(action)) ? [at] : [],
      );
    }
    if (actions.includes(ERRED)) spec.erred = true;
    const { found } = search;
    if (found && isPartial(search) && search.prefixes.length > 0) {
      const allowed = spec.prefixes ? new Set(spec.prefixes) : null;
      spec.prefixes = search.prefixes.filter(
        (prefix) => allowed?.has(prefix) ?? true,
      );
    } else if (found) {
      spec.tasks = found;
    }
    return Object.keys(spec).length > 0 ? spec : null;
  }
}

function indexesOf(
  all: readonly string[],
  wanted: readonly string[],
): number[] {
  return wanted.map((name) => all.indexOf(name)).filter((at) => at >= 0);
}

/** Delay while typing, so that not every letter starts a search. */
const TYPING_MS = 120;

export interface SearchState {
  readonly text: string;
  /** Matching task numbers; null without a search. */
  readonly found: Uint32Array | null;
  readonly progress: { searched: number; of: number } | null;
  /** The search has not finished: `found` belongs to the previous text. */
  readonly running: boolean;
  /** Local keys were searched; missing ones have been requested from the kernel. */
  readonly fetching: boolean;
  readonly failed: string;
  /**
   * Prefixes whose name matches. They stand in for the keys that this page does
   * not have: a key begins with its prefix.
   */
  readonly prefixes: readonly number[];
  readonly at: number;
}

export const NO_SEARCH: SearchState = {
  text: "",
  found: null,
  progress: null,
  running: false,
  fetching: false,
  failed: "",
  prefixes: [],
  at: -1,
};

export function isPartial({ progress }: SearchState): boolean {
  return progress !== null && progress.searched < progress.of;
}

class Search {
  readonly state = signal<SearchState>(NO_SEARCH);
  private timer: ReturnType<typeof setTimeout> | undefined;
  private running: AbortController | null = null;

  constructor(private readonly session: SessionStore) {}

  set(text: string): void {
    clearTimeout(this.timer);
    this.running?.abort();
    this.running = null;
    if (text.trim() === "") {
      this.state.value = { ...NO_SEARCH, text };
      return;
    }
    this.change({ text, failed: "", running: true, fetching: false });
    this.timer = setTimeout(() => void this.run(text.trim()), TYPING_MS);
  }

  clear(): void {
    this.set("");
  }

  step(by: number): number | null {
    const { found, at: from } = this.state.peek();
    if (!found || found.length === 0) return null;
    const at =
      from < 0 && by < 0
        ? found.length - 1
        : (from + by + found.length) % found.length;
    this.change({ at });
    return found[at] ?? null;
  }

  private change(part: Partial<SearchState>): void {
    this.state.value = { ...this.state.peek(), ...part };
  }

  /** Updates the matches and keeps the current one, since more may be found later. */
  private show(tasks: Uint32Array, fetching: boolean): void {
    const { running, found: before, at } = this.state.peek();
    const same = !running && before?.length === tasks.length;
    const shown = running || at < 0 ? undefined : before?.[at];
    this.change({
      found: same ? before : tasks,
      at: shown === undefined ? -1 : tasks.indexOf(shown),
      running: false,
      fetching,
    });
  }

  private async run(query: string): Promise<void> {
    const running = new AbortController();
    this.running = running;
    const needle = query.toLowerCase();
    this.change({
      at: -1,
      prefixes: this.session.prefixes.flatMap((name, at) =>
        name.toLowerCase().includes(needle) ? [at] : [],
      ),
    });
    try {
      const result = await this.session.keys.search(
        query,
        ({ tasks, searched, of }) => {
          if (running.signal.aborted) return;
          this.change({ progress: { searched, of } });
          if (tasks) this.show(tasks, true);
        },
        running.signal,
      );
      if (running.signal.aborted) return;
      const { tasks, searched, of } = result;
      this.change({ progress: { searched, of } });
      this.show(tasks, false);
    } catch (error) {
      if (running.signal.aborted) return;
      this.change({
        running: false,
        fetching: false,
        failed: error instanceof Error ? error.message : String(error),
      });
    }
  }
}

/** Text inside the search field, such as "3 of 41". */
export function searchSummary(search: SearchState): string {
  const { found, prefixes, at } = search;
  if (search.failed !== "") return "failed";
  if (search.running) return "…";
  if (!found) return "";
  if (isPartial(search)) {
    const count = prefixes.length;
    if (count > 0) return `${count} ${count === 1 ? "prefix" : "prefixes"}`;
  }
  if (found.length === 0) return "no match";
  const total = formatCount(found.length);
  return at < 0
    ? `${total} ${found.length === 1 ? "task" : "tasks"}`
    : `${formatCount(at + 1)} of ${total}`;
}

/** Status line fact: how many keys were searched. */
export function searchFact(search: SearchState, live: boolean): Fact | null {
  if (search.failed !== "") {
    return { text: `search failed: ${search.failed}`, level: "error" };
  }
  const { progress } = search;
  if (!progress) return null;
  const { searched, of } = progress;
  const text = `${formatExact(searched)} of ${formatExact(of)} keys searched`;
  // An unfinished search is not a problem.
  if (search.running || search.fetching || !isPartial(search)) return { text };
  return {
    text,
    level: "warn",
    title: live
      ? "The other keys are still in the kernel and arrive when it is idle. Type again to search them."
      : "The other keys could not be read from the file.",
  };
}
