// A session's signals, copied into signals of this bundle: another one may have
// made the page's store.

import type { ReadonlySignal } from "@preact/signals";
import type { TableName } from "../schema";
import type { SessionStore } from "../session";
import type { TableView } from "../session_tables";
import { SignalCopies } from "./signal_copies";

export class SessionMirror extends SignalCopies {
  readonly info;
  readonly state;
  readonly counts;
  readonly notices;
  readonly workers;
  readonly origin;
  readonly run;
  readonly now;
  readonly behind_s;
  readonly namesVersion;
  readonly dataVersion;
  readonly totals;
  readonly focus;
  readonly crosshair;

  private readonly tables = new Map<string, unknown>();

  constructor(readonly store: SessionStore) {
    super();
    this.info = this.copy(store.info);
    this.state = this.copy(store.state);
    this.counts = this.copy(store.counts);
    this.notices = this.copy(store.notices);
    this.workers = this.copy(store.workers);
    this.origin = this.copy(store.origin);
    this.run = this.copy(store.run);
    this.now = this.copy(store.now);
    this.behind_s = this.copy(store.behind_s);
    this.namesVersion = this.copy(store.namesVersion);
    this.dataVersion = this.copy(store.dataVersion);
    this.totals = this.copy(store.totals);
    this.focus = this.copy(store.focus);
    this.crosshair = this.copy(store.crosshair);
    for (const name of ["errors", "gaps", "workers"] as const) {
      this.tables.set(name, this.copy<unknown>(store.table(name)));
    }
  }

  table<N extends TableName>(name: N): ReadonlySignal<TableView<N>> {
    return this.tables.get(name) as ReadonlySignal<TableView<N>>;
  }
}
