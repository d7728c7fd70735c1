// What is isolated and searched in a session. The model has one filter, so all
// panels of a session share this: what one dims, the others dim and say. The first
// panel makes it, and the last to release it ends it.

import { effect, signal } from "@preact/signals";
import type { FilterSpec } from "../model/filter";
import type { SessionStore } from "../session";
import { ERRED, legendAction } from "./action_words";
import { isPartial, Search } from "./search";

const known = new WeakMap<SessionStore, SharedSelection>();

export class SharedSelection {
  readonly search: Search;
  /** Isolated actions, as the legend names them; prefixes are in the focus. */
  readonly actions = signal<readonly string[]>([]);
  /** Grows when the model got another filter. */
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
    // New names come often and change the filter seldom.
    const rest = JSON.stringify({ ...spec, tasks: null });
    if (rest === this.applied && found === this.appliedFound) return;
    this.applied = rest;
    this.appliedFound = found;
    this.store.model.setFilter(spec);
    this.version.value = this.version.peek() + 1;
  }

  /** Which rows are in the light; null when all are. */
  private filter(): FilterSpec | null {
    const { store } = this;
    const { prefixes, spans, workers } = store.focus.value;
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
