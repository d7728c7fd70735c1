// What is isolated and searched in a session. The model has one filter, so the
// panels of a session share this: what one dims, the others dim and say.

import { effect, signal } from "@preact/signals";
import type { FilterSpec } from "../../model/filter";
import type { SessionStore } from "../../session";
import { SessionMirror } from "../panel/session_mirror";
import { ERRED, legendAction } from "./legend_entries";
import { Search } from "./search";

export class Selection {
  readonly mirror: SessionMirror;
  readonly search: Search;
  /** Isolated actions, as the legend names them; prefixes are in the focus. */
  readonly actions = signal<readonly string[]>([]);
  /** Grows when the model got another filter. */
  readonly version = signal(0);
  private readonly stop: () => void;
  private applied = "";

  constructor(readonly store: SessionStore) {
    this.mirror = new SessionMirror(store);
    this.search = new Search(store);
    this.stop = effect(() => this.apply());
  }

  dispose(): void {
    this.stop();
    this.search.clear();
    this.store.model.setFilter(null);
    this.mirror.dispose();
  }

  private apply(): void {
    const spec = this.filter();
    const found = this.search.found.value;
    // New names come often and change the filter seldom.
    const rest = JSON.stringify({ ...spec, tasks: null });
    const description = `${rest} ${found?.length ?? "-"} ${this.search.runs}`;
    if (description === this.applied) return;
    this.applied = description;
    this.store.model.setFilter(spec);
    this.version.value = this.version.peek() + 1;
  }

  /** Which rows are in the light; null when all are. */
  private filter(): FilterSpec | null {
    const { store, mirror } = this;
    const { prefixes, spans } = mirror.focus.value;
    const actions = this.actions.value;
    const found = this.search.found.value;
    void mirror.namesVersion.value;
    const spec: FilterSpec = {};
    if (prefixes.length > 0)
      spec.prefixes = indexesOf(store.prefixes, prefixes);
    if (spans.length > 0) {
      const wanted = new Set(spans);
      spec.spans = store.spans.flatMap((span, at) =>
        wanted.has(span.id) ? [at] : [],
      );
    }
    const drawn = actions.filter((action) => action !== ERRED);
    if (drawn.length > 0) {
      spec.actions = store.actions.flatMap((action, at) =>
        drawn.includes(legendAction(action)) ? [at] : [],
      );
    }
    if (actions.includes(ERRED)) spec.erred = true;
    const { search } = this;
    if (found && search.isPartial() && search.prefixes.value.length > 0) {
      const allowed = spec.prefixes ? new Set(spec.prefixes) : null;
      spec.prefixes = search.prefixes.value.filter(
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

const shared = new WeakMap<
  SessionStore,
  { selection: Selection; panels: number }
>();

/** The selection of a session; the last one to release it ends it. */
export function acquireSelection(store: SessionStore): Selection {
  let entry = shared.get(store);
  if (!entry) {
    entry = { selection: new Selection(store), panels: 0 };
    shared.set(store, entry);
  }
  entry.panels += 1;
  return entry.selection;
}

export function releaseSelection(selection: Selection): void {
  const entry = shared.get(selection.store);
  if (!entry) return;
  entry.panels -= 1;
  if (entry.panels > 0) return;
  shared.delete(selection.store);
  selection.dispose();
}
