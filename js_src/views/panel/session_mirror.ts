// The session's signals, copied into signals of this bundle.
//
// The page's one store may have been made by another bundle (the extension
// makes it, a widget shows it), with its own copy of the signals library, and
// reading a foreign signal in a computed value or a component subscribes to
// nothing. `subscribe` works across copies.

import { signal, type ReadonlySignal } from "@preact/signals";
import type { SessionStore } from "../../session";

interface Source<T> {
  peek(): T;
  subscribe(listener: (value: T) => void): () => void;
}

export class SessionMirror {
  private readonly stops: (() => void)[] = [];
  readonly info;
  readonly state;
  readonly counts;
  readonly notices;
  readonly workers;
  readonly origin;
  readonly now;
  readonly behind_s;
  readonly namesVersion;
  readonly dataVersion;
  readonly totals;
  readonly errors;
  readonly changes;
  readonly gaps;
  readonly focus;
  readonly crosshair;

  constructor(readonly store: SessionStore) {
    this.info = this.copy(store.info);
    this.state = this.copy(store.state);
    this.counts = this.copy(store.counts);
    this.notices = this.copy(store.notices);
    this.workers = this.copy(store.workers);
    this.origin = this.copy(store.origin);
    this.now = this.copy(store.now);
    this.behind_s = this.copy(store.behind_s);
    this.namesVersion = this.copy(store.namesVersion);
    this.dataVersion = this.copy(store.dataVersion);
    this.totals = this.copy(store.totals);
    this.errors = this.copy(store.errors);
    this.changes = this.copy(store.changes);
    this.gaps = this.copy(store.gaps);
    this.focus = this.copy(store.focus);
    this.crosshair = this.copy(store.crosshair);
  }

  dispose(): void {
    for (const stop of this.stops.splice(0)) stop();
  }

  private copy<T>(source: Source<T>): ReadonlySignal<T> {
    const own = signal(source.peek());
    this.stops.push(
      source.subscribe((value) => {
        own.value = value;
      }),
    );
    return own;
  }
}
