// A session's signals, copied into signals of this bundle: another one may have
// made the page's store.

import type { SessionStore } from "../session";
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
  readonly errors;
  readonly changes;
  readonly gaps;
  readonly notHere;
  readonly focus;
  readonly crosshair;

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
    this.errors = this.copy(store.errors);
    this.changes = this.copy(store.changes);
    this.gaps = this.copy(store.gaps);
    this.notHere = this.copy(store.notHere);
    this.focus = this.copy(store.focus);
    this.crosshair = this.copy(store.crosshair);
  }
}
