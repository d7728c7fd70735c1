// A session as a panel reads it: its signals stand still while the panel is hidden, so that
// news cost a hidden panel nothing.

import { computed, type ReadonlySignal, Signal } from "@preact/signals";
import type { TableName } from "../schema";
import type { SessionStore } from "../session";
import type { TableView } from "../session_tables";

type ValueOf<S> = S extends Signal<infer T> ? T : never;

/** Each signal of the store by its name; all else is read from the store. */
export type SeenSession = {
  readonly [
    N in keyof SessionStore as SessionStore[N] extends Signal ? N : never
  ]: ReadonlySignal<ValueOf<SessionStore[N]>>;
} & {
  readonly store: SessionStore;
  table<N extends TableName>(name: N): ReadonlySignal<TableView<N>>;
};

/** While hidden, it has the last value that was seen. */
export function whileVisible<T>(
  source: ReadonlySignal<T>,
  visible: ReadonlySignal<boolean>,
): ReadonlySignal<T> {
  let seen = source.peek();
  return computed(() => (visible.value ? (seen = source.value) : seen));
}

export function seenSession(
  store: SessionStore,
  visible: ReadonlySignal<boolean>,
): SeenSession {
  const signals = Object.entries(store)
    .filter(([, part]) => part instanceof Signal)
    .map(([name, source]) => [name, whileVisible(source as Signal, visible)]);
  const tables = new Map<string, unknown>();
  return {
    ...Object.fromEntries(signals),
    store,
    table<N extends TableName>(name: N): ReadonlySignal<TableView<N>> {
      const seen = tables.get(name) ?? whileVisible(store.table(name), visible);
      tables.set(name, seen);
      return seen as ReadonlySignal<TableView<N>>;
    },
  } as SeenSession;
}
